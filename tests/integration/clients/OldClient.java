// Produces so many records in a codec and consumes them again, with nothing that Kafka's clients 2.1 do not have.
// Prints the offsets that it was told, and then the values that came back, a line each.

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class OldClient {
    public static void main(String[] words) throws Exception {
        int count = Integer.parseInt(words[3]);
        Properties writing = new Properties();
        writing.put("bootstrap.servers", words[0]);
        writing.put("compression.type", words[2]);
        writing.put("enable.idempotence", words[4]);
        writing.put("acks", "all");
        writing.put("linger.ms", "20");
        List<Future<RecordMetadata>> told = new ArrayList<>();
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(writing, new StringSerializer(), new StringSerializer())) {
            for (int number = 0; number < count; number++) {
                told.add(producer.send(new ProducerRecord<>(words[1], 0, "key", "value " + number)));
            }
        }
        for (Future<RecordMetadata> each : told) {
            System.out.println(each.get().offset());
        }
        Properties reading = new Properties();
        reading.put("bootstrap.servers", words[0]);
        reading.put("enable.auto.commit", "false");
        TopicPartition partition = new TopicPartition(words[1], 0);
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(reading, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(Collections.singleton(partition));
            consumer.seekToBeginning(Collections.singleton(partition));
            for (int seen = 0; seen < count; ) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(10))) {
                    System.out.println(record.value());
                    seen++;
                }
            }
        }
    }
}
