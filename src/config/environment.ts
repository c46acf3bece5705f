/**
 * Settings from environment variables, as Kafka's own container image takes them: `KAFKA_LOG_DIRS` is `log.dirs`.
 * `_` stands for a dot, `__` for an underscore, `___` for a dash. Variables that steer the JVM or its logging are none.
 * Source: the image's `KafkaDockerWrapper` and `configure` script.
 */

const NOT_SETTINGS: ReadonlySet<string> = new Set([
  'KAFKA_VERSION',
  'KAFKA_HEAP_OPTS',
  'KAFKA_LOG4J_OPTS',
  'KAFKA_OPTS',
  'KAFKA_JMX_OPTS',
  'KAFKA_JVM_PERFORMANCE_OPTS',
  'KAFKA_GC_LOG_OPTS',
  'KAFKA_LOG4J_ROOT_LOGLEVEL',
  'KAFKA_LOG4J_LOGGERS',
  'KAFKA_TOOLS_LOG4J_LOGLEVEL',
  'KAFKA_JMX_HOSTNAME',
]);

const PREFIX = 'KAFKA_';

/** The setting that a variable's name stands for. */
function settingName(variable: string): string {
  return variable
    .slice(PREFIX.length)
    .toLowerCase()
    .replace(/___|__|_/g, (run) => (run.length === 3 ? '-' : run.length === 2 ? '_' : '.'));
}

/**
 * The settings of an environment. As in the image, `listeners` that are not given follow from `advertised.listeners`:
 * the same names and ports on all interfaces.
 */
export function environmentSettings(environment: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || NOT_SETTINGS.has(variable) || value === undefined) continue;
    settings.set(settingName(variable), value);
  }
  const advertised = settings.get('advertised.listeners');
  if (advertised && !settings.get('listeners')) {
    settings.set('listeners', advertised.replace(/:\/\/[^:]*:/g, '://0.0.0.0:'));
  }
  return settings;
}
