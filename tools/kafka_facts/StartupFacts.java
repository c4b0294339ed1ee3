// Prints whether Kafka would start with a given set of static settings, as far as its checks of settings against one another
// go. Each case changes one of three sound nodes. The answer is whether it is refused, and which settings the refusal names.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import kafka.server.KafkaConfig;

public class StartupFacts {
    static final Map<String, String> NODES = new LinkedHashMap<>(Map.of(
        "broker", "process.roles=broker;node.id=1;controller.listener.names=C;controller.quorum.voters=2@h:9093;"
            + "listeners=PLAINTEXT://h:9092;listener.security.protocol.map=C:PLAINTEXT,PLAINTEXT:PLAINTEXT,E:SSL,S:SASL_PLAINTEXT",
        "controller", "process.roles=controller;node.id=1;controller.listener.names=C;controller.quorum.voters=1@h:9093;"
            + "listeners=C://h:9093;listener.security.protocol.map=C:PLAINTEXT,PLAINTEXT:PLAINTEXT,D:PLAINTEXT",
        "combined", "process.roles=broker,controller;node.id=1;controller.listener.names=C;controller.quorum.voters=1@h:9093;"
            + "listeners=PLAINTEXT://h:9092,C://h:9093;listener.security.protocol.map=C:PLAINTEXT,PLAINTEXT:PLAINTEXT,D:PLAINTEXT"));

    // node | changes; an empty value removes the setting
    static final String[] CASES = {
        "broker|", "controller|", "combined|",
        "broker|node.id=", "broker|node.id=-1", "broker|process.roles=", "broker|process.roles=bogus", "broker|process.roles=broker,broker",
        "broker|node.id=;broker.id=1", "broker|broker.id=1", "broker|broker.id=2", "broker|broker.id=-1", "broker|controller.listener.names=",
        "broker|controller.quorum.voters=", "broker|controller.quorum.voters=;controller.quorum.bootstrap.servers=h:9093",
        "broker|controller.quorum.bootstrap.servers=h:9093", "broker|controller.quorum.voters=1@h:9093", "broker|controller.quorum.voters=2@h",
        "broker|controller.quorum.voters=2@h:9093,2@i:9093", "broker|controller.quorum.voters=-2@h:9093", "broker|controller.quorum.voters=2@0.0.0.0:0",
        "broker|controller.listener.names=PLAINTEXT", "broker|controller.listener.names=C,D", "broker|controller.listener.names=X",
        "broker|controller.listener.names=C,X", "broker|controller.listener.names=c", "broker|listener.security.protocol.map=PLAINTEXT:PLAINTEXT",
        "broker|listener.security.protocol.map=", "broker|listener.security.protocol.map=;controller.listener.names=CONTROLLER",
        "broker|listener.security.protocol.map=C:BOGUS,PLAINTEXT:PLAINTEXT", "broker|listener.security.protocol.map=C:plaintext,PLAINTEXT:PLAINTEXT",
        "broker|listener.security.protocol.map=C:PLAINTEXT", "broker|listener.security.protocol.map=C", "broker|listener.security.protocol.map=C:PLAINTEXT,C:SSL,PLAINTEXT:PLAINTEXT",
        "broker|listeners=", "broker|listeners=PLAINTEXT://:9092", "broker|listeners=PLAINTEXT://0.0.0.0:9092", "broker|listeners=PLAINTEXT://h:-1",
        "broker|listeners=PLAINTEXT://h:9092,PLAINTEXT://h:9093", "broker|listeners=PLAINTEXT://h:9092,E://h:9092", "broker|listeners=PLAINTEXT://h:9092,E://h:9094",
        "broker|listeners=PLAINTEXT://h:0,E://h:0", "broker|listeners=PLAINTEXT://127.0.0.1:9092,E://[::1]:9092", "broker|listeners=PLAINTEXT://127.0.0.1:9092,E://127.0.0.2:9092",
        "broker|listeners=PLAINTEXT://[::1]:9092", "broker|listeners=h:9092", "broker|listeners=PLAINTEXT://h", "broker|listeners=PLAINTEXT://h:x",
        "broker|listeners=X://h:9092", "broker|listeners=plaintext://h:9092", "broker|listeners=PLAINTEXT://h:99999", "broker|listeners=PLAINTEXT://h:9092,",
        "broker|listeners=PLAINTEXT://h_h:9092", "broker|listeners=PLAINTEXT://::1:9092", "broker|listeners=://h:9092", "broker|listeners=PLAINTEXT://h:9092, E://h:9094",
        "broker|listeners=E://h:9094", "broker|listeners=E://h:9094;inter.broker.listener.name=E", "broker|listeners=E://h:9094;security.inter.broker.protocol=SSL",
        "broker|inter.broker.listener.name=PLAINTEXT", "broker|inter.broker.listener.name=plaintext", "broker|inter.broker.listener.name=E", "broker|inter.broker.listener.name=X",
        "broker|inter.broker.listener.name=PLAINTEXT;security.inter.broker.protocol=PLAINTEXT", "broker|inter.broker.listener.name=C",
        "broker|security.inter.broker.protocol=BOGUS", "broker|advertised.listeners=PLAINTEXT://h:1", "broker|advertised.listeners=PLAINTEXT://0.0.0.0:1",
        "broker|advertised.listeners=E://h:1", "broker|advertised.listeners=PLAINTEXT://h:1,E://h:2", "broker|advertised.listeners=PLAINTEXT://h:1,C://h:2",
        "broker|advertised.listeners=PLAINTEXT://:1", "broker|listeners=PLAINTEXT://0.0.0.0:1;advertised.listeners=PLAINTEXT://h:1",
        "broker|listeners=PLAINTEXT://h:1,E://h:2;advertised.listeners=PLAINTEXT://x:5,E://x:5", "broker|listeners=PLAINTEXT://h:1,E://h:2;advertised.listeners=PLAINTEXT://x:5",
        "broker|listeners=PLAINTEXT://h:1,E://h:2;advertised.listeners=E://x:5", "broker|listeners=PLAINTEXT://h:1,E://h:2;advertised.listeners=PLAINTEXT://x:5,PLAINTEXT://x:6",
        "broker|early.start.listeners=PLAINTEXT", "broker|early.start.listeners=X", "broker|early.start.listeners=C", "broker|early.start.listeners=plaintext",
        "broker|log.roll.ms=0", "broker|log.roll.ms=-5;log.roll.hours=1", "broker|log.roll.jitter.ms=-1", "broker|log.retention.ms=0", "broker|log.retention.ms=-1", "broker|log.retention.ms=-7",
        "broker|log.retention.hours=0", "broker|log.retention.hours=-1", "broker|log.retention.hours=-5", "broker|log.retention.minutes=0", "broker|log.retention.minutes=-1;log.retention.hours=4",
        "broker|log.dirs=/a,/b", "broker|log.dirs=/a,/a", "broker|log.dirs= , ", "broker|log.dir=/a,/b", "broker|log.cleaner.dedupe.buffer.size=1048576", "broker|log.cleaner.dedupe.buffer.size=1048577",
        "broker|log.cleaner.dedupe.buffer.size=2097153;log.cleaner.threads=2", "broker|log.cleaner.dedupe.buffer.size=2097154;log.cleaner.threads=2", "broker|log.cleaner.threads=0",
        "broker|replica.fetch.wait.max.ms=30001", "broker|replica.fetch.wait.max.ms=30000", "broker|replica.fetch.wait.max.ms=600;replica.socket.timeout.ms=500", "broker|replica.fetch.wait.max.ms=600;replica.lag.time.max.ms=500",
        "broker|queued.max.request.bytes=1000", "broker|queued.max.request.bytes=0", "broker|queued.max.request.bytes=104857600", "broker|max.connections.per.ip=0",
        "broker|max.connections.per.ip=0;max.connections.per.ip.overrides=127.0.0.1:100", "broker|max.connections.per.ip.overrides=h:1,i:2", "broker|max.connections.per.ip.overrides=h",
        "broker|max.connections.per.ip.overrides=h:x", "broker|max.connections.per.ip.overrides=h~:1", "broker|max.connections.per.ip.overrides=[::1]:5",
        "broker|connection.failed.authentication.delay.ms=600000", "broker|connection.failed.authentication.delay.ms=599999", "broker|connections.max.idle.ms=-1;connection.failed.authentication.delay.ms=999999",
        "broker|connections.max.idle.ms=50", "broker|listeners=S://h:1;inter.broker.listener.name=S", "broker|listeners=S://h:1;inter.broker.listener.name=S;sasl.mechanism.inter.broker.protocol=PLAIN",
        "broker|listeners=S://h:1;inter.broker.listener.name=S;sasl.mechanism.inter.broker.protocol=PLAIN;sasl.enabled.mechanisms=PLAIN",
        "broker|listeners=S://h:1;inter.broker.listener.name=S;sasl.mechanism.inter.broker.protocol=PLAIN;listener.name.s.sasl.enabled.mechanisms=PLAIN",
        "broker|cordoned.log.dirs=*", "broker|cordoned.log.dirs=/tmp/kafka-logs", "broker|cordoned.log.dirs=/x", "broker|cordoned.log.dirs=*,/tmp/kafka-logs", "broker|log.dirs=/a,/b;cordoned.log.dirs=/a",
        "broker|group.coordinator.rebalance.protocols=classic", "broker|group.coordinator.rebalance.protocols=consumer", "broker|group.coordinator.rebalance.protocols=classic,share",
        "broker|group.consumer.heartbeat.interval.ms=4000", "broker|group.consumer.heartbeat.interval.ms=20000", "broker|group.consumer.min.heartbeat.interval.ms=16000",
        "broker|group.consumer.session.timeout.ms=44999", "broker|group.consumer.session.timeout.ms=60001", "broker|group.consumer.min.session.timeout.ms=61000",
        "broker|group.consumer.min.session.timeout.ms=5000;group.consumer.session.timeout.ms=5000", "broker|group.consumer.min.session.timeout.ms=5001;group.consumer.session.timeout.ms=5001",
        "broker|group.consumer.assignors=uniform", "broker|group.consumer.assignors=bogus", "broker|group.consumer.assignors=range", "broker|group.consumer.assignment.interval.ms=15001", "broker|group.consumer.min.assignment.interval.ms=1001",
        "broker|group.share.heartbeat.interval.ms=4000", "broker|group.share.heartbeat.interval.ms=20000", "broker|group.share.session.timeout.ms=44000", "broker|group.share.session.timeout.ms=61000", "broker|group.share.min.session.timeout.ms=61000",
        "broker|group.share.min.heartbeat.interval.ms=16000", "broker|group.share.record.lock.duration.ms=14000", "broker|group.share.record.lock.duration.ms=61000", "broker|group.share.delivery.count.limit=2",
        "broker|group.share.max.delivery.count.limit=5;group.share.delivery.count.limit=6", "broker|group.share.partition.max.record.locks=4001", "broker|group.share.partition.max.record.locks=100",
        "broker|group.share.min.session.timeout.ms=5000;group.share.session.timeout.ms=5000", "broker|group.share.assignors=simple", "broker|group.share.assignors=bogus", "broker|group.share.assignors=simple,simple2", "broker|group.share.max.share.sessions=100;group.share.max.size=200",
        "broker|group.share.assignment.interval.ms=15001", "broker|group.streams.heartbeat.interval.ms=4000", "broker|group.streams.heartbeat.interval.ms=16000", "broker|group.streams.session.timeout.ms=44000",
        "broker|group.streams.session.timeout.ms=61000", "broker|group.streams.min.session.timeout.ms=61000", "broker|group.streams.num.standby.replicas=3", "broker|group.streams.assignment.interval.ms=15001",
        "broker|group.streams.min.session.timeout.ms=5000;group.streams.session.timeout.ms=5000", "broker|group.streams.min.heartbeat.interval.ms=16000",
        "broker|group.min.session.timeout.ms=1800001", "broker|broker.heartbeat.interval.ms=9001", "broker|broker.session.timeout.ms=1000", "broker|offsets.topic.compression.codec=9", "broker|offsets.topic.compression.codec=4",
        "broker|offset.metadata.max.bytes=-1", "broker|principal.builder.class=java.lang.String", "broker|transaction.state.log.min.isr=5", "broker|share.coordinator.state.topic.compression.codec=9",
        "broker|remote.log.storage.system.enable=true", "broker|remote.log.storage.system.enable=true;remote.log.storage.manager.class.name=X", "broker|metrics.recording.level=BOGUS",
        "broker|controller.quorum.auto.join.enable=true", "broker|zookeeper.connect=h:2181", "broker|some.setting.of.ours=1", "broker|log.message.timestamp.before.max.ms=5", "broker|message.max.bytes=0",
        "broker|num.partitions=3", "broker|default.replication.factor=0", "broker|default.replication.factor=-1", "broker|ssl.client.auth=required", "broker|log.segment.bytes=1048575", "broker|unclean.leader.election.enable=yes",
        "broker|metadata.log.segment.ms=-1", "broker|delegation.token.expiry.time.ms=604800001", "broker|producer.id.expiration.ms=0", "broker|sasl.server.max.receive.size=-1", "broker|request.timeout.ms=-1", "broker|socket.receive.buffer.bytes=-1",
        "controller|node.id=2", "controller|controller.quorum.voters=", "controller|controller.quorum.voters=;controller.quorum.bootstrap.servers=h:9093", "controller|controller.listener.names=",
        "controller|controller.listener.names=D", "controller|controller.listener.names=C,D", "controller|listeners=C://h:9093,D://h:9094", "controller|listeners=C://h:9093,D://h:9094;controller.listener.names=C,D",
        "controller|listeners=C://h:9093,PLAINTEXT://h:9092", "controller|listeners=", "controller|listeners=PLAINTEXT://h:9092", "controller|listeners=C://0.0.0.0:9093", "controller|listeners=C://:9093", "controller|inter.broker.listener.name=PLAINTEXT",
        "controller|inter.broker.listener.name=C", "controller|advertised.listeners=C://h:9093", "controller|advertised.listeners=C://0.0.0.0:9093", "controller|advertised.listeners=PLAINTEXT://h:9092", "controller|advertised.listeners=D://h:9",
        "controller|controller.quorum.auto.join.enable=true", "controller|controller.quorum.auto.join.enable=true;controller.quorum.voters=;controller.quorum.bootstrap.servers=h:9093", "controller|early.start.listeners=C", "controller|early.start.listeners=X", "controller|log.dirs=/a,/b",
        "combined|node.id=2", "combined|controller.quorum.voters=", "combined|controller.quorum.voters=;controller.quorum.bootstrap.servers=h:9093", "combined|controller.listener.names=", "combined|controller.listener.names=D",
        "combined|controller.listener.names=C,D", "combined|controller.listener.names=C,PLAINTEXT", "combined|listeners=C://h:9093", "combined|listeners=PLAINTEXT://h:9092", "combined|inter.broker.listener.name=C", "combined|inter.broker.listener.name=PLAINTEXT",
        "combined|advertised.listeners=PLAINTEXT://h:9092", "combined|advertised.listeners=PLAINTEXT://h:9092,C://h:9093", "combined|advertised.listeners=C://h:9093", "combined|advertised.listeners=PLAINTEXT://h:9092,C://0.0.0.0:9093", "combined|advertised.listeners=PLAINTEXT://h:9092,D://h:1",
        "combined|listeners=PLAINTEXT://h:9092,C://0.0.0.0:9093", "combined|listeners=PLAINTEXT://h:9092,C://:9093", "combined|early.start.listeners=C,PLAINTEXT", "combined|metadata.log.dir=/m", "combined|process.roles=controller,broker", "combined|process.roles= broker , controller "};

    public static void main(String[] arguments) throws Exception {
        List<Object> out = new ArrayList<>();
        for (String one : CASES) {
            Map<String, String> settings = new TreeMap<>();
            String[] parts = one.split("\\|", 2);
            apply(settings, NODES.get(parts[0]));
            apply(settings, parts[1]);
            Properties properties = new Properties();
            properties.putAll(settings);
            Map<String, Object> entry = new TreeMap<>();
            entry.put("settings", settings);
            entry.put("case", one);
            try {
                KafkaConfig.fromProps(properties);
                entry.put("refused", null);
            } catch (RuntimeException refusal) {
                // The sentence is Kafka's own; what is kept of it is which settings it speaks of.
                Set<String> named = new TreeSet<>();
                for (String word : String.valueOf(refusal.getMessage()).split("[^a-z.]+"))
                    if (KafkaConfig.configDef().names().contains(word.replaceAll("\\.$", ""))) named.add(word.replaceAll("\\.$", ""));
                entry.put("refused", named);
                if (arguments.length > 1) System.err.println(one + " -> " + refusal);
            }
            out.add(entry);
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    static void apply(Map<String, String> settings, String changes) {
        for (String change : changes.split(";")) {
            if (change.isEmpty()) continue;
            String[] pair = change.split("=", 2);
            if (pair[1].isEmpty()) settings.remove(pair[0]); else settings.put(pair[0], pair[1]);
        }
    }
}
