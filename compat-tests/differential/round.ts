/**
 * One round: the same steps for both brokers, one after the other, and the first step whose outcomes differ. A step
 * that waits for others on both brokers is left waiting; its outcome is compared when it comes, on both.
 */
import { knownDifference } from './known-differences';
import { type FieldDifference, fieldDifferences, normalise } from './normalise';
import type { Outcome, Side } from './side';
import type { Step } from './steps';

/** How long a step that may wait must be silent on both brokers before it counts as waiting. */
const WAITING_MS = 80;
/** How long one broker may take longer than the other. */
const LAG_MS = 2000;
const ANSWER_MS = 5000;
/** How long Kafka's broker may not know what its controller has taken. */
const CONFIG_LAG_MS = 100;

export interface Difference {
  readonly step: Step;
  /** The one that was sent last: it may have ended the wait of `step`. */
  readonly lastStep: Step;
  readonly fields: readonly FieldDifference[];
  /** Normalised answers, of both brokers. */
  readonly answers: readonly [unknown, unknown];
  readonly frame: Buffer;
}

export interface RoundResult {
  readonly sent: number;
  readonly difference: Difference | undefined;
  readonly known: ReadonlyMap<string, number>;
}

class Exchange {
  readonly step: Step;
  readonly frame: Buffer;
  readonly outcomes: [Outcome | undefined, Outcome | undefined] = [undefined, undefined];
  readonly both: Promise<unknown>;
  readonly any: Promise<unknown>;
  failure: Error | undefined;

  constructor(step: Step, sides: readonly [Side, Side]) {
    this.step = step;
    this.frame = sides[0].frame(step);
    const sent = sides.map(async (side, index) => {
      try {
        this.outcomes[index] = await side.send(step);
      } catch (error) {
        this.failure ??= error as Error;
      }
    });
    this.both = Promise.all(sent);
    this.any = Promise.race(sent);
  }

  get answered(): number {
    return this.outcomes.filter((outcome) => outcome !== undefined).length;
  }
}

async function within(ms: number, what: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([what, late]);
  clearTimeout(timer);
}

export class Round {
  readonly #sides: readonly [Side, Side];
  readonly #baseTimeMs: number;
  readonly #known = new Map<string, number>();
  #waiting: Exchange[] = [];
  #isOver = false;
  #steps: readonly Step[] = [];

  constructor(sides: readonly [Side, Side], baseTimeMs: number) {
    this.#sides = sides;
    this.#baseTimeMs = baseTimeMs;
  }

  async run(steps: readonly Step[], prefix: string): Promise<RoundResult> {
    this.#steps = steps;
    for (const side of this.#sides) side.begin(prefix, this.#baseTimeMs);
    let sent = 0;
    let difference: Difference | undefined;
    try {
      for (const step of steps) {
        if (this.#waiting.some(({ step: { connection } }) => connection === step.connection)) continue;
        sent++;
        difference = await this.#take(step);
        if (difference !== undefined || this.#isOver) break;
      }
    } finally {
      await Promise.all(this.#sides.map((side) => side.end()));
    }
    return { sent, difference, known: this.#known };
  }

  async #take(step: Step): Promise<Difference | undefined> {
    const exchange = new Exchange(step, this.#sides);
    if (step.mayWait) await within(WAITING_MS, exchange.both);
    else await within(ANSWER_MS, exchange.both);
    if (exchange.answered === 1) await within(LAG_MS, exchange.both);
    const changesTopics = ['CreateTopics', 'CreatePartitions', 'DeleteTopics'].includes(step.api);
    if (changesTopics) await this.#settle(exchange);
    const changesConfigs = ['AlterConfigs', 'IncrementalAlterConfigs'].includes(step.api);
    if (changesConfigs) await new Promise((resolve) => setTimeout(resolve, CONFIG_LAG_MS));
    // What this step did may have ended the wait of others.
    const released = this.#waiting.filter(({ answered }) => answered > 0);
    for (const one of released) await within(LAG_MS, one.both);
    const done = [...this.#waiting.filter(({ answered }) => answered > 0), exchange];
    this.#waiting = this.#waiting.filter(({ answered }) => answered === 0);
    if (exchange.answered === 0 && step.mayWait) {
      this.#waiting.push(exchange);
      done.pop();
    }
    for (const one of done) this.#learn(one);
    for (const one of done) {
      const difference = this.#compare(one, step);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }

  #learn({ step, outcomes }: Exchange): void {
    for (const [index, side] of this.#sides.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && 'answer' in outcome) side.learn(step, outcome.answer);
    }
  }

  #compare({ step, outcomes, frame, failure }: Exchange, lastStep: Step): Difference | undefined {
    if (failure !== undefined) throw failure;
    const answers = this.#sides.map((side, index): unknown => {
      const outcome = outcomes[index];
      if (outcome === undefined) return '<no answer>';
      if ('closed' in outcome) return '<closed>';
      return normalise(outcome.answer, { side, step, baseTimeMs: this.#baseTimeMs });
    }) as [unknown, unknown];
    const fields = fieldDifferences(...answers).filter((field) => {
      const known = knownDifference({ step, field, answers, round: this.#steps });
      if (known === undefined) return true;
      this.#known.set(known.reason, (this.#known.get(known.reason) ?? 0) + 1);
      this.#isOver ||= known.endsRound === true;
      return false;
    });
    return fields.length === 0 ? undefined : { step, lastStep, fields, answers, frame };
  }

  /** Kafka may answer before what it answers can be seen. */
  async #settle({ step, outcomes }: Exchange): Promise<void> {
    await Promise.all(
      this.#sides.map(async (side, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined || 'closed' in outcome) return;
        const topics = changedTopics(step, outcome.answer);
        if (topics.size > 0) await side.settleTopics(topics);
      }),
    );
  }
}

/** The topics that now have so many partitions at least, or are gone where that is 0. */
function changedTopics(step: Step, answer: unknown): ReadonlyMap<string, number> {
  type Told = { readonly name: string | null; readonly errorCode: number };
  const { topics, results, responses } = answer as Record<string, readonly Told[] | undefined>;
  const request = step.request as { validateOnly?: boolean; topics: readonly { count?: number }[] };
  if (request.validateOnly === true) return new Map();
  const count = step.api === 'DeleteTopics' ? 0 : (request.topics[0]?.count ?? 1);
  const changed = (topics ?? results ?? responses ?? []).filter(({ errorCode }) => errorCode === 0);
  return new Map(changed.flatMap(({ name }) => (name === null ? [] : [[name, count] as const])));
}
