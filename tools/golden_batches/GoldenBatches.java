// Writes batches with Kafka's own MemoryRecordsBuilder: java -cp 'libs/*' GoldenBatches.java RECORDS.json DIRECTORY
// Prints one JSON line for each file: what the builder was told, for the tests to compare with.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.common.utils.ByteBufferOutputStream;

public class GoldenBatches {
    static final ObjectMapper JSON = new ObjectMapper();
    static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    static JsonNode sets;
    static Path out;

    public static void main(String[] args) throws Exception {
        sets = JSON.readTree(Path.of(args[0]).toFile());
        out = Path.of(args[1]);
        for (String set : List.of("plain", "headers", "large"))
            for (String codec : CODECS)
                if (!set.equals("large") || !codec.equals("none"))
                    write(set + "-" + codec, new Spec(set).codec(codec));
        write("gzip-level-1", new Spec("plain").compression(Compression.gzip().level(1).build()));
        write("lz4-level-17", new Spec("large").compression(Compression.lz4().level(17).build()));
        write("zstd-level-22", new Spec("plain").compression(Compression.zstd().level(22).build()));
        write("idempotent", new Spec("plain").producer(1L << 40, 7, Integer.MAX_VALUE - 2).place(1000, 12));
        write("transactional", new Spec("headers").producer(5, 0, 0).transactional().codec("zstd"));
        write("log-append-time", new Spec("plain").logAppendTime(1700000999999L));
        write("delete-horizon", new Spec("plain").horizon(1700009999999L).place(50, 3));
        write("compacted", new Spec("plain").place(100, 3).offsets(103, 104, 110, 150, 151).lastOffset(160));
        writeMarkers();
        writeQuorum();
        writeLegacy();
        writeEmpty();
    }

    /** What a builder is told. */
    static class Spec {
        final ObjectNode said = JSON.createObjectNode();
        final String set;
        Compression compression = Compression.NONE;
        long baseOffset = 0, producerId = -1, logAppendTime = -1, horizon = -1, lastOffset = -1;
        int leaderEpoch = -1, baseSequence = -1;
        short producerEpoch = -1;
        boolean transactional = false;
        long[] offsets = null;

        Spec(String set) {
            this.set = set;
            said.put("records", set);
        }

        Spec codec(String name) {
            return compression(Compression.of(name).build());
        }

        Spec compression(Compression chosen) {
            compression = chosen;
            said.put("codec", chosen.type().name);
            return this;
        }

        Spec producer(long id, int epoch, int sequence) {
            producerId = id;
            producerEpoch = (short) epoch;
            baseSequence = sequence;
            said.put("producer_id", id).put("producer_epoch", epoch).put("base_sequence", sequence);
            return this;
        }

        Spec place(long offset, int epoch) {
            baseOffset = offset;
            leaderEpoch = epoch;
            said.put("base_offset", offset).put("partition_leader_epoch", epoch);
            return this;
        }

        Spec transactional() {
            transactional = true;
            said.put("is_transactional", true);
            return this;
        }

        Spec logAppendTime(long time) {
            logAppendTime = time;
            said.put("log_append_time", time);
            return this;
        }

        Spec horizon(long time) {
            horizon = time;
            said.put("delete_horizon_ms", time);
            return this;
        }

        Spec offsets(long... chosen) {
            offsets = chosen;
            Arrays.stream(chosen).forEach(said.withArray("offsets")::add);
            return this;
        }

        Spec lastOffset(long offset) {
            lastOffset = offset;
            said.put("last_offset", offset);
            return this;
        }
    }

    static void write(String name, Spec spec) throws Exception {
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
            new ByteBufferOutputStream(1 << 20), (byte) 2, spec.compression,
            spec.logAppendTime == -1 ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME, spec.baseOffset,
            spec.logAppendTime, spec.producerId, spec.producerEpoch, spec.baseSequence, spec.transactional, false,
            spec.leaderEpoch, 1 << 20, spec.horizon);
        int at = 0;
        for (JsonNode record : sets.get(spec.set)) {
            long offset = spec.offsets == null ? spec.baseOffset + at : spec.offsets[at];
            builder.appendWithOffset(offset, record.get(0).asLong(), bytes(record.get(1)), bytes(record.get(2)),
                headers(record.get(3)));
            at++;
        }
        if (spec.lastOffset != -1)
            builder.overrideLastOffset(spec.lastOffset);
        save(name, builder.build().buffer(), spec.said);
    }

    static void writeMarkers() throws Exception {
        for (ControlRecordType type : List.of(ControlRecordType.ABORT, ControlRecordType.COMMIT)) {
            ObjectNode said = JSON.createObjectNode().put("control", type.name()).put("coordinator_epoch", 42)
                .put("base_offset", 77).put("partition_leader_epoch", 4).put("producer_id", 9001)
                .put("producer_epoch", 6).put("timestamp", 1700000000123L);
            save("marker-" + type.name().toLowerCase(), MemoryRecords.withEndTransactionMarker(
                77, 1700000000123L, 4, 9001, (short) 6, new EndTransactionMarker(type, 42)).buffer(), said);
        }
    }

    static void writeQuorum() throws Exception {
        quorum("LEADER_CHANGE", MemoryRecords.withLeaderChangeMessage(10, 1700000000123L, 5, room(), new LeaderChangeMessage()
            .setLeaderId(1).setVoters(List.of(new LeaderChangeMessage.Voter().setVoterId(1)))
            .setGrantingVoters(List.of(new LeaderChangeMessage.Voter().setVoterId(1)))));
        quorum("SNAPSHOT_HEADER", MemoryRecords.withSnapshotHeaderRecord(10, 1700000000123L, 5, room(),
            new SnapshotHeaderRecord().setLastContainedLogTimestamp(1700000000000L)));
        quorum("SNAPSHOT_FOOTER", MemoryRecords.withSnapshotFooterRecord(10, 1700000000123L, 5, room(),
            new SnapshotFooterRecord()));
        quorum("KRAFT_VERSION", MemoryRecords.withKRaftVersionRecord(10, 1700000000123L, 5, room(),
            new KRaftVersionRecord().setKRaftVersion((short) 1)));
        quorum("KRAFT_VOTERS", MemoryRecords.withVotersRecord(10, 1700000000123L, 5, room(), new VotersRecord().setVoters(
            List.of(new VotersRecord.Voter().setVoterId(1).setVoterDirectoryId(new Uuid(1, 2))
                .setEndpoints(new VotersRecord.EndpointCollection())
                .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature())))));
    }

    static void quorum(String type, MemoryRecords records) throws Exception {
        save("control-" + type.toLowerCase().replace('_', '-'), records.buffer(), JSON.createObjectNode()
            .put("control", type).put("base_offset", 10).put("partition_leader_epoch", 5)
            .put("timestamp", 1700000000123L));
    }

    static void writeLegacy() throws Exception {
        for (byte magic = 0; magic < 2; magic++)
            for (String codec : List.of("none", "gzip")) {
                List<SimpleRecord> records = new ArrayList<>();
                for (JsonNode record : sets.get("plain"))
                    records.add(new SimpleRecord(record.get(0).asLong(), bytes(record.get(1)), bytes(record.get(2))));
                MemoryRecords written = MemoryRecords.withRecords(magic, Compression.of(codec).build(),
                    records.toArray(new SimpleRecord[0]));
                save("magic-" + magic + "-" + codec, written.buffer(), JSON.createObjectNode().put("magic", magic));
            }
    }

    static void writeEmpty() throws Exception {
        ByteBuffer buffer = room();
        DefaultRecordBatch.writeEmptyHeader(buffer, (byte) 2, 31, (short) 2, 17, 500, 520, 8, TimestampType.CREATE_TIME,
            1700000000123L, true, false);
        buffer.flip();
        save("empty", buffer, JSON.createObjectNode().put("producer_id", 31).put("producer_epoch", 2)
            .put("base_sequence", 17).put("base_offset", 500).put("last_offset", 520).put("partition_leader_epoch", 8)
            .put("timestamp", 1700000000123L).put("is_transactional", true));
    }

    static ByteBuffer room() {
        return ByteBuffer.allocate(4096);
    }

    static byte[] bytes(JsonNode text) {
        if (text.isNull())
            return null;
        String whole = text.isArray() ? text.get(0).asText().repeat(text.get(1).asInt()) : text.asText();
        return whole.getBytes(StandardCharsets.UTF_8);
    }

    static Header[] headers(JsonNode pairs) {
        List<Header> headers = new ArrayList<>();
        for (JsonNode pair : pairs)
            headers.add(new RecordHeader(pair.get(0).asText(), bytes(pair.get(1))));
        return headers.toArray(new Header[0]);
    }

    static void save(String name, ByteBuffer buffer, ObjectNode said) throws Exception {
        byte[] batch = new byte[buffer.remaining()];
        buffer.duplicate().get(batch);
        Files.write(out.resolve("java-" + name + ".batch"), batch);
        said.put("file", "java-" + name + ".batch").put("client", "Apache Kafka's Java client " + AppInfoParser.getVersion());
        System.out.println(JSON.writeValueAsString(said));
    }
}
