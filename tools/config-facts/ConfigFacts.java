/*
 * What one release of Kafka says of its settings, as lines of columns separated by tabs: scope, name, type, default
 * ("<null>", "<required>"), allowed values, when a change counts, importance, and whether Kafka keeps it to itself.
 */
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;

public class ConfigFacts {
    static final String[][] SCOPES = {
        {"broker", "kafka.server.KafkaConfig"},
        {"topic", "org.apache.kafka.storage.internals.log.LogConfig"},
        {"group", "org.apache.kafka.coordinator.group.GroupConfig"},
        {"client-metrics", "org.apache.kafka.server.metrics.ClientMetricsConfigs"},
    };

    public static void main(String[] words) throws Exception {
        Map<String, String> modes = updateModes();
        for (String[] scope : SCOPES) {
            ConfigDef definition = find(scope[1]);
            if (definition == null) continue;
            for (ConfigDef.ConfigKey key : new TreeMap<>(definition.configKeys()).values()) {
                String mode = scope[0].equals("broker") ? modes.getOrDefault(key.name, "read-only") : "";
                String allowed = key.validator == null ? "" : key.validator.toString().replaceAll("\\s+", " ");
                String internal = key.internalConfig ? "internal" : "";
                System.out.println(String.join("\t", scope[0], key.name, key.type.toString().toLowerCase(), text(key),
                    allowed, mode, key.importance.toString().toLowerCase(), internal));
            }
        }
    }

    static String text(ConfigDef.ConfigKey key) {
        if (key.defaultValue == ConfigDef.NO_DEFAULT_VALUE) return "<required>";
        return key.defaultValue == null ? "<null>" : ConfigDef.convertToString(key.defaultValue, key.type);
    }

    /** The static field or method of that class, or of its Scala companion, that holds the table; null without. */
    static ConfigDef find(String name) throws Exception {
        ConfigDef found = null;
        for (String each : new String[] {name, name + "$"}) {
            Class<?> type;
            try {
                type = Class.forName(each);
            } catch (ClassNotFoundException e) {
                continue;
            }
            Object instance = each.endsWith("$") ? type.getField("MODULE$").get(null) : null;
            for (Class<?> at = type; at != null && found == null; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    boolean fits = ConfigDef.class.isAssignableFrom(field.getType());
                    if (!fits || field.getName().startsWith("SERVER")) continue;
                    field.setAccessible(true);
                    found = (ConfigDef) field.get(instance);
                    if (found != null) break;
                }
                for (Method method : at.getDeclaredMethods()) {
                    boolean fits = ConfigDef.class.isAssignableFrom(method.getReturnType());
                    if (found != null || !fits || method.getParameterCount() > 0) continue;
                    method.setAccessible(true);
                    found = (ConfigDef) method.invoke(instance);
                }
            }
            if (found != null) break;
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    static Map<String, String> updateModes() throws Exception {
        for (String name : new String[] {"org.apache.kafka.server.config.DynamicBrokerConfig",
            "kafka.server.DynamicBrokerConfig$"}) {
            try {
                Class<?> type = Class.forName(name);
                Object instance = name.endsWith("$") ? type.getField("MODULE$").get(null) : null;
                Method method = type.getDeclaredMethod("dynamicConfigUpdateModes");
                method.setAccessible(true);
                return new HashMap<>((Map<String, String>) method.invoke(instance));
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        throw new IllegalStateException("nothing tells which settings are dynamic");
    }
}
