/**
 * All chosen scenarios on both brokers in turn, pair by pair: what a session consists of. Owns the running order, the
 * watch over memory, the progress and what is kept when a scenario fails, a broker ends or somebody interrupts.
 */

import { kafkaJars } from '../../compat-tests/clients/java/jars';
import { CANDIDATES, type Candidate, isAlive, KAFKA_VERSION, residentMegabytes, type SideName } from './candidates';
import { type Interruptible, Interruption } from './interruption';
import { consume, produce } from './loads/java-load';
import { machine, versions } from './machine';
import { Progress } from './progress';
import type { Run, Session } from './report/session';
import type { Broker, Scenario } from './scenario';
import { sideBySide, type Turn } from './side-by-side';
import { withTopic } from './topic';

const SAMPLE_MS = 100;
const WARM_UP = { topic: 'warm-up', records: 200_000, recordBytes: 1024 };

export interface Plan {
  readonly scenarios: readonly Scenario[];
  readonly pairs: number;
  readonly scale: number;
  /** What is known to be missing before it begins. */
  readonly remarks: readonly string[];
}

interface Running {
  readonly plan: Plan;
  readonly jars: string;
  readonly progress: Progress;
  readonly interruption: Interruptible;
  readonly runs: Run[];
}

/** Watches a broker's memory while `use` has it. */
async function withBroker<T>(
  candidate: Candidate,
  o: Omit<Broker, keyof Candidate | 'port' | 'peakMegabytes'>,
  use: (broker: Broker) => Promise<T>,
): Promise<T> {
  let peak = 0;
  const sample = (): void => {
    if (isAlive(candidate.pid)) peak = Math.max(peak, residentMegabytes(candidate.pid));
  };
  sample();
  const sampler = setInterval(sample, SAMPLE_MS);
  try {
    const port = Number(candidate.bootstrap.split(':')[1]);
    return await use({ ...candidate, ...o, port, peakMegabytes: () => peak });
  } finally {
    clearInterval(sampler);
  }
}

/** A JVM that has just started is not what anybody runs in earnest. */
async function warmUp(broker: Broker): Promise<void> {
  const load = { ...WARM_UP, records: Math.round(WARM_UP.records * broker.scale) };
  await withTopic(broker.port, { name: WARM_UP.topic, partitions: 1 }, async () => {
    await produce(broker, { ...load, acks: '1' });
    await consume(broker, load);
  });
}

/** Runs one scenario and keeps its figures, or why there are none. */
async function runOne(running: Running, at: { broker: Broker; pair: number; scenario: Scenario }): Promise<void> {
  const { broker, pair, scenario } = at;
  const { group, name } = scenario;
  const startedMs = performance.now();
  const head = { pair, side: broker.name, group, scenario: name };
  let word = 'done';
  try {
    const figures = Object.fromEntries(await scenario.run(broker));
    if (running.interruption.isInterrupted) return;
    running.runs.push({ ...head, figures });
  } catch (error) {
    if (running.interruption.isInterrupted) return;
    word = 'FAILED';
    running.runs.push({ ...head, figures: {}, error: error instanceof Error ? error.message : String(error) });
  }
  const ms = performance.now() - startedMs;
  running.progress.done({ side: broker.name, scenario: name }, ms);
  const left = Math.ceil(running.progress.leftMs() / 60_000);
  const of = `pair ${pair} of ${running.plan.pairs}, ${broker.name}`;
  console.error(`${of}: ${name}: ${word} in ${(ms / 1000).toFixed(1)} s; about ${left} min left`);
  if (!isAlive(broker.pid)) throw new Error(`${broker.name} has ended during '${name}'`);
}

async function measureSide(running: Running, candidate: Candidate, turn: { side: SideName } & Turn): Promise<void> {
  const { plan, jars } = running;
  const { side, dataDir, pair } = turn;
  await withBroker(candidate, { name: side, dataDir, jars, scale: plan.scale }, async (broker) => {
    let isWarm = false;
    for (const scenario of plan.scenarios) {
      if (running.interruption.isInterrupted) return;
      if (scenario.group !== 'start' && !isWarm) await warmUp(broker);
      isWarm ||= scenario.group !== 'start';
      await runOne(running, { broker, pair, scenario });
    }
  });
}

/** What was measured, and the error that ended it before its time. */
export interface Measured {
  readonly session: Session;
  readonly failure?: Error;
}

/** Runs the plan; never rejects once the first broker is to be started. */
export async function measure(plan: Plan, interruption: Interruptible): Promise<Measured> {
  const jars = await kafkaJars(KAFKA_VERSION);
  const head = { date: new Date().toISOString(), machine: machine(), versions: await versions() };
  const startedMs = performance.now();
  const steps = Object.keys(CANDIDATES).flatMap((side) => plan.scenarios.map(({ name }) => ({ side, scenario: name })));
  const progress = new Progress(Array.from({ length: plan.pairs }, () => steps).flat());
  const running: Running = { plan, jars, progress, interruption, runs: [] };
  let failure: Error | undefined;
  try {
    await sideBySide({
      pairs: plan.pairs,
      candidates: CANDIDATES,
      measure: (candidate: Candidate, side, turn) =>
        interruption.orInterrupted(measureSide(running, candidate, { side: side as SideName, ...turn })),
    });
  } catch (error) {
    failure = interruption.isInterrupted ? new Interruption('interrupted') : (error as Error);
  }
  const { pairs, scale } = plan;
  const minutes = (performance.now() - startedMs) / 60_000;
  const remarks =
    failure === undefined ? plan.remarks : [...plan.remarks, `Ended early: ${failure.message.split('\n')[0]}`];
  const session = { ...head, pairs, scale, minutes, remarks, runs: running.runs };
  return failure === undefined ? { session } : { session, failure };
}
