import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.common.utils.Exit;

/**
 * Kafka's tools and Java clients in one warm JVM, since starting one takes longer than what most tools do.
 * Reads a line of JSON, does what it says, writes a line of JSON; bytes travel in base 64.
 */
class Agent {
    static final ObjectMapper JSON = new ObjectMapper();
    static final Duration POLLED_FOR = Duration.ofMillis(200);

    /** What tools print goes to whichever buffer is current. */
    static class Captured extends OutputStream {
        ByteArrayOutputStream now = new ByteArrayOutputStream();
        @Override public synchronized void write(int b) { now.write(b); }
        @Override public synchronized void write(byte[] bytes, int at, int count) { now.write(bytes, at, count); }
        synchronized String take() {
            String text = now.toString(StandardCharsets.UTF_8);
            now = new ByteArrayOutputStream();
            return text;
        }
    }

    /** A tool wanted to end the process. */
    static class Exited extends RuntimeException {
        final int status;
        Exited(int status) { super("exit " + status, null, false, false); this.status = status; }
    }

    static final Captured OUT = new Captured(), ERR = new Captured();
    static final List<Runnable> HOOKS = new ArrayList<>(); // what a tool wants done when the process ends
    static Integer exited; // the first status that a tool wanted to end with: some catch what stops them

    public static void main(String[] arguments) throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(new PrintStream(OUT, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(ERR, true, StandardCharsets.UTF_8));
        Exit.Procedure end = (status, message) -> {
            if (exited == null) exited = status;
            throw new Exited(status);
        };
        Exit.setExitProcedure(end);
        Exit.setHaltProcedure(end);
        Exit.setShutdownHookAdder((name, hook) -> HOOKS.add(hook));
        for (String line; (line = commands.readLine()) != null; ) {
            JsonNode command = JSON.readTree(line);
            ObjectNode answer = JSON.createObjectNode();
            try {
                switch (command.get("op").asText()) {
                    case "tool" -> tool(command, answer);
                    case "produce" -> produce(command, answer);
                    case "consume" -> consume(command, answer);
                    default -> answer.put("error", "no such op");
                }
            } catch (Throwable failure) {
                answer.put("error", failure.getClass().getSimpleName()).put("message", String.valueOf(failure.getMessage()));
            }
            answers.println(JSON.writeValueAsString(answer));
        }
    }

    static void tool(JsonNode command, ObjectNode answer) throws Exception {
        List<String> words = new ArrayList<>();
        command.get("arguments").forEach(word -> words.add(word.asText()));
        System.setIn(new ByteArrayInputStream(command.get("input").asText().getBytes(StandardCharsets.UTF_8)));
        OUT.take();
        ERR.take();
        exited = null;
        int status = 0;
        try {
            Class.forName(command.get("class").asText()).getMethod("main", String[].class)
                .invoke(null, (Object) words.toArray(new String[0]));
        } catch (InvocationTargetException failed) {
            status = 1;
            if (exited == null) failed.getCause().printStackTrace();
        }
        HOOKS.forEach(Runnable::run);
        HOOKS.clear();
        if (exited != null) status = exited;
        answer.put("status", status).put("out", OUT.take()).put("err", ERR.take());
    }

    static Properties settings(JsonNode command) {
        Properties settings = new Properties();
        command.get("settings").fields().forEachRemaining(each -> settings.put(each.getKey(), each.getValue().asText()));
        return settings;
    }

    static byte[] bytes(JsonNode text) {
        return text == null || text.isNull() ? null : Base64.getDecoder().decode(text.asText());
    }

    static void put(ObjectNode node, String name, byte[] bytes) {
        if (bytes == null) node.putNull(name); else node.put(name, Base64.getEncoder().encodeToString(bytes));
    }

    static void produce(JsonNode command, ObjectNode answer) throws Exception {
        ArrayNode results = answer.putArray("results");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings(command), new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Object> sent = new ArrayList<>();
            for (JsonNode each : command.get("records")) {
                List<Header> headers = new ArrayList<>();
                for (JsonNode header : each.get("headers"))
                    headers.add(new RecordHeader(header.get(0).asText(), bytes(header.get(1))));
                Long timestamp = each.get("timestamp").isNull() ? null : each.get("timestamp").asLong();
                try {
                    sent.add(producer.send(new ProducerRecord<>(each.get("topic").asText(), each.get("partition").asInt(),
                        timestamp, bytes(each.get("key")), bytes(each.get("value")), headers)));
                } catch (RuntimeException refused) {
                    sent.add(refused);
                }
            }
            producer.flush();
            for (Object each : sent) {
                ObjectNode result = results.addObject();
                try {
                    if (each instanceof RuntimeException refused) throw refused;
                    RecordMetadata at = (RecordMetadata) ((Future<?>) each).get();
                    result.put("partition", at.partition()).put("offset", at.offset()).put("timestamp", at.timestamp());
                } catch (ExecutionException failed) {
                    result.put("error", failed.getCause().getClass().getSimpleName());
                } catch (RuntimeException refused) {
                    result.put("error", refused.getClass().getSimpleName());
                }
            }
        }
    }

    static void consume(JsonNode command, ObjectNode answer) {
        ArrayNode records = answer.putArray("records");
        TopicPartition partition = new TopicPartition(command.get("topic").asText(), command.get("partition").asInt());
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings(command), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, command.get("offset").asLong());
            int wanted = command.get("count").asInt();
            long end = System.currentTimeMillis() + command.get("timeout_ms").asLong();
            while (records.size() < wanted && System.currentTimeMillis() < end) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLLED_FOR)) {
                    ObjectNode record = records.addObject();
                    record.put("offset", each.offset()).put("timestamp", each.timestamp());
                    put(record, "key", each.key());
                    put(record, "value", each.value());
                    ArrayNode headers = record.putArray("headers");
                    for (Header header : each.headers()) {
                        ArrayNode pair = headers.addArray();
                        pair.add(header.key());
                        if (header.value() == null) pair.addNull();
                        else pair.add(Base64.getEncoder().encodeToString(header.value()));
                    }
                }
            }
            answer.put("position", consumer.position(partition));
            answer.put("beginning", consumer.beginningOffsets(List.of(partition)).get(partition));
            answer.put("end", consumer.endOffsets(List.of(partition)).get(partition));
        }
    }
}
