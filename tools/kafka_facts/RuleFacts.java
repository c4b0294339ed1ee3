// Prints whether Kafka takes settings of a topic, a group, a subscription or a client together, and for clients what it
// makes of some that follow from others. Each case is `kind|settings`; for a topic the part after `#` is what it had
// before, and `tiered` means a broker with tiered storage.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;

public class RuleFacts {
    static final String NODE = "process.roles=broker;node.id=1;controller.listener.names=C;controller.quorum.voters=2@h:9093";
    static final String[] CASES = {
        "topic|", "topic|retention.ms=1", "topic|retention.ms=-2", "topic|no.such.setting=1", "topic|min.compaction.lag.ms=5;max.compaction.lag.ms=5",
        "topic|min.compaction.lag.ms=6;max.compaction.lag.ms=5", "topic|cleanup.policy=compact,delete", "topic|remote.storage.enable=true", "topic|local.retention.ms=5;retention.ms=4",
        "topic|segment.bytes=1048575", "topic|internal.segment.bytes=10", "topic|message.format.version=2.0", "topic|remote.log.delete.on.disable=true",
        "tiered|remote.storage.enable=true", "tiered|remote.storage.enable=true;cleanup.policy=compact", "tiered|remote.storage.enable=true;cleanup.policy=compact,delete", "tiered|remote.storage.enable=true;cleanup.policy=",
        "tiered|remote.storage.enable=true;local.retention.ms=5;retention.ms=5", "tiered|remote.storage.enable=true;local.retention.ms=6;retention.ms=5", "tiered|remote.storage.enable=true;local.retention.ms=-1;retention.ms=5",
        "tiered|remote.storage.enable=true;local.retention.ms=-1;retention.ms=-1", "tiered|remote.storage.enable=true;local.retention.ms=5;retention.ms=-1", "tiered|remote.storage.enable=true;local.retention.bytes=6;retention.bytes=5",
        "tiered|remote.storage.enable=true;local.retention.bytes=-1;retention.bytes=5", "tiered|remote.storage.enable=true;local.retention.bytes=5;retention.bytes=-1", "tiered|remote.storage.enable=true;local.retention.bytes=5;retention.bytes=5",
        "tiered|remote.storage.enable=true;remote.log.copy.disable=true", "tiered|remote.storage.enable=true;remote.log.copy.disable=true;local.retention.ms=4;retention.ms=5",
        "tiered|remote.storage.enable=true;remote.log.copy.disable=true;local.retention.ms=5;retention.ms=5", "tiered|remote.storage.enable=true;remote.log.copy.disable=true;local.retention.bytes=4;retention.bytes=5",
        "tiered|remote.storage.enable=false#remote.storage.enable=true", "tiered|remote.storage.enable=false;remote.log.delete.on.disable=true#remote.storage.enable=true", "tiered|#remote.storage.enable=true", "tiered|local.retention.ms=6;retention.ms=5",
        "group|", "group|no.such.setting=1", "group|consumer.session.timeout.ms=50000", "group|consumer.session.timeout.ms=44999", "group|consumer.session.timeout.ms=60001", "group|consumer.heartbeat.interval.ms=4999",
        "group|consumer.heartbeat.interval.ms=15000", "group|consumer.heartbeat.interval.ms=15001", "group|consumer.assignment.interval.ms=0", "group|consumer.assignment.interval.ms=15001", "group|share.session.timeout.ms=44999",
        "group|share.session.timeout.ms=60001", "group|share.heartbeat.interval.ms=4999", "group|share.heartbeat.interval.ms=15001", "group|share.delivery.count.limit=2", "group|share.delivery.count.limit=11", "group|share.delivery.count.limit=1",
        "group|share.partition.max.record.locks=100", "group|share.partition.max.record.locks=4001", "group|share.record.lock.duration.ms=14999", "group|share.record.lock.duration.ms=60001", "group|share.assignment.interval.ms=15001",
        "group|streams.session.timeout.ms=44999", "group|streams.session.timeout.ms=60001", "group|streams.heartbeat.interval.ms=4999", "group|streams.heartbeat.interval.ms=15001", "group|streams.num.standby.replicas=2", "group|streams.num.standby.replicas=3",
        "group|streams.assignment.interval.ms=15001", "group|streams.initial.rebalance.delay.ms=999999", "group|share.isolation.level=x", "group|share.auto.offset.reset=by_duration:PT1H",
        "client-metrics|", "client-metrics|interval.ms=99", "client-metrics|interval.ms=100", "client-metrics|interval.ms=3600000", "client-metrics|interval.ms=3600001", "client-metrics|metrics=*", "client-metrics|metrics=a,b", "client-metrics|no.such=1",
        "client-metrics|match=client_id=a.*", "client-metrics|match=client_id=a,client_software_name=b", "client-metrics|match=bogus=a", "client-metrics|match=client_id", "client-metrics|match=client_id=", "client-metrics|match=client_id=a=b",
        "client-metrics|match=client_id=[", "client-metrics|match= client_id = a ", "client-metrics|match=client_source_port=1,client_source_address=x,client_instance_id=y,client_software_version=z", "client-metrics|match=CLIENT_ID=a",
        "producer|", "producer|bootstrap.servers=", "producer|acks=0", "producer|acks=1", "producer|acks=all", "producer|acks=-1", "producer|acks=0;enable.idempotence=true", "producer|acks=1;enable.idempotence=true", "producer|acks=1;enable.idempotence=false",
        "producer|retries=0", "producer|retries=0;enable.idempotence=true", "producer|max.in.flight.requests.per.connection=6", "producer|max.in.flight.requests.per.connection=6;enable.idempotence=true",
        "producer|max.in.flight.requests.per.connection=6;enable.idempotence=false", "producer|max.in.flight.requests.per.connection=6;acks=1", "producer|max.in.flight.requests.per.connection=6;retries=0", "producer|transactional.id=t", "producer|transactional.id=t;acks=1",
        "producer|transactional.id=t;enable.idempotence=false", "producer|transactional.id=t;retries=0", "producer|transactional.id=t;client.id=c", "producer|transactional.id=t;transaction.two.phase.commit.enable=true",
        "producer|transactional.id=t;transaction.two.phase.commit.enable=true;transaction.timeout.ms=5", "producer|transaction.two.phase.commit.enable=true", "producer|transaction.timeout.ms=5",
        "producer|reconnect.backoff.ms=2000", "producer|reconnect.backoff.ms=20", "producer|reconnect.backoff.ms=2000;reconnect.backoff.max.ms=1000", "producer|retry.backoff.ms=2000", "producer|security.protocol=SASL_SSL", "producer|security.protocol=SASL_SSL;sasl.mechanism=",
        "producer|delivery.timeout.ms=30000", "producer|delivery.timeout.ms=30005", "producer|linger.ms=100000", "producer|no.such.setting=1",
        "consumer|", "consumer|bootstrap.servers=", "consumer|enable.auto.commit=true", "consumer|enable.auto.commit=false", "consumer|group.id=g", "consumer|group.id=g;enable.auto.commit=true", "consumer|group.id=g;group.instance.id=i", "consumer|group.id=g;group.instance.id=a b",
        "consumer|group.id=g;group.instance.id=..", "consumer|group.id=g;client.id=c", "consumer|group.id=", "consumer|group.id=g;group.protocol=consumer", "consumer|group.id=g;group.protocol=CONSUMER", "consumer|group.id=g;group.protocol=consumer;session.timeout.ms=5",
        "consumer|group.id=g;group.protocol=consumer;heartbeat.interval.ms=5", "consumer|group.id=g;group.protocol=consumer;partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor", "consumer|group.id=g;group.protocol=consumer;group.remote.assignor=range",
        "consumer|group.id=g;group.remote.assignor=range", "consumer|group.protocol=bogus", "consumer|share.acquire.mode=record_limit", "consumer|isolation.level=read_committed", "consumer|reconnect.backoff.ms=2000", "consumer|session.timeout.ms=1;heartbeat.interval.ms=5",
        "consumer|max.poll.interval.ms=0", "consumer|partition.assignment.strategy=", "consumer|fetch.min.bytes=-1", "consumer|security.protocol=SASL_PLAINTEXT;sasl.mechanism=PLAIN", "consumer|client.id=",
        "admin|", "admin|bootstrap.servers=", "admin|bootstrap.servers=;bootstrap.controllers=h:1", "admin|bootstrap.controllers=h:1", "admin|retries=-1", "admin|security.protocol=SASL_SSL;sasl.mechanism=", "admin|reconnect.backoff.ms=7", "admin|default.api.timeout.ms=1;request.timeout.ms=2"};
    static final Map<String, List<String>> FOLLOWING = Map.of(
        "producer", List.of("acks", "enable.idempotence", "client.id", "reconnect.backoff.max.ms", "retry.backoff.max.ms"),
        "consumer", List.of("enable.auto.commit", "client.id", "reconnect.backoff.max.ms", "group.id", "isolation.level"),
        "admin", List.of("client.id", "reconnect.backoff.max.ms"));

    public static void main(String[] arguments) throws Exception {
        List<Object> out = new ArrayList<>();
        for (String one : CASES) {
            String kind = one.substring(0, one.indexOf('|'));
            String[] parts = one.substring(kind.length() + 1).split("#", -1);
            Map<String, Object> entry = new TreeMap<>();
            entry.put("case", one);
            try {
                entry.put("following", take(kind, plain(parts[0], kind), parts.length > 1 ? plain(parts[1], "") : Map.of()));
                entry.put("refused", false);
            } catch (RuntimeException refusal) {
                entry.put("refused", true);
                if (arguments.length > 1) System.err.println(one + " -> " + refusal);
            }
            out.add(entry);
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    static Map<String, Object> take(String kind, Map<String, String> settings, Map<String, String> before) {
        KafkaConfig node = KafkaConfig.fromProps(properties(plain(NODE + (kind.equals("tiered") ? ";remote.log.storage.system.enable=true" : ""), "")));
        switch (kind) {
            case "topic", "tiered" -> LogConfig.validate(before, settings, node.extractLogConfigMap(), kind.equals("tiered"));
            case "group" -> GroupConfig.validate(settings, node.groupCoordinatorConfig(), node.shareGroupConfig());
            case "client-metrics" -> ClientMetricsConfigs.validate("subscription", settings);
            default -> {
                AbstractConfig config = kind.equals("producer") ? new ProducerConfig(new HashMap<>(settings))
                    : kind.equals("consumer") ? new ConsumerConfig(new HashMap<>(settings)) : new AdminClientConfig(new HashMap<>(settings));
                Map<String, Object> following = new TreeMap<>();
                for (String name : FOLLOWING.get(kind)) {
                    Object value = config.values().get(name);
                    // A counter of the Java process ends the names that it makes up.
                    following.put(name, name.equals("client.id") ? String.valueOf(value).replaceAll("-\\d+$", "-N") : value);
                }
                return following;
            }
        }
        return Map.of();
    }

    static Properties properties(Map<String, String> settings) {
        Properties out = new Properties();
        out.putAll(settings);
        return out;
    }

    static Map<String, String> plain(String text, String kind) {
        Map<String, String> out = new TreeMap<>();
        String java = "org.apache.kafka.common.serialization.ByteArray";
        if (FOLLOWING.containsKey(kind)) out.put("bootstrap.servers", "h:1");
        if (kind.equals("producer")) for (String part : List.of("key", "value")) out.put(part + ".serializer", java + "Serializer");
        if (kind.equals("consumer")) for (String part : List.of("key", "value")) out.put(part + ".deserializer", java + "Deserializer");
        for (String pair : text.split(";")) if (!pair.isEmpty()) out.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        return out;
    }
}
