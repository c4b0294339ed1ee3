// Prints what Kafka makes of many texts given as the value of a setting: the value it parses to, written as text again,
// or the error. One setting is asked for each distinct pair of type and validator, since nothing else decides.
// Settings of type class are left out: Kafka's answer there is whether a Java class can be loaded.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.QuotaConfig;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;

public class ValueFacts {
    static final String[] TEXTS = {
        "", " ", "0", "1", " 7 ", "-1", "-2", "-3", "2", "5", "9", "10", "17", "18", "22", "23", "-131072", "-131073", "+5", "-0",
        "0.25", "0.5", "1.5", "1e3", "1E-5", ".5", "1.", "1d", "1f", "0x10", "0x1p3", "NaN", "-Infinity", "inf", "nan", "1e400", "1e-400",
        "1e7", "12345678.9", "0.001", "0.00099", "100.0", "1_000", "1 000", "\u0663", "\u00a05", "5\u2003", "1,5",
        "300", "900", "901", "3600", "3601", "1023", "1024", "2000", "86400", "86401", "1048576", "524287", "524288",
        "32767", "32768", "-32769", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
        "true", "TRUE", " False ", "yes", "null", "a", "a,b", "a, b ,c", "a,a", "a,,b", ",a", "a,", ",", " , ", "*", "*,a", "A,a",
        "none", "NONE", "zstd", "ZSTD", "gzip", "producer", "lz4 ", "all", "delete", "compact,delete", "delete,delete", "delete,bogus", "Delete",
        "0:1,1:2", "0:1", "x:1", "1:2:3", "1:", ":", "-1:1", "0:1,*", "CreateTime", "createtime",
        "1@localhost:9092", "1@localhost", "x@h:1", "1@[::1]:9093", "1@h:99999", "1@h:1,2@h:2", "1@0.0.0.0:0", "-1@h:1",
        "localhost:9092", "localhost", "h:1,h:2", "[::1]:9092", "http://h:1", "h:x",
        "latest", "Earliest", "by_duration:PT1H", "by_duration:P1D", "by_duration:P1DT2H3M4.5S", "by_duration:-PT1H", "by_duration:bogus",
        "by_duration", "by_duration:", "BY_DURATION:PT1S", "by_duration:pt1s", "by_duration:P", "by_duration:P1Y", "by_duration:PT0S",
        "by_duration:PT-1H2M", "by_duration:PT1.5H", "BATCH_OPTIMIZED", "record_limit", "implicit", "EXPLICIT", "SASL_SSL", "sasl_ssl",
        "required", "Required", "consumer", "Consumer", "CLASSIC", "classic,consumer", "broker", "broker,controller", "controller,broker",
        "read_committed", "use_all_dns_ips", "bidirectional", "INFO", "info", "es256", "rebootstrap", "org.example.Thing", "secret", " padded "};

    public static void main(String[] arguments) throws Exception {
        Map<String, ConfigDef> families = new LinkedHashMap<>();
        families.put("broker", kafka.server.KafkaConfig.configDef());
        families.put("topic", LogConfig.configDefCopy());
        families.put("group", GroupConfig.CONFIG_DEF);
        families.put("client-metrics", ClientMetricsConfigs.configDef());
        families.put("producer", ProducerConfig.configDef());
        families.put("consumer", ConsumerConfig.configDef());
        families.put("admin", AdminClientConfig.configDef());
        families.put("quota-ip", QuotaConfig.ipConfigs());
        Set<String> asked = new HashSet<>();
        List<Object> settings = new ArrayList<>();
        for (var family : families.entrySet()) {
            for (ConfigDef.ConfigKey key : new TreeMap<>(family.getValue().configKeys()).values()) {
                if (key.type == ConfigDef.Type.CLASS) continue;
                Map<String, List<Integer>> answers = new TreeMap<>(); // answer -> the texts that get it
                for (int index = 0; index < TEXTS.length; index++)
                    answers.computeIfAbsent(ask(key, TEXTS[index]), answer -> new ArrayList<>()).add(index);
                if (!asked.add(key.type + answers.toString())) continue;
                settings.add(Map.of("family", family.getKey(), "name", key.name, "answers", answers, "ofNull", ask(key, null)));
            }
        }
        System.out.println(new ObjectMapper().writeValueAsString(Map.of("texts", TEXTS, "settings", settings)));
    }

    /** The answer with the setting's name and the text itself replaced by marks, so that equal answers look equal. */
    static String ask(ConfigDef.ConfigKey key, String text) {
        try {
            Object value = new ConfigDef().define(key).parse(Collections.singletonMap(key.name, text)).get(key.name);
            return "value " + marked(ConfigDef.convertToString(value, key.type), text);
        } catch (ConfigException wrong) {
            String message = wrong.getMessage();
            // Sentences that a validator of one setting made up are its own; those of ConfigDef are a common form.
            if (key.validator != null && !key.validator.getClass().getName().startsWith(ConfigDef.class.getName())) return "refused";
            String start = "Invalid value ", end = " for configuration " + key.name;
            if (!message.startsWith(start)) return "error " + message.replace(key.name, "{name}");
            int at = message.indexOf(end);
            return "error " + start + marked(message.substring(start.length(), at), text) + " for configuration {name}" + message.substring(at + end.length());
        } catch (RuntimeException other) { // a refusal that Kafka did not foresee
            return "refused";
        }
    }

    static String marked(String shown, String text) {
        if (text == null || shown == null) return String.valueOf(shown);
        return shown.equals(text) ? "{text}" : shown.equals(text.trim()) ? "{trimmed}" : shown;
    }
}
