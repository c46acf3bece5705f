import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.MutableRecordBatch;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.apache.kafka.common.utils.Time;

/**
 * Record batches and message sets by Kafka's own classes, and Kafka's reading of any. A line of JSON each:
 * {"name", "hex", "batches": [{header fields, "records": [{"offset", "timestamp", "key", "value", "headers"}]}]}, with keys
 * and values as base64, or {"name", "hex", "objection": TEXT} where Kafka refuses to read them.
 *
 *   java -cp 'JARS/*' RecordVectors.java make          the vectors
 *   java -cp 'JARS/*' RecordVectors.java read < FILE   Kafka's reading of lines "NAME HEX"
 *
 * JARS: Kafka 3.9.x, the last release that writes formats 0 and 1.
 */
public class RecordVectors {
    static final long BASE = 1_700_000_000_000L;
    static final long APPEND_TIME = BASE + 99;
    static final int LARGEST = 1 << 20;
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    static final Header[] NONE = new Header[0];
    static final List<CompressionType> CODECS = List.of(CompressionType.NONE, CompressionType.GZIP, CompressionType.SNAPPY,
        CompressionType.LZ4, CompressionType.ZSTD);
    static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    /** Everything about a batch but its records. */
    record Frame(int magic, CompressionType codec, TimestampType type, long baseOffset, long producerId, short epoch,
        int sequence, boolean transactional, int leaderEpoch, long deleteHorizonMs) {
        static Frame plain(int magic, CompressionType codec, long baseOffset) {
            TimestampType type = magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME;
            if (magic < 2) return new Frame(magic, codec, type, baseOffset, -1, (short) -1, -1, false, -1, -1);
            return new Frame(magic, codec, type, baseOffset, 4711L, (short) 3, 17, false, 5, -1);
        }

        Frame of(TimestampType other) {
            return new Frame(magic, codec, other, baseOffset, producerId, epoch, sequence, transactional, leaderEpoch, -1);
        }
    }

    record At(long offset, SimpleRecord record) { }

    static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Offsets in a row from the base offset. */
    static List<At> inRow(long baseOffset, List<SimpleRecord> records) {
        List<At> list = new ArrayList<>();
        for (SimpleRecord record : records) list.add(new At(baseOffset + list.size(), record));
        return list;
    }

    static List<SimpleRecord> basic(int magic) {
        Header[] headers = magic < 2 ? NONE : new Header[] {
            new RecordHeader("h1", utf8("x")), new RecordHeader("h1", (byte[]) null), new RecordHeader("é", utf8("")) };
        return List.of(
            new SimpleRecord(BASE, utf8("k0"), utf8("v0"), headers),
            new SimpleRecord(BASE + 70_000, null, utf8(""), NONE),
            new SimpleRecord(BASE - 5, utf8(""), null, NONE),
            new SimpleRecord(BASE + 1, utf8("k3"), utf8("abcdefghij".repeat(30)), NONE));
    }

    /** Deltas of time and offset beyond 2^31 and below zero; for magic 2 alone. */
    static List<At> wide(long baseOffset) {
        return List.of(
            new At(baseOffset, new SimpleRecord(BASE, utf8("first"), utf8("0"), NONE)),
            new At(baseOffset + 1, new SimpleRecord(BASE + 3_000_000_000L, utf8("later"), utf8("1"), NONE)),
            new At(baseOffset + 70_000, new SimpleRecord(BASE - 1_600_000_000_000L, utf8("earlier"), utf8("2"), NONE)),
            new At(baseOffset + 2_000_000_000, new SimpleRecord(0, utf8("epoch"), utf8("3"), NONE)),
            new At(baseOffset + Integer.MAX_VALUE, new SimpleRecord(9_007_199_254_740_000L, utf8("last"), null, NONE)));
    }

    /** More than one block of every codec, compressible and not. */
    static List<SimpleRecord> large(int magic) {
        Random random = new Random(20);
        byte[] noise = new byte[3_000];
        random.nextBytes(noise);
        List<SimpleRecord> list = new ArrayList<>();
        list.add(new SimpleRecord(BASE, utf8("noise"), noise, NONE));
        list.add(new SimpleRecord(BASE + 1, utf8("zeros"), new byte[150_000], NONE));
        for (int at = 0; at < 150; at++)
            list.add(new SimpleRecord(BASE + at, utf8("key-" + at % 7), utf8("value number " + at + " of many"), NONE));
        return list;
    }

    static List<SimpleRecord> headers() {
        List<Header> many = new ArrayList<>();
        for (int at = 0; at < 200; at++) many.add(new RecordHeader("header-" + at, at % 5 == 0 ? null : utf8("x".repeat(at))));
        return List.of(
            new SimpleRecord(BASE, utf8(null), null, many.toArray(NONE)),
            new SimpleRecord(BASE, utf8(null), null, new Header[] { new RecordHeader("", new byte[0]) }),
            new SimpleRecord(BASE, utf8("键"), utf8("值"), new Header[] { new RecordHeader("名-😀", utf8("ü")) }));
    }

    static MemoryRecords build(Frame frame, List<At> records) {
        ByteBufferOutputStream stream = new ByteBufferOutputStream(1024);
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(stream, (byte) frame.magic, Compression.of(frame.codec).build(),
            frame.type, frame.baseOffset, APPEND_TIME, frame.producerId, frame.epoch, frame.sequence, frame.transactional, false,
            frame.leaderEpoch, LARGEST, frame.deleteHorizonMs);
        for (At at : records) {
            SimpleRecord record = at.record;
            long timestamp = frame.magic == 0 ? -1 : record.timestamp();
            builder.appendWithOffset(at.offset, timestamp, record.key(), record.value(), record.headers());
        }
        return builder.build();
    }

    static ObjectNode line(String name, byte[] bytes) {
        ObjectNode line = NODES.objectNode();
        line.put("name", name).put("hex", HexFormat.of().formatHex(bytes));
        try {
            line.set("batches", reading(MemoryRecords.readableRecords(ByteBuffer.wrap(bytes))));
        } catch (RuntimeException refusal) {
            line.put("objection", refusal.toString());
        }
        return line;
    }

    static ArrayNode reading(MemoryRecords records) {
        ArrayNode batches = NODES.arrayNode();
        for (MutableRecordBatch batch : records.batches()) {
            batch.ensureValid();
            ObjectNode node = batches.addObject();
            node.put("magic", batch.magic()).put("codec", batch.compressionType().name).put("sizeInBytes", batch.sizeInBytes());
            node.put("timestampType", batch.timestampType().name).put("baseOffset", batch.baseOffset());
            node.put("lastOffset", batch.lastOffset()).put("maxTimestamp", batch.maxTimestamp());
            if (batch.magic() == 2) {
                node.put("producerId", batch.producerId()).put("producerEpoch", batch.producerEpoch());
                node.put("baseSequence", batch.baseSequence()).put("lastSequence", batch.lastSequence());
                node.put("isTransactional", batch.isTransactional()).put("isControl", batch.isControlBatch());
                node.put("partitionLeaderEpoch", batch.partitionLeaderEpoch());
                node.put("deleteHorizonMs", batch.deleteHorizonMs().isPresent() ? batch.deleteHorizonMs().getAsLong() : -1);
            }
            ArrayNode list = node.putArray("records");
            for (Record record : batch) {
                ObjectNode each = list.addObject();
                each.put("offset", record.offset()).put("timestamp", record.timestamp());
                each.put("key", bytes(record.key())).put("value", bytes(record.value()));
                ArrayNode headers = each.putArray("headers");
                for (Header header : record.headers())
                    headers.addObject().put("key", header.key()).put("value", header.value());
                if (batch.isControlBatch()) each.put("controlType", ControlRecordType.parse(record.key()).toString());
            }
        }
        return batches;
    }

    static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) return null;
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }

    static void print(String name, MemoryRecords records) {
        OUT.println(line(name, bytes(records.buffer())));
    }

    static void makeBatches() {
        for (CompressionType codec : CODECS) {
            Frame frame = Frame.plain(2, codec, 100);
            MemoryRecords basic = build(frame, inRow(100, basic(2)));
            print("v2-" + codec.name, basic);
            print("v2-append-time-" + codec.name, build(frame.of(TimestampType.LOG_APPEND_TIME), inRow(100, basic(2))));
            Frame wide = Frame.plain(2, codec, 9_000_000_000L);
            print("v2-wide-" + codec.name, build(wide, wide(wide.baseOffset)));
            print("v2-large-" + codec.name, build(frame, inRow(100, large(2))));
            print("v2-headers-" + codec.name, build(frame, inRow(100, headers())));
            print("v2-one-" + codec.name, build(frame, inRow(100, List.of(new SimpleRecord(-1L, utf8(null), null, NONE)))));
            Frame extremes = new Frame(2, codec, TimestampType.CREATE_TIME, 0, (1L << 53) - 2, Short.MAX_VALUE,
                Integer.MAX_VALUE - 1, true, Integer.MAX_VALUE, -1);
            print("v2-transactional-" + codec.name, build(extremes, inRow(0, basic(2))));
            if (codec == CompressionType.ZSTD) continue;
            for (int magic : new int[] { 0, 1 }) {
                Frame legacy = Frame.plain(magic, codec, 0);
                print("v" + magic + "-" + codec.name, build(legacy, inRow(0, basic(magic))));
                print("v" + magic + "-large-" + codec.name, build(legacy, inRow(0, large(magic))));
                print("v" + magic + "-one-" + codec.name, build(legacy, inRow(0, List.of(new SimpleRecord(-1L, utf8(null), null, NONE)))));
                print("down-v" + magic + "-" + codec.name, basic.downConvert((byte) magic, 102, Time.SYSTEM).records());
            }
            print("v1-append-time-" + codec.name,
                build(Frame.plain(1, codec, 0).of(TimestampType.LOG_APPEND_TIME), inRow(0, basic(1))));
        }
        Frame horizon = new Frame(2, CompressionType.NONE, TimestampType.CREATE_TIME, 8, -1, (short) -1, -1, false, 6, BASE + 7);
        print("v2-delete-horizon", build(horizon, inRow(8, basic(2))));
        ByteBuffer empty = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(empty, (byte) 2, 4711L, (short) 3, 17, 50, 59, 5, TimestampType.CREATE_TIME, BASE,
            true, false);
        print("v2-emptied", MemoryRecords.readableRecords(empty.flip()));
        ByteBuffer joined = ByteBuffer.allocate(LARGEST);
        for (CompressionType codec : CODECS)
            joined.put(build(Frame.plain(2, codec, 1000L * codec.id), inRow(1000L * codec.id, basic(2))).buffer());
        print("v2-many", MemoryRecords.readableRecords(joined.flip()));
    }

    static void makeControlBatches() {
        for (ControlRecordType type : new ControlRecordType[] { ControlRecordType.COMMIT, ControlRecordType.ABORT })
            print(type.toString().toLowerCase() + "-marker",
                MemoryRecords.withEndTransactionMarker(50, BASE, 5, 4711L, (short) 3, new EndTransactionMarker(type, 12)));
        LeaderChangeMessage change = new LeaderChangeMessage().setLeaderId(3)
            .setVoters(List.of(new LeaderChangeMessage.Voter().setVoterId(3), new LeaderChangeMessage.Voter().setVoterId(4)));
        print("leader-change", MemoryRecords.withLeaderChangeMessage(50, BASE, 5, ByteBuffer.allocate(512), change));
        print("snapshot-header", MemoryRecords.withSnapshotHeaderRecord(0, BASE, 5, ByteBuffer.allocate(512),
            new SnapshotHeaderRecord().setLastContainedLogTimestamp(BASE)));
        print("snapshot-footer", MemoryRecords.withSnapshotFooterRecord(9, BASE, 5, ByteBuffer.allocate(512),
            new SnapshotFooterRecord()));
        print("kraft-version", MemoryRecords.withKRaftVersionRecord(1, BASE, 5, ByteBuffer.allocate(512),
            new KRaftVersionRecord().setKRaftVersion((short) 1)));
        print("voters", MemoryRecords.withVotersRecord(2, BASE, 5, ByteBuffer.allocate(512), new VotersRecord()
            .setVoters(List.of(new VotersRecord.Voter().setVoterId(1).setVoterDirectoryId(new Uuid(1, 2))))));
    }

    static void read() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split(" ");
            OUT.println(line(parts[0], HexFormat.of().parseHex(parts[1])));
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("read")) read();
        else {
            makeBatches();
            makeControlBatches();
        }
        OUT.flush();
    }
}
