/** kafka-client-metrics, and kafka-configs for the same: subscriptions of client metrics (KIP-714). */
import { type Step, tool } from './step';

const metrics = tool('ClientMetricsCommand');
/** Names that the tool makes up itself. */
const GENERATED = [[/for [\w-]{22}\./, 'for ID.']] as const;

/** What 4.0 does not tell yet: defaults, and where a value comes from. */
const NEWER_WORDS = [
  [/^ {2}(interval\.ms=300000|match=|metrics=)\n/gm, ''],
  [/synonyms=\{.*\}/g, 'synonyms={}'],
] as const;

type Tool = ReturnType<typeof tool>;

/** Exactly as the newest; as 4.0 but for what is newer. */
function told(describe: Tool, line: string): Step[] {
  return [describe(line, { except: ['4.0.2'] }), describe(line, { except: ['4.4.0'], blur: NEWER_WORDS })];
}

/** `configs`: the class, which moved after 4.0. */
export function clientMetricsSteps(configs: string): readonly Step[] {
  const config = tool(configs);
  const entity = '--entity-type client-metrics --entity-name';
  return [
    metrics('--list'),
    metrics('--describe'),
    metrics("--alter --name all --metrics '*' --interval 1000"),
    metrics('--alter --name java --metrics org.apache.kafka.producer. --match client_software_name=apache-kafka-java'),
    ...told(metrics, '--describe --name all'),
    ...told(metrics, '--describe --name java'),
    ...told(metrics, '--describe --name nobody'),
    metrics('--alter --generate-name --metrics a.,b. --interval 5000', { blur: GENERATED }),
    metrics('--alter --name bad --interval 99'),
    metrics('--alter --name bad --interval 3600001'),
    metrics('--alter --name bad --match client_id'),
    metrics('--alter --name bad --match colour=red'),
    metrics("--alter --name bad --match 'client_id=['"),
    metrics('--alter --name java --interval 2000 --match client_id=a.*,client_source_port=[0-9]+'),
    ...told(metrics, '--describe --name java'),
    ...told(config, `--describe ${entity} java`),
    ...told(config, `--describe ${entity} java --all`),
    ...told(config, `--describe ${entity} nobody`),
    config(`--alter ${entity} java --add-config interval.ms=3000`),
    config(`--alter ${entity} java --add-config metrics=[x.,y.]`),
    config(`--alter ${entity} java --add-config no.such.key=1`),
    config(`--alter ${entity} java --add-config interval.ms=abc`),
    config(`--alter ${entity} java --delete-config match`),
    ...told(config, `--describe ${entity} java`),
    config(`--alter ${entity} more --add-config metrics=z.`),
    config(`--alter ${entity} more --delete-config metrics`),
    ...told(config, `--describe ${entity} more`),
    metrics('--delete --name java'),
    metrics('--delete --name nobody'),
    ...told(metrics, '--describe --name java'),
    metrics('--delete --name all'),
  ];
}
