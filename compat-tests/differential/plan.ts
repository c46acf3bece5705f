/**
 * The plan of a round: throws of the dice become steps. Owns the choice of topics, versions and kinds of steps; what a
 * step of one kind looks like is in the files plan-*.ts.
 */
import { Dice } from './dice';
import { AdminPlanner } from './plan-admin';
import { ConfigPlanner } from './plan-configs';
import { DataPlanner } from './plan-data';
import { GroupPlanner } from './plan-groups';
import { OperationsPlanner } from './plan-operations';
import { type ApiName, apiOf, type PlanContext, PREFIX_SIGN, type Step, type VersionRanges } from './steps';

/** Kafka 4 offers Produce from 0 because librdkafka asks for that, and serves it from 3. */
const OLDEST_PRODUCE = 3;

const NEWEST_WITHOUT_SETTINGS = 4;
/** The first versions with record batches. */
const OLD_CLIENTS: Partial<Record<ApiName, number>> = { Produce: 3, Fetch: 4 };

const CONFIGS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  {},
  { 'message.timestamp.type': 'LogAppendTime' },
  { 'compression.type': 'gzip' },
  { 'compression.type': 'zstd' },
  { 'compression.type': 'lz4', 'message.timestamp.type': 'LogAppendTime' },
  { 'compression.type': 'uncompressed' },
  { 'cleanup.policy': 'compact' },
  { 'max.message.bytes': '400' },
  { 'message.timestamp.before.max.ms': '7200000', 'message.timestamp.after.max.ms': '60000' },
  { 'segment.bytes': '1048576', 'retention.bytes': '2000000' },
];

export interface PlanOptions {
  readonly versions: readonly [VersionRanges, VersionRanges];
  readonly steps: number;
  /** The family of the round; any when there is none of that number. */
  readonly only: number;
  /** Kafka before 4.0 takes the formats before record batches; then the rounds are about records only. */
  readonly takesOldFormats: boolean;
}

function versionChooser(dice: Dice, o: PlanOptions): PlanContext['version'] {
  const [one, other] = o.versions;
  return (api, from = 0, to = 99) => {
    const { key, newestKnownVersion } = apiOf(api);
    const [a, b] = [one.get(key), other.get(key)];
    if (a === undefined || b === undefined) throw new Error(`not both serve ${api}`);
    const oldest = api === 'Produce' && !o.takesOldFormats ? OLDEST_PRODUCE : 0;
    const first = Math.max(a.minVersion, b.minVersion, from, oldest);
    const last = Math.min(a.maxVersion, b.maxVersion, to, newestKnownVersion);
    // Which settings a topic has is told from version 5 on, and differs from release to release.
    if (o.takesOldFormats && api === 'CreateTopics') return Math.min(last, NEWEST_WITHOUT_SETTINGS);
    const oldClients = o.takesOldFormats ? OLD_CLIENTS[api] : undefined;
    if (oldClients !== undefined && dice.oneIn(2)) return Math.max(first, Math.min(last, dice.integer(oldClients)));
    // The newest is what most clients use.
    return dice.oneIn(3) ? last : dice.between(first, last);
  };
}

/** The steps of the round with that seed; always the same. */
export function planRound(seed: number, o: PlanOptions): Step[] {
  const dice = new Dice(seed);
  const topics = Array.from({ length: dice.between(2, 3) }, (_, at) => ({
    name: `${PREFIX_SIGN}t${at}`,
    partitions: dice.between(1, 3),
    configs: dice.pick(CONFIGS),
  }));
  const context: PlanContext = { dice, topics, version: versionChooser(dice, o) };
  const [data, groups] = [new DataPlanner(context), new GroupPlanner(context)];
  const [admin, configs] = [new AdminPlanner(context), new ConfigPlanner(context)];
  const operations = new OperationsPlanner(context);
  const steps: Step[] = [admin.createTopics(topics), data.newProducer(0), data.newProducer(1)];
  // A round is mostly about one thing, so that its steps meet each other.
  const families: { step(): Step }[][] = [
    [data, data, data, data, data, data, admin],
    [data, data, data, data, admin, groups],
    [groups, groups, groups, groups, groups, groups, data, admin],
    [data, admin, admin, configs],
    [data, admin, configs, configs],
    [operations, operations, operations, operations, configs, admin],
  ];
  const kinds = o.takesOldFormats ? [data] : (families[o.only] ?? dice.pick(families));
  if (kinds.includes(operations)) steps.push(operations.restore('1'), operations.restore(''));
  while (steps.length < o.steps) steps.push(dice.pick(kinds).step());
  return steps.map((step) => (isSpoilable(step) && dice.oneIn(12) ? spoiled(step, dice) : step));
}

/** Those that change nothing, whatever they may turn into. */
function isSpoilable({ api }: Step): boolean {
  const harmless: readonly ApiName[] = [
    'ListOffsets',
    'OffsetFetch',
    'DescribeGroups',
    'FindCoordinator',
    'Heartbeat',
    'ListGroups',
    'DescribeConfigs',
  ];
  return harmless.includes(api);
}

function spoiled(step: Step, dice: Dice): Step {
  if (dice.oneIn(2)) return { ...step, extraBytes: dice.pick([-1, -2, -5, 1, 8]) };
  const changes = Array.from({ length: dice.between(1, 2) }, () => ({
    at: dice.integer(1000) / 1000,
    xor: dice.between(1, 255),
  }));
  return { ...step, spoil: changes };
}
