/** What the admin APIs of settings have in common: types of resources, and the rule for names of brokers. */

/** Types of resources on the wire (Kafka's ConfigResource.Type). */
export const ResourceType = {
  TOPIC: 2,
  BROKER: 4,
  BROKER_LOGGER: 8,
  CLIENT_METRICS: 16,
  GROUP: 32,
} as const;

/** The only logger whose level can be seen and set; all others follow it. */
export const ROOT_LOGGER = 'root';

/** The number that `name` writes, as Java reads it; undefined where it writes none. */
export function brokerIdOf(name: string): number | undefined {
  return /^[+-]?\d+$/.test(name) ? Number(name) : undefined;
}
