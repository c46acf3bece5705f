/**
 * Odradek and a real Apache Kafka are sent the same requests, and their answers are compared field by field: rounds of
 * random steps, decided by a seed. Arguments: `--seed N`, `--rounds N`, `--seconds N` (the rounds end by then),
 * `--steps N` of a round, `--only N` for rounds of one family (plan.ts numbers them from 0), `--kafka VERSION`: before
 * 4.0 rounds are about records, in the formats before record batches too. A round that differs is made shorter, as far
 * as it stays different in the same way, and told.
 * `COMPAT_REFERENCE=HOST:PORT` is a Kafka that runs already, as reference-kafka.ts would start it.
 */
import { startBroker } from '../../src/start-broker';
import { type Checks, commandExists, runChecks } from '../checks';
import { startReferenceKafka } from '../reference-kafka';
import { planRound } from './plan';
import { report } from './report';
import { type Difference, Round } from './round';
import { shorten } from './shorten';
import { Side } from './side';
import type { Step } from './steps';

const NEWEST_KAFKA = '4.4.0';
/** What the reference is started with, as far as it is told of and means something here. */
const SAME_SETTINGS = {
  'group.initial.rebalance.delay.ms': 0,
  'offsets.topic.replication.factor': 1,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
};
/** Defaults of old that matter here. */
const SETTINGS_BEFORE_4 = { 'log.message.timestamp.after.max.ms': '9223372036854775807' };
/** How long a round that differs is made shorter. */
const SHORTENING_MS = 8000;
/** Client times lie an hour back: behind nothing's retention, and apart from the brokers' clocks. */
const BASE_AGE_MS = 3_600_000;

interface Options {
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly steps: number;
  /** Negative: rounds of all families. */
  readonly only: number;
  readonly kafka: string;
}

function optionsOf(words: readonly string[]): Options {
  const numbers = { seed: 1, rounds: 100_000, seconds: 100, steps: 50, only: -1 };
  let kafka = NEWEST_KAFKA;
  for (let at = 0; at < words.length; at += 2) {
    const name = words[at]!.replace(/^--/, '');
    const value = words[at + 1] ?? '';
    if (name === 'kafka') kafka = value;
    else if (name in numbers && /^\d+$/.test(value)) numbers[name as keyof typeof numbers] = Number(value);
    else throw new Error(`unknown argument ${words[at]} ${value}`);
  }
  return { ...numbers, kafka };
}

function isBefore4({ kafka }: Options): boolean {
  return Number.parseInt(kafka, 10) < 4;
}

/** Kinds of difference by what they are, each with its shortest round. */
type Findings = Map<string, { seed: number; steps: readonly Step[]; difference: Difference }>;

function kindOf({ step, fields }: Difference): string {
  const [first] = fields;
  return `${step.api} ${first!.kind} ${JSON.stringify(first!.values).slice(0, 200)}`;
}

class Comparison {
  readonly #sides: readonly [Side, Side];
  readonly #options: Options;
  readonly findings: Findings = new Map();
  readonly known = new Map<string, number>();
  rounds = 0;
  steps = 0;
  #prefixes = 0;

  constructor(sides: readonly [Side, Side], options: Options) {
    this.#sides = sides;
    this.#options = options;
  }

  async run(): Promise<void> {
    for (const side of this.#sides) await side.settle();
    const versions = [await this.#sides[0].versions(), await this.#sides[1].versions()] as const;
    const deadline = performance.now() + this.#options.seconds * 1000;
    for (let at = 0; at < this.#options.rounds && performance.now() < deadline; at++) {
      const seed = this.#options.seed + at;
      const { steps: count, only } = this.#options;
      const takesOldFormats = isBefore4(this.#options);
      const steps = planRound(seed, { versions, steps: count, only, takesOldFormats });
      const difference = await this.#try(steps);
      this.rounds++;
      if (difference === undefined) continue;
      const kind = kindOf(difference);
      if (this.findings.has(kind)) continue;
      const short = await shorten(steps, difference, {
        isSame: async (candidate) => {
          const found = await this.#try(candidate);
          return found !== undefined && kindOf(found) === kind ? found : undefined;
        },
        untilMs: performance.now() + SHORTENING_MS,
      });
      this.findings.set(kind, { seed, ...short });
    }
  }

  async #try(steps: readonly Step[]): Promise<Difference | undefined> {
    const round = new Round(this.#sides, Date.now() - BASE_AGE_MS);
    const prefix = `d${this.#options.seed}-${process.pid}-${++this.#prefixes}-`;
    const { sent, difference, known } = await round.run(steps, prefix);
    this.steps += sent;
    for (const [reason, count] of known) this.known.set(reason, (this.known.get(reason) ?? 0) + count);
    return difference;
  }
}

async function suite(checks: Checks): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  const running = process.env.COMPAT_REFERENCE;
  if (running === undefined && !(commandExists('java') && commandExists('mvn'))) {
    checks.skip('the same answers', 'java or mvn is not installed');
    return;
  }
  const kafka = running === undefined ? await startReferenceKafka({ version: options.kafka }) : undefined;
  const settings = { 'node.id': 1, ...SAME_SETTINGS, ...(isBefore4(options) && SETTINGS_BEFORE_4) };
  const odradek = await startBroker({ config: settings, logLevel: 'error' });
  const [host = '', port = ''] = (running ?? kafka?.bootstrap ?? '').split(':');
  const sides = [new Side('odradek', odradek), new Side('kafka', { host, port: Number(port) })] as const;
  const comparison = new Comparison(sides, options);
  try {
    await comparison.run();
  } finally {
    for (const side of sides) side.close();
    await odradek.close();
    await kafka?.stop();
  }
  console.log(`seed ${options.seed}: ${comparison.rounds} rounds, ${comparison.steps} requests to each broker`);
  for (const [reason, count] of comparison.known) console.log(`meant, ${count} times: ${reason}`);
  for (const [kind, finding] of comparison.findings) {
    await checks.check(kind, () => Promise.reject(new Error(report(finding))));
  }
  if (comparison.findings.size === 0) await checks.check('the same answers', () => Promise.resolve());
}

runChecks(suite);
