/**
 * Every call to the disk fails once, or from then on, while logs lead a whole life: nothing acknowledged is lost or
 * doubled, nothing that failed is acknowledged, the process goes on, what is wrong is said. Where there was no room or
 * no descriptor, all goes on by itself; after an I/O error a restart brings it back. A part of the matrix runs each
 * time; `FAULT_MATRIX=1` runs all of it, `FAULT_MATRIX=10` each tenth case.
 */
import { FaultyFileSystem, type FaultyOperation } from '../testing/faulty-file-system';
import { LogStory, TOPICS } from '../testing/log-story';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';

interface FaultCase {
  readonly on: FaultyOperation;
  readonly code: string;
  /** Calls of that kind that succeed before. */
  readonly after: number;
  readonly times: number;
  readonly partialBytes?: number;
}

const CODES: Readonly<Record<FaultyOperation, readonly string[]>> = {
  open: ['EIO', 'EMFILE'],
  create: ['EIO', 'ENOSPC'],
  read: ['EIO'],
  write: ['EIO', 'ENOSPC'],
  truncate: ['EIO', 'ENOSPC'],
  sync: ['EIO', 'ENOSPC'],
  rename: ['EIO', 'ENOSPC'],
  remove: ['EIO'],
  list: ['EIO', 'EMFILE'],
  'create-directory': ['EIO', 'ENOSPC'],
  'sync-directory': ['EIO', 'EMFILE'],
};
const IS_SHORT = process.env.FAULT_MATRIX === undefined;
const SHARE = IS_SHORT ? 200 : Number(process.env.FAULT_MATRIX);

class Run {
  readonly clock = new ManualClock();
  readonly logger = new RecordingLogger();
  readonly disk = new FaultyFileSystem(this.clock);
  readonly story: LogStory;

  constructor(flushesEach: boolean) {
    this.story = new LogStory({ disk: this.disk, clock: this.clock, logger: this.logger, flushesEach });
  }

  saysOf(code: string): number {
    const { lines } = this.logger;
    return lines.filter(({ level, fields }) => /warn|error/.test(level) && JSON.stringify(fields).includes(code))
      .length;
  }

  bugs(): string[] {
    return this.logger.lines.filter(({ message }) => /bug/.test(message)).map((line) => JSON.stringify(line));
  }
}

/** How often each kind of call happens when nothing fails. */
async function callsOf(flushesEach: boolean): Promise<ReadonlyMap<FaultyOperation, number>> {
  const { story } = new Run(flushesEach);
  await story.run();
  expect([await story.wrong(), story.failures, story.outstanding]).toEqual([[], [], []]);
  await story.stop(false);
  return story.disk.calls;
}

/** What is wrong after a life with this fault; nothing when all holds. */
async function lifeWith(fault: FaultCase, flushesEach: boolean): Promise<string[]> {
  const run = new Run(flushesEach);
  const { story, disk } = run;
  const injected = disk.inject(fault);
  await story.run();
  const passes = fault.on !== 'sync' && fault.on !== 'sync-directory' && fault.code !== 'EIO' && !story.hasStartedBadly;
  story.disk.takeNoFaults();
  injected.lift();
  const wrong: string[] = run.bugs();
  if (passes) {
    await story.catchUp();
    for (const topic of TOPICS) if (story.log(topic)?.isOffline) wrong.push(`${topic} is offline`);
    wrong.push(...story.outstanding.map((batch) => `not healed: ${batch}`), ...(await story.wrong()));
  }
  // Of topics, the caller tells.
  if (story.failures.some((text) => !/^(start|create|delete )/.test(text)) && run.saysOf(fault.code) === 0)
    wrong.push(`nothing was said of ${story.failures.slice(0, 3)}`);
  await story.kill(flushesEach ? 'synced-only' : 'all-unsynced');
  await story.start();
  wrong.push(...(await story.wrong()));
  await story.catchUp();
  wrong.push(...story.outstanding.map((batch) => `not taken after a restart: ${batch}`), ...(await story.wrong()));
  await story.stop(true);
  await story.start();
  wrong.push(...(await story.wrong()), ...run.bugs());
  await story.stop(false);
  return [...new Set(wrong)];
}

/** The faults of one kind, at the calls that this run has a share in. */
function* casesOf(on: FaultyOperation, calls: number, usual: number): Iterable<FaultCase> {
  let number = 0;
  for (const code of CODES[on]) {
    for (const times of IS_SHORT ? [usual] : [1, Number.POSITIVE_INFINITY]) {
      for (let after = (number * 7) % Math.min(SHARE, calls); after < calls; after += SHARE) {
        number++;
        yield { on, code, after, times, ...(on === 'write' && { partialBytes: after % 40 }) };
      }
    }
  }
}

describe.each([
  ['answers after the write', false],
  ['answers after the fsync', true],
])('%s: a fault of every', (_, flushesEach) => {
  let calls: ReadonlyMap<FaultyOperation, number>;

  beforeAll(async () => {
    calls = await callsOf(flushesEach);
  });

  it.each(Object.keys(CODES) as FaultyOperation[])(
    '%s',
    async (on) => {
      const count = calls.get(on) ?? 0;
      expect(count).toBeGreaterThan(0);
      const failed: string[] = [];
      for (const fault of casesOf(on, count, flushesEach ? Number.POSITIVE_INFINITY : 1)) {
        const wrong = await lifeWith(fault, flushesEach).catch((error: Error) => [`threw ${error.stack}`]);
        if (wrong.length > 0) failed.push(`${JSON.stringify(fault)}: ${wrong.slice(0, 4).join('; ')}`);
      }
      expect(failed).toEqual([]);
    },
    3_600_000,
  );
});
