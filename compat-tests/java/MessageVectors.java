import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.ShortNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Instances of every message class of one Kafka release, in every version, written by Kafka's own classes. The classes are
 * found by their JSON converters in the jars of the class path, the fields of a version by Kafka's own description of it.
 * One line each:
 *
 *   message NAME VERSION KIND HEX JSON     what Kafka writes, and its JSON of it
 *   api KEY NAME LOWEST HIGHEST            versions that brokers of this release may advertise
 *
 * Ends with 1 where an instance cannot be made, so that no class is left without. Of Kafka's JSON two things are changed: an
 * int64 that a double cannot hold is a text of its digits, and record bytes, which Kafka leaves out, are base64 like others.
 * Run with `java -cp 'JARS/*' MessageVectors.java`.
 */
public class MessageVectors {
    private static final List<String> KINDS =
        List.of("defaults", "filled", "nulls", "empty", "maximal", "minimal", "random1", "random2", "random3", "random4",
            "tags");
    private static final String CONVERTER = "JsonConverter.class";
    private static final int LONGEST_STRING = Short.MAX_VALUE;
    private static final long SAFE = (1L << 53) - 1;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String[] TEXTS = {"", "a", "topic-1", "naïve-Ω-主题-😀", "with \"quotes\" and \\ and \u0001\u007f"};

    public static void main(String[] words) throws Exception {
        PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
            false, StandardCharsets.UTF_8);
        for (ApiKeys key : ApiKeys.values()) {
            out.println("api " + key.id + " " + key.name + " " + key.messageType.lowestSupportedVersion() + " "
                + key.messageType.highestSupportedVersion(false));
        }
        int failures = 0;
        for (String name : messageClasses()) {
            Class<?> type = Class.forName(name);
            failures += new MessageVectors(type).printAll(out);
        }
        out.flush();
        System.exit(failures == 0 ? 0 : 1);
    }

    /** Names of all classes on the class path that have a JSON converter and are messages. */
    private static TreeSet<String> messageClasses() throws IOException, ClassNotFoundException {
        TreeSet<String> names = new TreeSet<>();
        for (String jar : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            if (!jar.endsWith(".jar") || !Path.of(jar).getFileName().toString().startsWith("kafka")) continue;
            try (JarFile file = new JarFile(jar)) {
                for (JarEntry entry : file.stream().toList()) {
                    String path = entry.getName();
                    if (!path.endsWith(CONVERTER) || path.contains("$")) continue;
                    String name = path.substring(0, path.length() - CONVERTER.length()).replace('/', '.');
                    if (Message.class.isAssignableFrom(Class.forName(name))) names.add(name);
                }
            }
        }
        return names;
    }

    private final Class<?> type;
    private final String name;
    private final Schema[] schemas;
    private final short lowest;
    private final Method read;
    private final Method write;
    private short version;
    private String kind;
    private Random random;
    private int counter;
    private boolean hadLongest;
    /** Whether records may be null: Kafka's description of a version does not say it. */
    private boolean nullRecords;

    private MessageVectors(Class<?> type) throws Exception {
        this.type = type;
        String simple = type.getSimpleName();
        // The classes of requests, responses and some records have this at the end of their names, the messages have not.
        boolean named = simple.equals("DefaultPrincipalData") || !simple.endsWith("Data");
        this.name = named ? simple : simple.substring(0, simple.length() - "Data".length());
        this.schemas = (Schema[]) type.getField("SCHEMAS").get(null);
        this.lowest = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
        Class<?> converter = Class.forName(type.getName() + "JsonConverter");
        this.read = converter.getMethod("read", JsonNode.class, short.class);
        this.write = converter.getMethod("write", type, short.class);
    }

    private int printAll(PrintStream out) throws Exception {
        int failures = 0;
        for (version = lowest; version < schemas.length; version++) {
            for (String each : KINDS) {
                kind = each;
                if (kind.equals("tags") && !isFlexible()) continue;
                try {
                    out.println(line());
                } catch (InvocationTargetException | RuntimeException failure) {
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    System.err.println(name + " v" + version + " " + kind + ": " + cause);
                    failures++;
                }
            }
        }
        return failures;
    }

    private boolean isFlexible() {
        for (BoundField field : schemas[version].fields()) if (field.def.type instanceof TaggedFields) return true;
        return false;
    }

    private String line() throws Exception {
        JsonNode source = NullNode.instance;
        Message message;
        if (kind.equals("defaults")) message = (Message) type.getDeclaredConstructor().newInstance();
        else {
            source = source();
            message = (Message) read.invoke(null, source, version);
        }
        if (kind.equals("tags")) addUnknownTags(message);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer output = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(output), cache, version);
        if (output.hasRemaining()) throw new IllegalStateException("its size is not what it says");
        Message again = (Message) type.getDeclaredConstructor().newInstance();
        again.read(new ByteBufferAccessor(output.flip()), version);
        if (!again.equals(message) && !hasRecords(schemas[version])) throw new IllegalStateException("does not come back");
        JsonNode json = portable((JsonNode) write.invoke(null, message, version), source);
        return "message " + name + " " + version + " " + kind + " " + HexFormat.of().formatHex(output.array()) + " " + json;
    }

    private JsonNode source() throws Exception {
        nullRecords = kind.equals("nulls") || kind.startsWith("random");
        JsonNode json = freshStruct();
        if (!nullRecords) return json;
        try {
            read.invoke(null, json, version);
            return json;
        } catch (InvocationTargetException failure) {
            nullRecords = false;
            return freshStruct();
        }
    }

    private JsonNode freshStruct() {
        counter = 0;
        hadLongest = false;
        random = new Random((name + " " + version + " " + kind).hashCode());
        return struct(schemas[version], 0);
    }

    private static boolean hasRecords(Schema schema) {
        return schema.toString().contains("RECORDS") || schema.toString().contains("records");
    }

    private ObjectNode struct(Schema schema, int depth) {
        ObjectNode node = NODES.objectNode();
        for (BoundField field : schema.fields()) {
            if (!(field.def.type instanceof TaggedFields tagged)) {
                node.set(camel(field.def.name), value(field.def.type, depth));
                continue;
            }
            for (org.apache.kafka.common.protocol.types.Field each : fieldsOf(tagged).values())
                if (!kind.startsWith("random") || random.nextInt(5) > 1) node.set(camel(each.name), value(each.type, depth));
        }
        return node;
    }

    @SuppressWarnings("unchecked")
    private static Map<Integer, org.apache.kafka.common.protocol.types.Field> fieldsOf(TaggedFields tagged) {
        try {
            Field fields = TaggedFields.class.getDeclaredField("fields");
            fields.setAccessible(true);
            return new TreeMap<>((Map<Integer, org.apache.kafka.common.protocol.types.Field>) fields.get(tagged));
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String camel(String snake) {
        StringBuilder text = new StringBuilder();
        for (String word : snake.split("_"))
            text.append(text.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        // Kafka's own rule takes this word for one that starts with two capitals.
        return text.toString().replaceFirst("^kraft", "kRaft").replace("Kraft", "KRaft");
    }

    private JsonNode value(Type type, int depth) {
        boolean nullable = type.toString().endsWith("RECORDS") ? nullRecords : type.isNullable();
        if (nullable && (kind.equals("nulls") || (kind.startsWith("random") && random.nextInt(4) == 0)))
            return NullNode.instance;
        if (type.isArray()) {
            ArrayNode array = NODES.arrayNode();
            Type element = type.arrayElementType().orElseThrow();
            for (int left = elements(element, depth); left > 0; left--) array.add(value(element, depth + 1));
            return array;
        }
        if (type instanceof Schema schema) return struct(schema, depth + 1);
        return switch (type.toString().replace("COMPACT_", "").replace("NULLABLE_", "")) {
            case "BOOLEAN" -> BooleanNode.valueOf(choose(() -> true, () -> random.nextBoolean()));
            case "INT8" -> new ShortNode((short) number(Byte.MIN_VALUE, Byte.MAX_VALUE));
            case "INT16" -> new ShortNode((short) number(Short.MIN_VALUE, Short.MAX_VALUE));
            case "UINT16" -> new IntNode((int) number(0, 0xffff));
            case "INT32" -> new IntNode((int) number(Integer.MIN_VALUE, Integer.MAX_VALUE));
            case "UINT32" -> new LongNode(number(0, 0xffffffffL));
            case "INT64" -> new LongNode(number(Long.MIN_VALUE, Long.MAX_VALUE));
            case "FLOAT64" -> new DoubleNode(switch (kind) {
                case "empty" -> 0;
                case "maximal" -> Double.MAX_VALUE;
                case "minimal" -> -Double.MIN_VALUE;
                default -> choose(() -> ++counter + 0.5, () -> random.nextGaussian() * 1e10);
            });
            case "UUID" -> new TextNode(uuid().toString());
            case "STRING" -> new TextNode(text());
            case "BYTES", "RECORDS" -> new BinaryNode(bytes());
            default -> throw new IllegalStateException("a type that this program does not know: " + type);
        };
    }

    private <T> T choose(java.util.function.Supplier<T> plain, java.util.function.Supplier<T> any) {
        return kind.startsWith("random") ? any.get() : plain.get();
    }

    private int elements(Type element, int depth) {
        return switch (kind) {
            case "empty" -> 0;
            case "minimal" -> 1;
            // More than a varint of one byte says, where that costs little.
            case "maximal" -> element instanceof Schema ? 2 : element.toString().startsWith("INT") ? 130 : 3;
            default -> choose(() -> 2, () -> random.nextInt(depth > 1 ? 2 : 4));
        };
    }

    private long number(long least, long greatest) {
        return switch (kind) {
            case "empty" -> 0;
            case "maximal" -> greatest;
            case "minimal" -> least;
            default -> choose(() -> (long) (++counter % 120), () -> switch (random.nextInt(6)) {
                case 0 -> least;
                case 1 -> greatest;
                case 2 -> least < 0 ? -1L : 0L;
                case 3 -> Math.min(greatest, SAFE - random.nextInt(3) + 1);
                case 4 -> (long) random.nextInt(100);
                default -> Math.floorMod(random.nextLong(), Math.min(greatest, 1L << 40)) * (least < 0 && random.nextBoolean() ? -1 : 1);
            });
        };
    }

    private Uuid uuid() {
        return switch (kind) {
            case "empty" -> Uuid.ZERO_UUID;
            case "maximal" -> new Uuid(-1L, -1L);
            case "minimal" -> new Uuid(Long.MIN_VALUE, Long.MIN_VALUE);
            default -> choose(() -> new Uuid(++counter, 0x0123456789abcdefL), () -> new Uuid(random.nextLong(), random.nextLong()));
        };
    }

    private String text() {
        if (kind.equals("maximal") && !hadLongest && (version == lowest || version == schemas.length - 1)) {
            hadLongest = true;
            return "x".repeat(LONGEST_STRING);
        }
        return switch (kind) {
            case "empty" -> "";
            case "maximal" -> "maximal".repeat(20);
            case "minimal" -> "m";
            default -> choose(() -> "text-" + ++counter, () -> TEXTS[random.nextInt(TEXTS.length)]);
        };
    }

    private byte[] bytes() {
        byte[] bytes = new byte[switch (kind) {
            case "empty" -> 0;
            case "maximal" -> 300;
            case "minimal" -> 1;
            default -> choose(() -> 3, () -> random.nextInt(20));
        }];
        if (kind.startsWith("random")) random.nextBytes(bytes);
        else java.util.Arrays.fill(bytes, (byte) ++counter);
        return bytes;
    }

    /** Tags that no release knows, in the message and in every struct of it. */
    private static void addUnknownTags(Message message) throws ReflectiveOperationException {
        message.unknownTaggedFields().add(new RawTaggedField(9000, new byte[0]));
        message.unknownTaggedFields().add(new RawTaggedField(1_000_000, new byte[] {1, 2, 3}));
        for (Field field : message.getClass().getDeclaredFields()) {
            if (java.lang.reflect.Modifier.isStatic(field.getModifiers())) continue;
            field.setAccessible(true);
            Object value = field.get(message);
            // A struct of defaults may be one that the version lacks.
            if (value instanceof Message part && !part.equals(part.getClass().getDeclaredConstructor().newInstance()))
                addUnknownTags(part);
            if (value instanceof Iterable<?> parts && !field.getName().equals("_unknownTaggedFields"))
                for (Object part : parts) if (part instanceof Message one) addUnknownTags(one);
        }
    }

    /** Kafka's JSON with digits as text where a double is too small, and with the record bytes of its source. */
    private static JsonNode portable(JsonNode node, JsonNode source) {
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>();
            for (Iterator<String> each = object.fieldNames(); each.hasNext(); ) names.add(each.next());
            for (String each : names) object.set(each, portable(object.get(each), source.path(each)));
        } else if (node instanceof ArrayNode array) {
            for (int at = 0; at < array.size(); at++) array.set(at, portable(array.get(at), source.path(at)));
        } else if (node.isIntegralNumber() && Math.abs(node.longValue()) - 1 >= SAFE) {
            return new TextNode(node.toString());
        } else if (node instanceof BinaryNode && source instanceof BinaryNode) {
            return source;
        }
        return node;
    }
}
