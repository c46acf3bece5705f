/**
 * The tables of settings that groups and subscriptions of client metrics can have: one row per key. Types, ranges and
 * names are those of Kafka 4.4. They are kept and told; nothing acts upon them until what they are about is served.
 */
import type { ConfigKey } from './broker-config';
import {
  atLeast,
  bool,
  type Check,
  type ConfigValue,
  type Definition,
  inert,
  int,
  list,
  oneOf,
  text,
} from './definition';

export interface ResourceDefinition {
  readonly definition: Definition;
  /** The broker setting that gives the default; without one the row has its own. */
  readonly synonym: ConfigKey | undefined;
}

export type ResourceTable = Readonly<Record<string, ResourceDefinition>>;

function row(definition: Definition<ConfigValue>, synonym?: ConfigKey): ResourceDefinition {
  return { definition, synonym };
}

const offsetReset: Check = {
  allowed: 'earliest, latest or by_duration:PnDTnHnMn.nS',
  test: (value) =>
    /^(earliest|latest|by_duration:P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/.test(String(value)),
  explain: (value, name) =>
    `Invalid value \`${value}\` for configuration ${name}. ` +
    "The value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'.",
};

const interval = (what: string) =>
  int(1000, `Least time between two assignments of a ${what} group.`, inert(atLeast(0)));
const heartbeat = (what: string) => int(5000, `Time between heartbeats in a ${what} group.`, inert(atLeast(1)));
const session = (what: string) =>
  int(45_000, `Silence after which a member of a ${what} group is out.`, inert(atLeast(1)));

export const groupDefinitions: ResourceTable = {
  'consumer.assignment.interval.ms': row(interval('consumer'), 'group.consumer.assignment.interval.ms'),
  'consumer.heartbeat.interval.ms': row(heartbeat('consumer'), 'group.consumer.heartbeat.interval.ms'),
  'consumer.session.timeout.ms': row(session('consumer'), 'group.consumer.session.timeout.ms'),
  'errors.deadletterqueue.copy.record.enable': row(
    bool(false, 'Whether a dead letter holds the record itself.', inert()),
  ),
  'errors.deadletterqueue.topic.name': row(text('', 'Topic for dead letters of a share group.', inert())),
  'share.assignment.interval.ms': row(interval('share'), 'group.share.assignment.interval.ms'),
  'share.auto.offset.reset': row(text('latest', 'Where a share group begins to read.', inert(offsetReset))),
  'share.delivery.count.limit': row(
    int(5, 'How often a record is handed out.', inert(atLeast(2))),
    'group.share.delivery.count.limit',
  ),
  'share.heartbeat.interval.ms': row(heartbeat('share'), 'group.share.heartbeat.interval.ms'),
  'share.isolation.level': row(
    text('read_uncommitted', 'Whether records of open transactions are read.', {
      ...inert(oneOf('read_committed', 'read_uncommitted')),
    }),
  ),
  'share.partition.max.record.locks': row(
    int(2000, 'Records of one partition that are in work.', inert(atLeast(100))),
    'group.share.partition.max.record.locks',
  ),
  'share.record.lock.duration.ms': row(
    int(30_000, 'How long a record is in work.', inert(atLeast(1000))),
    'group.share.record.lock.duration.ms',
  ),
  'share.renew.acknowledge.enable': row(bool(true, 'Whether a member may keep a record for longer.', inert())),
  'share.session.timeout.ms': row(session('share'), 'group.share.session.timeout.ms'),
  'streams.assignment.interval.ms': row(interval('streams'), 'group.streams.assignment.interval.ms'),
  'streams.assignor.name': row(text('sticky', 'Who assigns tasks.', inert()), 'group.streams.assignors'),
  'streams.heartbeat.interval.ms': row(heartbeat('streams'), 'group.streams.heartbeat.interval.ms'),
  'streams.initial.rebalance.delay.ms': row(
    int(3000, 'How long a new group waits for more members.', inert(atLeast(0))),
    'group.streams.initial.rebalance.delay.ms',
  ),
  'streams.num.standby.replicas': row(
    int(0, 'Standby copies of a task.', inert(atLeast(0))),
    'group.streams.num.standby.replicas',
  ),
  'streams.rack.aware.assignment.tags': row(
    list([], 'Client tags over which copies are spread.', inert()),
    'group.streams.rack.aware.assignment.tags',
  ),
  'streams.session.timeout.ms': row(session('streams'), 'group.streams.session.timeout.ms'),
};

/** The most and the least of `interval.ms`, in milliseconds. */
export const PUSH_INTERVAL_MS = { least: 100, most: 3_600_000 } as const;

export const clientMetricsDefinitions: ResourceTable = {
  'interval.ms': row(int(300_000, 'How often a client pushes its metrics.', inert())),
  match: row(list([], 'Which clients: PROPERTY=PATTERN pairs; all of them where empty.', inert())),
  metrics: row(list([], 'Prefixes of the names of metrics; * for all.', inert())),
};
