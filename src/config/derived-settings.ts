/** Settings that several keys decide together, or whose text has a structure of its own. Pure. */
import type { BrokerConfig } from './broker-config';
import { parseList } from './definition';

/** The number that was configured, if any: the data directory's own, or 1, is used otherwise. */
export function configuredBrokerId(config: BrokerConfig): number | undefined {
  const id = config.isSet('node.id') ? config.get('node.id') : config.get('broker.id');
  return id >= 0 ? id : undefined;
}

/** The data directories, as written. */
export function dataDirs(config: BrokerConfig): readonly string[] {
  return config.get('log.dirs') ?? config.get('log.dir');
}

/** Limits of connections for single addresses; undefined where the text is not `HOST:COUNT,…`. */
export function connectionLimits(config: BrokerConfig): ReadonlyMap<string, number> | undefined {
  const limits = new Map<string, number>();
  for (const pair of parseList(config.get('max.connections.per.ip.overrides'))) {
    if (pair === '') continue;
    const match = /^(.+):\s*(\d+)$/.exec(pair);
    if (!match) return undefined;
    limits.set(match[1]!.trim(), Number(match[2]));
  }
  return limits;
}

/** What the compactor of logs works with. */
export interface CleanerSettings {
  readonly dedupeBufferBytes: number;
  readonly dedupeBufferLoadFactor: number;
  readonly ioBufferBytes: number;
  readonly maxBytesPerSecond: number;
  readonly backoffMs: number;
}

export function cleanerSettings(config: BrokerConfig): CleanerSettings {
  return {
    dedupeBufferBytes: config.get('log.cleaner.dedupe.buffer.size'),
    dedupeBufferLoadFactor: config.get('log.cleaner.io.buffer.load.factor'),
    ioBufferBytes: config.get('log.cleaner.io.buffer.size'),
    maxBytesPerSecond: config.get('log.cleaner.io.max.bytes.per.second'),
    backoffMs: config.get('log.cleaner.backoff.ms'),
  };
}

const MOVE_SPEED = 'replica.alter.log.dirs.io.max.bytes.per.second';

/**
 * Bytes a second that moves of partitions between log directories may copy. Made at run time alone: it is no row of
 * Kafka's table of broker settings either. (Kafka: BrokerConfigHandler.)
 */
export function moveBytesPerSecond({ runtimeSettings: { broker, cluster } }: BrokerConfig): number {
  const text = broker.get(MOVE_SPEED) ?? cluster.get(MOVE_SPEED);
  const limit = text === undefined ? Number.NaN : Number(text);
  return limit >= 0 ? limit : Number.POSITIVE_INFINITY;
}

/** Those of the data directories `paths`, which are in the order of the settings, that take no new partitions. */
export function cordonedDirs(config: BrokerConfig, paths: readonly string[]): readonly string[] {
  const cordoned = config.get('cordoned.log.dirs');
  if (cordoned.includes('*')) return paths;
  const configured = dataDirs(config);
  return paths.filter((path, i) => cordoned.includes(configured[i] ?? path));
}
