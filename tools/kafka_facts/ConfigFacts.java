// Prints every ConfigDef of Kafka's broker and clients (Connect and Streams left out), with what surrounds it: which
// broker settings are dynamic, and which names stand in for which. Documentation sentences are not printed.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Field;
import java.util.*;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.DynamicConfig;
import org.apache.kafka.server.config.QuotaConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManagerConfig;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;

public class ConfigFacts {
    // Java takes these two from its security properties; the values are those of OpenJDK.
    static final Map<String, String> FROM_JVM = Map.of(
        "ssl.keymanager.algorithm", KeyManagerFactory.getDefaultAlgorithm(),
        "ssl.trustmanager.algorithm", TrustManagerFactory.getDefaultAlgorithm());

    public static void main(String[] arguments) throws Exception {
        Map<String, ConfigDef> families = new LinkedHashMap<>();
        families.put("broker", kafka.server.KafkaConfig.configDef());
        families.put("topic", LogConfig.configDefCopy());
        families.put("group", GroupConfig.CONFIG_DEF);
        families.put("client-metrics", ClientMetricsConfigs.configDef());
        families.put("producer", ProducerConfig.configDef());
        families.put("consumer", ConsumerConfig.configDef());
        families.put("admin", AdminClientConfig.configDef());
        families.put("remote-log-metadata", (ConfigDef) hidden(TopicBasedRemoteLogMetadataManagerConfig.class, null, "CONFIG"));
        families.put("quota-broker", QuotaConfig.brokerQuotaConfigs());
        families.put("quota-user-and-client", QuotaConfig.userAndClientQuotaConfigs());
        families.put("quota-user", QuotaConfig.scramMechanismsPlusUserAndClientQuotaConfigs());
        families.put("quota-ip", QuotaConfig.ipConfigs());

        Map<String, Object> out = new TreeMap<>();
        for (var family : families.entrySet()) out.put(family.getKey(), settings(family.getValue()));
        addBrokerDynamics(asMap(out.get("broker")), families.get("broker"));
        addDynamicOnly(out);
        addTopicSynonyms(asMap(out.get("topic")));
        for (var synonym : GroupConfig.ALL_GROUP_CONFIG_SYNONYMS.entrySet())
            asMap(asMap(out.get("group")).get(synonym.getKey())).put("synonyms",
                synonym.getValue().map(name -> List.of(Map.of("name", name, "unit", 1))).orElse(List.of()));
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    static Map<String, Object> settings(ConfigDef definition) throws Exception {
        Map<String, Object> out = new TreeMap<>();
        for (ConfigDef.ConfigKey key : definition.configKeys().values()) {
            Map<String, Object> entry = new TreeMap<>();
            entry.put("type", key.type.name().toLowerCase(Locale.ROOT));
            entry.put("required", key.defaultValue == ConfigDef.NO_DEFAULT_VALUE);
            if (key.defaultValue != ConfigDef.NO_DEFAULT_VALUE) {
                entry.put("default", plain(key.defaultValue));
                entry.put("defaultText", ConfigDef.convertToString(key.defaultValue, key.type));
            }
            if (FROM_JVM.containsKey(key.name) && FROM_JVM.get(key.name).equals(key.defaultValue))
                entry.put("defaultFromJvm", true);
            entry.put("importance", key.importance.name().toLowerCase(Locale.ROOT));
            entry.put("internal", key.internalConfig);
            entry.put("validValues", key.validator == null ? null : key.validator.toString());
            entry.put("validator", key.validator == null ? null : validator(key.validator));
            out.put(key.name, entry);
        }
        return out;
    }

    static Object plain(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean || value instanceof String) return value;
        if (value instanceof Class<?> type) return type.getName();
        if (value instanceof List<?> list) return list.stream().map(ConfigFacts::plain).toList();
        throw new IllegalStateException("a default of " + value.getClass());
    }

    /** The validator's class and its fields (a lambda has none to show). */
    static Map<String, Object> validator(ConfigDef.Validator validator) throws Exception {
        Map<String, Object> out = new TreeMap<>();
        out.put("class", validator.getClass().getSimpleName());
        if (validator instanceof ConfigDef.LambdaValidator) return out;
        for (Field field : validator.getClass().getDeclaredFields()) {
            if (field.isSynthetic() || java.lang.reflect.Modifier.isStatic(field.getModifiers())) continue;
            field.setAccessible(true);
            Object value = field.get(validator);
            if (value instanceof ConfigDef.ValidString strings) value = hidden(ConfigDef.ValidString.class, strings, "validStrings");
            else if (value instanceof Collection<?> many) value = many.stream().map(String::valueOf).toList();
            out.put(field.getName(), value);
        }
        return out;
    }

    static void addBrokerDynamics(Map<String, Object> broker, ConfigDef definition) {
        Map<String, String> modes = DynamicBrokerConfig.dynamicConfigUpdateModes();
        for (String name : definition.names()) {
            asMap(broker.get(name)).put("dynamic", modes.getOrDefault(name, "read-only"));
            asMap(broker.get(name)).put("synonyms", DynamicBrokerConfig.brokerConfigSynonyms(name, true).stream()
                .filter(other -> !other.equals(name)).toList());
        }
    }

    /** Sets of names that decide where a dynamic setting may be set, and what DynamicConfig adds to KafkaConfig. */
    static void addDynamicOnly(Map<String, Object> out) throws Exception {
        Set<String> only = new TreeSet<>(DynamicConfig.Broker.names());
        only.removeAll(asMap(out.get("broker")).keySet());
        Map<String, Object> sets = new TreeMap<>();
        sets.put("dynamicOnly", only);
        sets.put("nonDynamic", new TreeSet<>(DynamicConfig.Broker.nonDynamicProps()));
        for (var field : Map.of(
                "security", "DYNAMIC_SECURITY_CONFIGS",
                "clusterLevelListener", "CLUSTER_LEVEL_LISTENER_CONFIGS",
                "perBroker", "PER_BROKER_CONFIGS",
                "listenerMechanism", "LISTENER_MECHANISM_CONFIGS",
                "all", "ALL_DYNAMIC_CONFIGS").entrySet())
            sets.put(field.getKey(), new TreeSet<>((Collection<?>) hidden(DynamicBrokerConfig.class, null, field.getValue())));
        out.put("broker-dynamics", sets);
    }

    static void addTopicSynonyms(Map<String, Object> topic) {
        for (String name : topic.keySet()) {
            List<ConfigSynonym> synonyms = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.getOrDefault(name, List.of());
            asMap(topic.get(name)).put("synonyms", synonyms.stream()
                .map(synonym -> Map.of("name", synonym.name(), "unit", Long.parseLong(synonym.converter().apply("1")))).toList());
            asMap(topic.get(name)).put("brokerName", ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.get(name));
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    static Object hidden(Class<?> type, Object instance, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(instance);
    }
}
