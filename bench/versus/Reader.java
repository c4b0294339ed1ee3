// Reads so many records of a topic without a group, and prints how many seconds that took, from the first record on.

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class Reader {
    public static void main(String[] words) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", words[0]);
        settings.put("key.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("receive.buffer.bytes", "2097152");
        settings.put("max.poll.records", "5000");
        List<TopicPartition> partitions = new ArrayList<>();
        for (int index = 0; index < Integer.parseInt(words[2]); index++) {
            partitions.add(new TopicPartition(words[1], index));
        }
        long wanted = Long.parseLong(words[3]);
        long seen = 0;
        long began = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (seen < wanted) {
                int count = consumer.poll(Duration.ofSeconds(10)).count();
                if (seen == 0) {
                    began = System.nanoTime();
                }
                if (count == 0) {
                    throw new IllegalStateException("nothing more comes after " + seen + " records");
                }
                seen += count;
            }
        }
        System.out.println((System.nanoTime() - began) / 1e9);
    }
}
