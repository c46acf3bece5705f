// Record batches and message sets by Kafka's own classes, and Kafka's reading of ours. One line each: name, space, hex.
//
//   java -cp 'JARS/*' RecordVectors.java make  > protocol/vectors/records/batches.txt
//   java -cp 'JARS/*' RecordVectors.java check < FILE      prints every record that Kafka reads, or what it objects to
//
// JARS: kafka-clients 3.9.x, the last release that writes formats 0 and 1, with its snappy, lz4 and zstd libraries.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.MutableRecordBatch;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Time;

public class RecordVectors {
    static final long BASE = 1_700_000_000_000L;

    static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    static List<SimpleRecord> records(int magic) {
        Header[] headers = magic < 2 ? new Header[0] : new Header[] {
            new RecordHeader("h1", utf8("x")), new RecordHeader("h1", (byte[]) null), new RecordHeader("é", utf8("")) };
        Header[] none = new Header[0];
        List<SimpleRecord> list = new ArrayList<>();
        list.add(new SimpleRecord(BASE, utf8("k0"), utf8("v0"), headers));
        list.add(new SimpleRecord(BASE + 70_000, null, utf8(""), none));
        list.add(new SimpleRecord(BASE - 5, utf8(""), null, none));
        list.add(new SimpleRecord(BASE + 1, utf8("k3"), utf8("abcdefghij".repeat(30)), none));
        return list;
    }

    static MemoryRecords build(int magic, CompressionType codec, TimestampType type, long baseOffset) {
        Compression compression = Compression.of(codec).build();
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(4096), (byte) magic, compression, type,
            baseOffset, BASE + 99, 4711L, (short) 3, 17, false, false, 5);
        if (magic < 2) {
            builder = MemoryRecords.builder(ByteBuffer.allocate(4096), (byte) magic, compression, type, baseOffset, BASE + 99);
        }
        for (SimpleRecord record : records(magic)) {
            if (magic == 0) builder.append(-1L, record.key(), record.value());
            else builder.append(record);
        }
        return builder.build();
    }

    static void print(String name, MemoryRecords records) {
        ByteBuffer buffer = records.buffer().duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        System.out.println(name + " " + HexFormat.of().formatHex(bytes));
    }

    static void make() {
        for (CompressionType codec : new CompressionType[] { CompressionType.NONE, CompressionType.GZIP, CompressionType.SNAPPY,
            CompressionType.LZ4, CompressionType.ZSTD }) {
            MemoryRecords batch = build(2, codec, TimestampType.CREATE_TIME, 100);
            print("v2-" + codec.name, batch);
            if (codec == CompressionType.ZSTD) continue;
            print("v0-" + codec.name, build(0, codec, TimestampType.NO_TIMESTAMP_TYPE, 0));
            print("v1-" + codec.name, build(1, codec, TimestampType.CREATE_TIME, 0));
            print("down-v1-" + codec.name, batch.downConvert((byte) 1, 102, Time.SYSTEM).records());
            print("down-v0-" + codec.name, batch.downConvert((byte) 0, 102, Time.SYSTEM).records());
        }
        print("v2-append-time", build(2, CompressionType.GZIP, TimestampType.LOG_APPEND_TIME, 7));
        print("v1-append-time", build(1, CompressionType.GZIP, TimestampType.LOG_APPEND_TIME, 0));
        print("commit-marker", MemoryRecords.withEndTransactionMarker(50, BASE, 5, 4711L, (short) 3,
            new EndTransactionMarker(ControlRecordType.COMMIT, 12)));
        print("abort-marker", MemoryRecords.withEndTransactionMarker(50, BASE, 5, 4711L, (short) 3,
            new EndTransactionMarker(ControlRecordType.ABORT, 12)));
    }

    static String show(ByteBuffer bytes) {
        if (bytes == null) return "null";
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return "'" + new String(copy, StandardCharsets.UTF_8) + "'";
    }

    static void check() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split(" ");
            System.out.println(parts[0]);
            MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(HexFormat.of().parseHex(parts[1])));
            for (MutableRecordBatch batch : records.batches()) {
                try {
                    batch.ensureValid();
                    System.out.println("  magic " + batch.magic() + " " + batch.compressionType().name + " " + batch.timestampType()
                        + " offsets " + batch.baseOffset() + ".." + batch.lastOffset() + " max " + batch.maxTimestamp()
                        + " producer " + batch.producerId() + "/" + batch.producerEpoch() + "/" + batch.baseSequence()
                        + " transactional " + batch.isTransactional() + " control " + batch.isControlBatch()
                        + " epoch " + batch.partitionLeaderEpoch());
                    for (Record record : batch) {
                        StringBuilder text = new StringBuilder("  " + record.offset() + " " + record.timestamp() + " "
                            + (batch.isControlBatch() ? ControlRecordType.parse(record.key()).toString() : show(record.key()))
                            + " " + (batch.isControlBatch() ? "" : show(record.value())));
                        for (Header header : record.headers()) {
                            text.append(" ").append(header.key()).append("=")
                                .append(header.value() == null ? "null" : show(ByteBuffer.wrap(header.value())));
                        }
                        System.out.println(text);
                    }
                } catch (RuntimeException e) {
                    System.out.println("  OBJECTION " + e);
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("make")) make();
        else check();
    }
}
