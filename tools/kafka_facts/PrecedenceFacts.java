// Prints how Kafka describes settings that are set in several places at once: for the broker and for a topic, each value
// with its source and all the synonyms behind it. The broker is not started; its configuration and its describer are.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import kafka.server.ConfigHelper;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.metadata.ConfigRepository;
import org.apache.kafka.metadata.MetadataCache;
import scala.jdk.javaapi.CollectionConverters;

public class PrecedenceFacts {
    static final String BASE = "process.roles=broker;node.id=1;controller.listener.names=C;controller.quorum.voters=2@localhost:9093;"
        + "listeners=PLAINTEXT://localhost:9092;listener.security.protocol.map=C:PLAINTEXT,PLAINTEXT:PLAINTEXT";

    // Each case: static; cluster-wide; per broker; topic or group; settings that are described (broker | topic | group).
    static final String[][] CASES = {
        {"", "", "", "", "num.io.threads", "", ""},
        {"num.io.threads=10", "", "", "", "num.io.threads", "", ""},
        {"num.io.threads=10", "num.io.threads=16", "", "", "num.io.threads", "", ""},
        {"num.io.threads=10", "num.io.threads=16", "num.io.threads=32", "", "num.io.threads", "", ""},
        {"", "num.io.threads=16", "num.io.threads=32", "", "num.io.threads,num.network.threads", "", ""},
        {"", "", "num.io.threads=32", "", "num.io.threads", "", ""},
        {"", "", "", "", "log.retention.ms,log.retention.minutes,log.retention.hours", "retention.ms", ""},
        {"log.retention.hours=5", "", "", "", "log.retention.ms,log.retention.minutes,log.retention.hours", "retention.ms", ""},
        {"log.retention.minutes=7;log.retention.hours=5", "", "", "", "log.retention.ms,log.retention.minutes,log.retention.hours", "retention.ms", ""},
        {"log.retention.minutes=7", "log.retention.ms=70000", "", "", "log.retention.ms,log.retention.minutes", "retention.ms", ""},
        {"log.retention.hours=5;log.retention.ms=60001", "log.retention.ms=70000", "log.retention.ms=80000", "retention.ms=90000", "log.retention.ms,log.retention.hours", "retention.ms", ""},
        {"log.retention.ms=-1", "", "", "", "log.retention.ms", "retention.ms", ""},
        {"log.roll.hours=2;log.roll.jitter.hours=1", "", "", "", "log.roll.ms,log.roll.hours,log.roll.jitter.ms", "segment.ms,segment.jitter.ms", ""},
        {"log.roll.hours=2", "log.roll.ms=5000", "", "", "log.roll.ms,log.roll.hours", "segment.ms", ""},
        {"log.flush.scheduler.interval.ms=3000", "", "", "", "log.flush.interval.ms,log.flush.scheduler.interval.ms", "flush.ms", ""},
        {"log.flush.scheduler.interval.ms=3000;log.flush.interval.ms=4000", "", "", "flush.ms=5000", "log.flush.interval.ms", "flush.ms", ""},
        {"compression.type=zstd", "compression.type=gzip", "compression.type=lz4", "compression.type=snappy", "compression.type", "compression.type", ""},
        {"", "", "", "cleanup.policy=compact,delete", "log.cleanup.policy", "cleanup.policy,remote.storage.enable", ""},
        {"log.cleanup.policy=compact", "", "", "", "log.cleanup.policy", "cleanup.policy", ""},
        {"message.max.bytes=1000", "message.max.bytes=2000", "", "max.message.bytes=3000", "message.max.bytes", "max.message.bytes", ""},
        {"log.cleaner.min.cleanable.ratio=0.3", "", "", "", "log.cleaner.min.cleanable.ratio,log.cleaner.io.max.bytes.per.second", "min.cleanable.dirty.ratio", ""},
        {"", "", "", "leader.replication.throttled.replicas=0:1,1:2", "", "leader.replication.throttled.replicas,follower.replication.throttled.replicas", ""},
        {"ssl.keystore.password=static-secret", "", "ssl.truststore.location=/t", "", "ssl.keystore.password,ssl.truststore.location,ssl.key.password", "", ""},
        {"listener.name.external.ssl.keystore.location=/k", "", "", "", "ssl.keystore.location", "", ""},
        {"listener.name.external.ssl.keystore.location=/k", "", "", "", "listener.name.external.ssl.keystore.location,ssl.keystore.location", "", ""},
        {"ssl.keystore.location=/b;listener.name.external.ssl.keystore.location=/k", "", "listener.name.external.ssl.keystore.location=/d", "", "listener.name.external.ssl.keystore.location,ssl.keystore.location", "", ""},
        {"listener.name.external.plain.sasl.jaas.config=secret;my.own.setting=x", "", "", "", "listener.name.external.plain.sasl.jaas.config,sasl.jaas.config,my.own.setting", "", ""},
        {"", "my.own.setting=y", "other.setting=z", "", "my.own.setting,other.setting", "", ""},
        {"", "", "", "", "node.id,broker.id,log.initial.task.delay.ms", "internal.segment.bytes", ""},
        {"log.initial.task.delay.ms=5", "", "", "internal.segment.bytes=9", "log.initial.task.delay.ms", "internal.segment.bytes", ""},
        {"log.retention.hours=-5;log.roll.ms=77", "", "", "", "log.retention.hours", "retention.ms,segment.ms", ""},
        {"", "log.retention.ms=0;num.io.threads=3", "", "", "log.retention.ms,num.io.threads", "retention.ms", ""},
        {"", "log.cleaner.threads=4;log.cleaner.dedupe.buffer.size=1048577", "", "", "log.cleaner.threads,log.cleaner.dedupe.buffer.size", "", ""},
        {"log.retention.hours=9", "log.retention.ms=70000", "log.retention.ms=80000", "", "log.retention.ms,log.retention.hours,log.retention.minutes", "retention.ms", ""},
        {"", "listener.name.external.max.connections=5;listener.name.external.ssl.keystore.location=/k", "listener.name.external.max.connections=6", "", "listener.name.external.max.connections,listener.name.external.ssl.keystore.location,max.connections", "", ""},
        {"", "", "", "consumer.session.timeout.ms=70000;consumer.heartbeat.interval.ms=1", "", "", "consumer.session.timeout.ms,consumer.heartbeat.interval.ms"},
        {"group.consumer.max.session.timeout.ms=50000", "", "", "share.delivery.count.limit=99", "", "", "share.delivery.count.limit,consumer.session.timeout.ms"},
        {"", "", "", "", "", "", ""},
        {"", "", "", "interval.ms=1000;metrics=*", "", "", ""},
        {"broker.id=1", "", "", "", "node.id,broker.id,process.roles,listeners", "", ""},
        {"", "num.io.threads=bogus;num.network.threads=4", "", "", "num.io.threads,num.network.threads", "", ""},
        {"", "num.io.threads=5;node.id=7;log.dirs=/q", "num.io.threads=0", "", "num.io.threads,node.id,log.dirs", "", ""},
        {"", "listeners=PLAINTEXT://q:1;num.io.threads=6", "", "", "listeners,num.io.threads", "", ""},
        {"", "leader.replication.throttled.rate=100", "leader.replication.throttled.rate=200", "", "leader.replication.throttled.rate", "", ""},
        {"min.insync.replicas=2", "", "", "", "min.insync.replicas,log.dirs,log.dir,advertised.listeners,broker.rack", "min.insync.replicas", ""},
        {"", "", "", "", "", "", "consumer.session.timeout.ms,share.auto.offset.reset,share.isolation.level"},
        {"group.consumer.session.timeout.ms=46000", "", "", "", "group.consumer.session.timeout.ms", "", "consumer.session.timeout.ms"},
        {"group.consumer.session.timeout.ms=46000", "", "", "consumer.session.timeout.ms=50000", "", "", "consumer.session.timeout.ms,consumer.heartbeat.interval.ms"},
        {"", "group.consumer.assignment.interval.ms=2000", "", "consumer.assignment.interval.ms=3000", "group.consumer.assignment.interval.ms", "", "consumer.assignment.interval.ms"},
        {"", "group.consumer.assignment.interval.ms=2000", "", "share.auto.offset.reset=earliest", "", "", "consumer.assignment.interval.ms,share.auto.offset.reset"},
    };

    public static void main(String[] arguments) throws Exception {
        List<Object> out = new ArrayList<>();
        for (String[] one : CASES) {
            KafkaConfig config = KafkaConfig.fromProps(properties(BASE + ";" + one[0]));
            config.dynamicConfig().initialize(scala.Option.empty());
            config.dynamicConfig().updateDefaultConfig(properties(one[1]), false);
            config.dynamicConfig().updateBrokerConfig(1, properties(one[2]), false);
            Properties entity = properties(one[3]);
            ConfigRepository repository = resource ->
                resource.type() == ConfigResource.Type.TOPIC || resource.type() == ConfigResource.Type.GROUP
                || resource.type() == ConfigResource.Type.CLIENT_METRICS ? entity : new Properties();
            MetadataCache cache = (MetadataCache) java.lang.reflect.Proxy.newProxyInstance(PrecedenceFacts.class.getClassLoader(),
                new Class<?>[] {MetadataCache.class}, (proxy, method, values) -> method.getReturnType() == boolean.class ? (Object) true : null);
            ConfigHelper helper = new ConfigHelper(cache, config, repository);
            Map<String, Object> entry = new TreeMap<>();
            entry.put("static", plain(one[0]));
            entry.put("clusterWide", plain(one[1]));
            entry.put("perBroker", plain(one[2]));
            entry.put("entity", plain(one[3]));
            entry.put("broker", describe(helper, ConfigResource.Type.BROKER, "1", one[4]));
            entry.put("clusterDefault", describe(helper, ConfigResource.Type.BROKER, "", one[4]));
            entry.put("topic", describe(helper, ConfigResource.Type.TOPIC, "orders", one[5]));
            entry.put("group", describe(helper, ConfigResource.Type.GROUP, "team", one[6]));
            entry.put("clientMetrics", one[4].isEmpty() && one[5].isEmpty() && one[6].isEmpty()
                ? describe(helper, ConfigResource.Type.CLIENT_METRICS, "subscription", "interval.ms,match,metrics") : List.of());
            out.add(entry);
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    static List<Object> describe(ConfigHelper helper, ConfigResource.Type type, String name, String settings) {
        List<Object> out = new ArrayList<>();
        if (settings.isEmpty()) return out;
        var resource = new DescribeConfigsResource().setResourceType(type.id()).setResourceName(name)
            .setConfigurationKeys(List.of(settings.split(",")));
        DescribeConfigsResult result = CollectionConverters.asJava(helper.describeConfigs(
            CollectionConverters.asScala(List.of(resource)).toList(), true, false)).get(0);
        if (result.errorCode() != 0) throw new IllegalStateException(result.errorMessage());
        for (var config : result.configs()) {
            Map<String, Object> entry = new TreeMap<>();
            entry.put("name", config.name());
            entry.put("value", config.value());
            entry.put("source", config.configSource());
            entry.put("readOnly", config.readOnly());
            entry.put("sensitive", config.isSensitive());
            entry.put("type", config.configType());
            entry.put("synonyms", config.synonyms().stream()
                .map(synonym -> Arrays.asList(synonym.name(), synonym.value(), synonym.source())).toList());
            out.add(entry);
        }
        out.sort(Comparator.comparing(entry -> (String) ((Map<?, ?>) entry).get("name")));
        return out;
    }

    static Properties properties(String text) {
        Properties out = new Properties();
        plain(text).forEach(out::setProperty);
        return out;
    }

    static Map<String, String> plain(String text) {
        Map<String, String> out = new TreeMap<>();
        for (String pair : text.split(";")) if (!pair.isEmpty()) out.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        return out;
    }
}
