/**
 * The life of some logs in steps, as a broker leads it: topics made, filled, rolled, cut by retention and
 * DeleteRecords, compacted, deleted and made again, stopped and started. It goes on whatever fails, as clients do, and
 * remembers what was acknowledged; afterwards it tells what of that does not hold. For tests with a disk that fails.
 */
import type { Logger } from '../base/logger';
import { StartFailure } from '../base/start-failure';
import { ErrorCode } from '../codec/generated/errors';
import type { LogConfig } from '../config/log-config';
import { FileSystemError } from '../log/file-system';
import type { LogManager } from '../log/log-manager';
import type { PartitionLog } from '../log/partition-log';
import { buildBatch } from '../records/batch-builder';
import { consume } from './compaction-fixture';
import type { CrashMode, FaultyFileSystem } from './faulty-file-system';
import { logConfig, openLogs, seededRandom } from './log-fixture';
import type { ManualClock } from './manual-clock';

type Topic = 'plain' | 'retained' | 'compacted' | 'reborn';

interface Outstanding {
  readonly texts: readonly string[];
  readonly baseSequence: number;
}

/** What clients know of a topic. */
interface Known {
  id: string;
  /** Sent, whether acknowledged or not. */
  readonly sent: Set<string>;
  /** Offsets by text. */
  readonly acknowledged: Map<string, number>;
  /** Sent, not acknowledged yet, oldest first: an idempotent producer sends them again until they are. */
  readonly outstanding: Outstanding[];
  nextSequence: number;
  startOffset: number;
  highestStartAsked: number;
  wish: 'there' | 'gone';
  /** Its creation was acknowledged. */
  isThere: boolean;
}

const TICK_MS = 1000;
const KEYS = 4;
const CONFIGS: Readonly<Record<Topic, Partial<LogConfig>>> = {
  plain: {},
  retained: { retentionBytes: 900 },
  compacted: { cleanupCompact: true, cleanupDelete: false, minCleanableDirtyRatio: 0.01 },
  reborn: {},
};
export const TOPICS = Object.keys(CONFIGS) as Topic[];
const PRODUCER = { producerId: 7, producerEpoch: 0 };

function topicId(topic: string, life: number): string {
  return `${topic}${life}`.padEnd(22, 'A');
}

export class LogStory {
  /** Operations that failed, for a test to compare with what was logged. */
  readonly failures: string[] = [];
  /** A start could not use a log: the next one has to. */
  hasStartedBadly = false;
  disk: FaultyFileSystem;
  manager: LogManager | undefined;
  readonly #clock: ManualClock;
  readonly #logger: Logger;
  readonly #flushesEach: boolean;
  readonly #known = new Map<Topic, Known>();
  #lives = 0;

  constructor(o: { disk: FaultyFileSystem; clock: ManualClock; logger: Logger; flushesEach: boolean }) {
    this.disk = o.disk;
    this.#clock = o.clock;
    this.#logger = o.logger;
    this.#flushesEach = o.flushesEach;
  }

  /** All of it. Rejects for nothing that a disk does. */
  async run(): Promise<void> {
    await this.start();
    for (const topic of TOPICS) await this.#create(topic);
    for (let round = 0; round < 4; round++) {
      for (const topic of TOPICS) await this.#produce(topic, 3);
      await this.#tick();
    }
    await this.#deleteRecords(5);
    await this.#delete('reborn');
    await this.#create('reborn');
    for (const topic of TOPICS) await this.#produce(topic, 3);
    await this.stop(true);
    await this.start();
    for (const topic of TOPICS) await this.#produce(topic, 2);
    await this.#deleteRecords(9);
    await this.#tick();
    await this.kill('all-unsynced');
    await this.start();
    for (const topic of TOPICS) await this.#produce(topic, 1);
  }

  /** What clients do until all is acknowledged that they want. */
  async catchUp(): Promise<void> {
    if (!this.manager) await this.start();
    for (const [topic, known] of [...this.#known]) {
      if (known.wish === 'gone') await this.#delete(topic);
      await this.#create(topic);
      await this.#produce(topic, 1);
    }
    const plain = this.#known.get('plain');
    if (plain && plain.highestStartAsked > plain.startOffset) await this.#deleteRecords(plain.highestStartAsked);
    await this.#tick();
  }

  log(topic: string): PartitionLog | undefined {
    return this.manager?.get(topic, 0);
  }

  /** Batches that clients still wait for. */
  get outstanding(): string[] {
    return [...this.#known].flatMap(([topic, { outstanding }]) => outstanding.map(({ texts }) => `${topic} ${texts}`));
  }

  async start(): Promise<void> {
    try {
      this.manager = await openLogs({
        fileSystem: this.disk,
        clock: this.#clock,
        logger: this.#logger,
        topicConfig: (topic) => this.#config(topic as Topic),
        retentionCheckIntervalMs: TICK_MS,
        flushSchedulerIntervalMs: TICK_MS,
        recoveryPointCheckpointIntervalMs: TICK_MS,
        logStartOffsetCheckpointIntervalMs: TICK_MS,
        highWatermarkCheckpointIntervalMs: TICK_MS,
        cleaner: () => ({
          dedupeBufferBytes: 4096,
          dedupeBufferLoadFactor: 0.9,
          ioBufferBytes: 4096,
          maxBytesPerSecond: Number.MAX_VALUE,
          backoffMs: TICK_MS / 2,
        }),
      });
    } catch (error) {
      // A broker that cannot start says so, and its operator starts it again.
      if (!(error instanceof FileSystemError || error instanceof StartFailure)) throw error;
      this.#note('start', error.message);
    }
    for (const [topic, { isThere }] of this.#known) if (isThere && !this.log(topic)) this.hasStartedBadly = true;
  }

  async stop(clean: boolean): Promise<void> {
    await this.manager?.close({ clean });
    this.manager = undefined;
  }

  /** The end of the process, or of the machine. */
  async kill(mode: CrashMode): Promise<void> {
    const before = this.disk;
    this.disk = this.disk.crash(mode, seededRandom(1));
    this.disk.takeFaultsFrom(before);
    await this.stop(false);
  }

  #config(topic: Topic): LogConfig {
    const flushMessages = this.#flushesEach ? 1 : Number.POSITIVE_INFINITY;
    const common = { retentionMs: -1, segmentBytes: 500, indexIntervalBytes: 120, flushMs: TICK_MS, flushMessages };
    return logConfig({ ...common, fileDeleteDelayMs: TICK_MS, ...CONFIGS[topic] });
  }

  #note(what: string, why: string | undefined): void {
    this.failures.push(`${what}: ${why}`);
  }

  /** Lets the background work come by. */
  async #tick(): Promise<void> {
    await this.#clock.advance(TICK_MS);
  }

  /** Also where it is not known whether an earlier attempt succeeded. */
  async #create(topic: Topic): Promise<void> {
    if (!this.manager) return;
    const known = this.#known.get(topic) ?? this.#forget(topic);
    if (known.wish === 'gone') return;
    const created = await this.manager.create(topic, 0, known.id);
    known.isThere = created.ok || known.isThere;
    if (!created.ok) this.#note(`create ${topic}`, created.message);
  }

  /** A topic of which nobody knows anything yet. */
  #forget(topic: Topic): Known {
    const known: Known = {
      id: topicId(topic, ++this.#lives),
      sent: new Set(),
      acknowledged: new Map(),
      outstanding: [],
      nextSequence: 0,
      startOffset: 0,
      highestStartAsked: 0,
      wish: 'there',
      isThere: false,
    };
    this.#known.set(topic, known);
    return known;
  }

  /** A topic whose deletion succeeded is another one afterwards. */
  async #delete(topic: Topic): Promise<void> {
    const known = this.#known.get(topic);
    if (!this.manager || !known) return;
    known.wish = 'gone';
    const deleted = await this.manager.delete(topic, 0);
    if (deleted.ok || deleted.error === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) this.#forget(topic);
    else this.#note(`delete ${topic}`, deleted.message);
  }

  async #produce(topic: Topic, batches: number): Promise<void> {
    const known = this.#known.get(topic);
    const log = this.log(topic);
    if (!known?.isThere || !log || known.wish === 'gone') return;
    for (let i = 0; i < batches; i++) {
      const baseSequence = known.nextSequence;
      const texts = [0, 1].map((at) => `${topic}-${known.id}-${baseSequence + at}`);
      known.nextSequence += texts.length;
      for (const text of texts) known.sent.add(text);
      known.outstanding.push({ texts, baseSequence });
    }
    while (known.outstanding.length > 0 && (await this.#send(topic, known, log))) known.outstanding.shift();
  }

  async #send(topic: Topic, known: Known, log: PartitionLog): Promise<boolean> {
    const { texts, baseSequence } = known.outstanding[0]!;
    const records = texts.map((text, at) => ({
      timestamp: this.#clock.nowMs(),
      key: Buffer.from(`k${(baseSequence + at) % KEYS}`),
      value: Buffer.from(text),
    }));
    const options = { origin: 'client' as const, leaderEpoch: Math.floor(baseSequence / 8) };
    const result = await log.append(buildBatch({ records, ...PRODUCER, baseSequence }), options).promise();
    if (!result.ok) {
      this.#note(`append to ${topic}`, result.error.message);
      return false;
    }
    texts.forEach((text, at) => {
      known.acknowledged.set(text, result.value.firstOffset + at);
    });
    log.setHighWatermark(log.logEndOffset);
    return true;
  }

  async #deleteRecords(offset: number): Promise<void> {
    const known = this.#known.get('plain');
    const log = this.log('plain');
    if (!known || !log || offset > log.highWatermark) return;
    known.highestStartAsked = Math.max(known.highestStartAsked, offset);
    const deleted = await log.deleteRecordsBefore(offset);
    if (deleted.ok) known.startOffset = offset;
    else this.#note('delete records', deleted.message);
  }

  /** What does not hold of that which was acknowledged; nothing when all does. */
  async wrong(): Promise<string[]> {
    const wrong: string[] = [];
    for (const [topic, known] of this.#known) {
      const log = this.log(topic);
      // A deletion whose outcome is not known leaves the topic or not.
      if (known.wish === 'gone') continue;
      if (log && log.topicId !== known.id) wrong.push(`${topic} is back`);
      if (!log && known.isThere) wrong.push(`${topic} is lost`);
      if (log?.topicId !== known.id) continue;
      for (const text of await wrongRecords(topic, known, log)) wrong.push(`${topic}: ${text}`);
    }
    return wrong;
  }
}

async function wrongRecords(topic: Topic, known: Known, log: PartitionLog): Promise<string[]> {
  const wrong: string[] = [];
  const places = new Map<string, number>();
  for (const { offset, value } of (await consume(log)).records) {
    const text = String(value);
    if (!known.sent.has(text)) wrong.push(`${text} at ${offset} was never sent`);
    if (places.has(text)) wrong.push(`${text} is there twice`);
    places.set(text, offset);
  }
  const { logStartOffset } = log;
  if (topic === 'plain') {
    const { startOffset, highestStartAsked } = known;
    if (logStartOffset < startOffset)
      wrong.push(`the log starts at ${logStartOffset}, ${startOffset} was acknowledged`);
    if (logStartOffset > highestStartAsked) wrong.push(`the log starts at ${logStartOffset}`);
  }
  const newest = new Map<number, string>();
  const keyOf = (text: string): number => Number(text.split('-').at(-1)) % KEYS;
  for (const text of known.sent) if (places.has(text)) newest.set(keyOf(text), text);
  for (const [text, offset] of known.acknowledged) {
    const place = places.get(text);
    if (place !== undefined ? place === offset : offset < logStartOffset) continue;
    const isCompacted = topic === 'compacted' && place === undefined;
    if (isCompacted && numberOf(newest.get(keyOf(text))) > numberOf(text)) continue;
    wrong.push(`${text} was acknowledged at ${offset}, it is at ${place}`);
  }
  return wrong;
}

function numberOf(text: string | undefined): number {
  return text === undefined ? -1 : Number(text.split('-').at(-1));
}
