import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * Reads and writes messages with Kafka's own generated classes: one line "NAME VERSION HEX" in, one line out:
 * "ok HEX JSON" (written again, and as Kafka's JSON), "absent" (this Kafka has no such message or version), "error TEXT".
 * Run with `java -cp 'JARS/*' MessageEcho.java`.
 */
public class MessageEcho {
    private static final List<String> PACKAGES = List.of(
        "org.apache.kafka.common.message.",
        "org.apache.kafka.coordinator.group.generated.",
        "org.apache.kafka.coordinator.transaction.generated.",
        "org.apache.kafka.coordinator.share.generated.",
        "org.apache.kafka.common.metadata.",
        "org.apache.kafka.server.log.remote.metadata.storage.generated.");

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            out.println(answer(words[0], Short.parseShort(words[1]), HexFormat.of().parseHex(words[2])));
        }
        out.flush();
    }

    private static String answer(String name, short version, byte[] bytes) throws Exception {
        Class<?> type = find(name);
        if (type == null) return "absent";
        Message message = (Message) type.getDeclaredConstructor().newInstance();
        if (version < message.lowestSupportedVersion() || version > message.highestSupportedVersion()) return "absent";
        try {
            ByteBuffer input = ByteBuffer.wrap(bytes);
            message.read(new ByteBufferAccessor(input), version);
            if (input.hasRemaining()) return "error " + input.remaining() + " bytes left over";
            ObjectSerializationCache cache = new ObjectSerializationCache();
            ByteBuffer output = ByteBuffer.allocate(message.size(cache, version));
            message.write(new ByteBufferAccessor(output), cache, version);
            return "ok " + HexFormat.of().formatHex(output.array()) + " " + json(type, message, version);
        } catch (RuntimeException failure) {
            return "error " + failure;
        }
    }

    private static Class<?> find(String name) {
        for (String prefix : PACKAGES) {
            for (String suffix : List.of("", "Data")) {
                try {
                    return Class.forName(prefix + name + suffix);
                } catch (ClassNotFoundException none) {
                    // The next place.
                }
            }
        }
        return null;
    }

    private static JsonNode json(Class<?> type, Message message, short version) throws Exception {
        Class<?> converter = Class.forName(type.getName() + "JsonConverter");
        Method write = converter.getMethod("write", type, short.class);
        try {
            return (JsonNode) write.invoke(null, message, version);
        } catch (InvocationTargetException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }
}
