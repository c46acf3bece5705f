/**
 * Random lives of logs in several directories against a model: made, appended to under rising epochs, trimmed,
 * truncated, moved, moved again before the move is over, deleted and made anew under the same name, with disks that
 * fail, stops, kills and power cuts, between operations and in the midst of them. Afterwards what is in memory is what
 * the model says, and what is on the disk is what is in memory: epochs, log starts, recovery points, snapshots, ids.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { ZERO_UUID } from '../base/random';
import { type CrashMode, FaultyFileSystem, type FaultyOperation } from '../testing/faulty-file-system';
import { batchOf, openLogs, readAll, seededRandom, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import {
  formatEpochs,
  LOG_START_OFFSET_CHECKPOINT,
  parseEpochs,
  RECOVERY_POINT_CHECKPOINT,
  readOffsets,
  readTopicId,
} from './checkpoint-file';
import { type EpochEntry, entriesBefore, LeaderEpochs } from './leader-epochs';
import { offsetOfFileName, SNAPSHOT_SUFFIX } from './log-file-name';
import type { LogManager } from './log-manager';
import type { PartitionLog } from './partition-log';
import { decodeSnapshot } from './producer-snapshot';

const DIRECTORIES = ['/a', '/b', '/c'];
const TOPICS = ['t', 'u'];
const CHECKPOINT_MS = 1000;

const topic = fc.constantFrom(...TOPICS);
const directory = fc.constantFrom(...DIRECTORIES);
const thousandths = fc.nat({ max: 1000 });
const mode = fc.constantFrom<CrashMode>('synced-only', 'some-unsynced', 'all-unsynced');
const operation = fc.constantFrom<FaultyOperation>('write', 'sync', 'rename', 'remove', 'create', 'sync-directory');

/** What is done to a topic's log; a crash may come in the midst of each. */
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append' as const), topic, count: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('raise epoch' as const), topic }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const), topic }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('trim' as const), topic, at: thousandths }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), topic, at: thousandths }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('begin move' as const), topic, directory }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), topic, directory }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('copy' as const), topic, bytes: fc.nat({ max: 2000 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('exchange' as const), topic }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end move' as const), topic }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('delete' as const), topic }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write behind' as const), topic }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('do' as const), action }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      action,
      on: operation,
      code: fc.constantFrom('EIO', 'ENOSPC'),
      after: fc.nat({ max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('beside a move' as const),
      action,
      directory,
      turns: fc.nat({ max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('let time pass' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), mode }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('crash' as const), mode, seed: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash amid' as const),
      action,
      on: operation,
      after: fc.nat({ max: 25 }),
      mode,
      seed: fc.nat(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A topic as it should be. */
class Model {
  texts: string[] = [];
  epochs: EpochEntry[] = [];
  start = 0;
  /** The start that holds; one that was refused may be forgotten by a crash. */
  savedStart = 0;
  /** How far the start came, with the epochs. */
  trimmedTo = 0;
  /** Below it all is durable. */
  durable = 0;
  epoch = 0;
  /** Starts that a trim asked for and may or may not have set. */
  maybeStart: number | undefined;
  /** The offset down to which a truncation may have come. */
  maybeEnd: number | undefined;
  /** It may be gone: a deletion failed or was cut short. */
  mayBeGone = false;

  constructor(readonly id: string) {}

  get end(): number {
    return this.texts.length;
  }

  raiseEpoch(): void {
    this.epoch++;
    this.epochs = this.epochs.filter(({ startOffset }) => startOffset < this.end);
    this.epochs.push({ epoch: this.epoch, startOffset: this.end });
  }

  /** An append notes the epoch that it comes under. */
  noteEpoch(): void {
    if (this.epochs.at(-1)?.epoch !== this.epoch) this.epochs.push({ epoch: this.epoch, startOffset: this.end });
  }

  cut(end: number): void {
    this.texts.length = end;
    this.durable = Math.min(this.durable, end);
    this.epochs = this.epochs.filter(({ startOffset }) => startOffset < end);
  }

  /** As the log counts them: from its start on. */
  get expectedEpochs(): readonly EpochEntry[] {
    return this.asCounted(this.epochs);
  }

  /** Entries as a start takes them. */
  asCounted(entries: readonly EpochEntry[]): readonly EpochEntry[] {
    const epochs = new LeaderEpochs();
    epochs.load(entries);
    epochs.truncateFromStart(this.trimmedTo);
    return entriesBefore(epochs.entries, this.end);
  }
}

class Life {
  readonly #clock = new ManualClock();
  #disk = new FaultyFileSystem(this.#clock);
  #manager!: LogManager;
  readonly #models = new Map<string, Model>();
  /** One for all starts: names of directories are not made twice. */
  readonly #random = seededRandom(1);
  #ids = 0;
  #isFailing = false;
  /** Something else goes on beside a move. */
  #isBeside = false;
  #texts = 0;

  constructor(private readonly maxOpenFiles: number) {}

  async open(): Promise<void> {
    this.#manager = await openLogs({
      fileSystem: this.#disk,
      clock: this.#clock,
      random: this.#random,
      logDirs: DIRECTORIES,
      config: { retentionMs: -1, segmentBytes: 400, indexIntervalBytes: 100, fileDeleteDelayMs: 500 },
      recoveryPointCheckpointIntervalMs: CHECKPOINT_MS,
      maxOpenFiles: this.maxOpenFiles,
    });
  }

  async step(next: Step): Promise<void> {
    switch (next.kind) {
      case 'do':
        await this.#act(next.action);
        return this.#expectAll();
      case 'fail':
        return this.#fail(next);
      case 'beside a move':
        return this.#besideMove(next);
      case 'let time pass':
        return this.#clock.advance(CHECKPOINT_MS);
      case 'stop':
        return this.#stop(next.mode);
      case 'crash':
        await this.#crash(this.#disk.crash(next.mode, seededRandom(next.seed)), next.mode);
        return;
      case 'crash amid':
        return this.#crashAmid(next);
    }
  }

  async end(): Promise<void> {
    await this.#stop('all-unsynced');
    await this.#manager.close({ clean: false });
  }

  async kill(): Promise<void> {
    this.#disk.takeNoFaults();
    await this.#manager.close({ clean: false });
  }

  #log(name: string): PartitionLog {
    const log = this.#manager.get(name, 0);
    if (!log) throw new Error(`no log of ${name}`);
    return log;
  }

  /** Makes the log where there is none; its model, and whether it can be used. */
  async #made(name: string): Promise<Model | undefined> {
    const last = this.#models.get(name);
    // A deletion that was refused may have come far enough.
    const known = last?.mayBeGone && !this.#manager.get(name, 0) ? undefined : last;
    if (known && this.#manager.get(name, 0)) return this.#log(name).isOffline ? undefined : known;
    const id = known?.id ?? `id${String(this.#ids++).padStart(19, '0')}A`;
    const model = known ?? new Model(id);
    const made = await this.#manager.create(name, 0, id);
    if (!made.ok) return undefined;
    this.#models.set(name, model);
    return model;
  }

  async #act(next: Action): Promise<void> {
    const model = await this.#made(next.topic);
    if (!model) return;
    const log = this.#log(next.topic);
    const key = `${next.topic}-0`;
    const { futures, placement } = this.#manager;
    switch (next.kind) {
      case 'append':
        return this.#append(log, model, next.count);
      case 'raise epoch':
        model.raiseEpoch();
        log.assignEpoch(model.epoch);
        return;
      case 'flush': {
        const { end } = model;
        if ((await log.flush()).ok) model.durable = end;
        return;
      }
      case 'trim':
        return this.#trim(log, model, next.at);
      case 'truncate':
        return this.#truncate(log, model, next.at);
      case 'begin move':
      case 'move': {
        const target = placement.directory(next.directory)!;
        if (futures.targetOf(key) !== undefined && !(await futures.drop(key)).ok) return;
        // A deletion or another move may have come in between.
        if (this.#manager.get(next.topic, 0) !== log || log.directory.startsWith(target.path) || futures.has(key))
          return;
        await futures.create(key, target);
        if (next.kind === 'move') await this.#exchange(next.topic, model, log);
        return;
      }
      case 'copy':
        await futures.copy(key, next.bytes);
        return;
      case 'exchange':
        return this.#exchange(next.topic, model, log);
      case 'end move':
        await futures.drop(key);
        return;
      case 'delete':
        model.mayBeGone = true;
        if ((await this.#manager.delete(next.topic, 0)).ok) this.#models.delete(next.topic);
        return;
      case 'write behind':
        return log.writeBehind();
    }
  }

  async #exchange(name: string, model: Model, log: PartitionLog): Promise<void> {
    const isUnderWay = this.#manager.futures.has(`${name}-0`);
    const exchanged = await this.#manager.futures.exchange(`${name}-0`, log);
    if (this.#isBeside || !isUnderWay) return;
    if (!this.#isFailing && !log.isOffline)
      expect([name, exchanged.ok && exchanged.value !== undefined]).toEqual([name, true]);
    if (!exchanged.ok || !exchanged.value) return;
    // From now on a crash finds what is in the copy.
    this.#expectInPlace(name, model);
  }

  async #append(log: PartitionLog, model: Model, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const text = `${this.#texts++}`.padEnd(1 + (this.#texts % 60), '.');
      const batch = batchOf([text], { producerId: 1, producerEpoch: 0, baseSequence: model.end });
      // In the model before it is in the log: a crash may come in between.
      model.noteEpoch();
      model.texts.push(text);
      const answer = await log.append(batch, { origin: 'client', leaderEpoch: model.epoch }).promise();
      if (answer.ok) expect(answer.value).toMatchObject({ firstOffset: model.end - 1, duplicate: false });
      else if (!log.isOffline) model.texts.pop();
      if (!answer.ok) return;
    }
  }

  async #trim(log: PartitionLog, model: Model, at: number): Promise<void> {
    const start = model.start + Math.floor(((model.end - model.start) * at) / 1000);
    log.setHighWatermark(model.end);
    model.maybeStart = start;
    const trimmed = await log.deleteRecordsBefore(start);
    if (!trimmed.ok) {
      if (log.isOffline) return;
      model.start = Math.max(model.start, log.logStartOffset);
      model.trimmedTo = Math.max(model.trimmedTo, model.start);
    } else {
      expect(trimmed.value).toBe(start);
      model.start = start;
      model.savedStart = start;
      model.trimmedTo = Math.max(model.trimmedTo, start);
    }
    model.maybeStart = undefined;
  }

  async #truncate(log: PartitionLog, model: Model, at: number): Promise<void> {
    const end = model.start + Math.floor(((model.end - model.start) * at) / 1000);
    if (end >= model.end) return;
    model.maybeEnd = end;
    model.durable = Math.min(model.durable, end);
    const done = await log.truncateTo(end);
    if (!done.ok) return;
    model.cut(end);
    model.maybeEnd = undefined;
  }

  async #fail(next: Extract<Step, { kind: 'fail' }>): Promise<void> {
    const { on, code, after } = next;
    const fault = this.#disk.inject({ on, code, after, times: 1 });
    this.#isFailing = true;
    await this.#act(next.action);
    this.#isFailing = false;
    fault.lift();
    await this.#expectAll();
  }

  async #besideMove({
    action: other,
    directory: path,
    turns,
  }: Extract<Step, { kind: 'beside a move' }>): Promise<void> {
    const model = await this.#made(other.topic);
    if (!model) return;
    this.#isBeside = true;
    const moved = this.#act({ kind: 'move', topic: other.topic, directory: path });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const log = this.#manager.get(other.topic, 0);
    const { start } = model;
    if (log && this.#models.get(other.topic) === model) await this.#act(other);
    await moved;
    this.#isBeside = false;
    // What came to the log in the moment in which another took its place was refused, or taken along.
    if (other.kind === 'trim' && model.start !== start) model.start = this.#manager.get(other.topic, 0)!.logStartOffset;
    await this.#expectAll();
  }

  async #crashAmid(next: Extract<Step, { kind: 'crash amid' }>): Promise<void> {
    let image: FaultyFileSystem | undefined;
    let left = next.after;
    const look = (): void => {
      if (left-- > 0) this.#disk.before(next.on, /./, look);
      else image ??= this.#disk.crash(next.mode, seededRandom(next.seed));
    };
    this.#disk.before(next.on, /./, look);
    const durable = new Map(Array.from(this.#models.values(), (model) => [model, model.durable]));
    const before = this.#models.get(next.action.topic);
    const [start, savedStart] = [before?.start, before?.savedStart];
    await this.#act(next.action);
    if (!image) return this.#expectAll();
    // What was answered after the crash counts for nothing.
    for (const [model, upTo] of durable) model.durable = Math.min(model.durable, upTo);
    if (before) {
      if (next.action.kind === 'trim') {
        before.maybeStart ??= before.start;
        before.start = start!;
        before.savedStart = savedStart!;
      }
      if (next.action.kind === 'truncate') before.maybeEnd = before.end;
      if (!this.#models.has(next.action.topic)) this.#models.set(next.action.topic, before);
    }
    await this.#crash(image, next.mode, next.action);
  }

  async #stop(crashMode: CrashMode): Promise<void> {
    await this.#manager.close({ clean: true });
    for (const [name, model] of this.#models) {
      // A flush that goes on by itself may have met the fault only now.
      if (this.#manager.get(name, 0)?.isOffline !== false) continue;
      model.durable = model.end;
      this.#expectOnDisk(name, model);
    }
    this.#disk = this.#disk.crash(crashMode, seededRandom(1));
    await this.open();
    await this.#settle(crashMode);
  }

  async #crash(image: FaultyFileSystem, crashMode: CrashMode, amid?: Action): Promise<void> {
    await this.#manager.close({ clean: false });
    this.#disk = image;
    await this.open();
    await this.#settle(crashMode, amid);
  }

  /** After a start: what may be lost may, the rest may not. */
  async #settle(crashMode: CrashMode, amid?: Action): Promise<void> {
    for (const [name, model] of this.#models) {
      const log = this.#manager.get(name, 0);
      const isKept = crashMode === 'all-unsynced' && amid?.topic !== name && model.maybeEnd === undefined;
      if (!log || (log.topicId !== model.id && model.durable === 0 && model.start === 0)) {
        const mayBeGone = model.mayBeGone || model.durable === 0;
        if (!mayBeGone || (isKept && !model.mayBeGone && log === undefined && model.end > 0 && !this.#isNew(model)))
          throw new Error(`${name} is gone, ${model.durable} records were durable`);
        this.#models.delete(name);
        continue;
      }
      // A power cut may take the id of a log that was never flushed; whoever asks for the log brings it again.
      if (log.topicId === ZERO_UUID && model.durable === 0) await this.#manager.create(name, 0, model.id);
      expect([name, log.topicId]).toEqual([name, model.id]);
      model.mayBeGone = false;
      if (model.maybeStart === log.logStartOffset || model.savedStart === log.logStartOffset)
        model.start = log.logStartOffset;
      model.savedStart = model.start;
      model.trimmedTo = Math.max(model.trimmedTo, model.start, model.maybeStart ?? 0);
      model.maybeStart = undefined;
      model.maybeEnd = undefined;
      if (log.logEndOffset < model.durable || log.logEndOffset > model.end || log.logStartOffset !== model.start)
        throw new Error(
          `${name}: [${log.logStartOffset}, ${log.logEndOffset}), not [${model.start}, ${model.durable}..${model.end})`,
        );
      model.cut(log.logEndOffset);
      model.epoch = Math.max(model.epoch, log.latestEpoch);
    }
    for (const { topicPartition } of this.#manager.logs()) {
      if (!this.#models.has(topicPartition.topic)) await this.#manager.delete(topicPartition.topic, 0);
    }
    await this.#expectAll();
  }

  #isNew(model: Model): boolean {
    return model.durable === 0;
  }

  async #expectAll(): Promise<void> {
    for (const [name, model] of this.#models) {
      const log = this.#manager.get(name, 0);
      if (!log || log.isOffline) continue;
      expect([name, log.topicId, log.logStartOffset, log.logEndOffset]).toEqual([
        name,
        model.id,
        model.start,
        model.end,
      ]);
      expect(textsOf(await readAll(log))).toEqual(model.texts.slice(model.start));
      const { expectedEpochs } = model;
      for (let offset = Math.max(model.start, model.trimmedTo); offset < model.end; offset++) {
        const expected = expectedEpochs.findLast(({ startOffset }) => startOffset <= offset)?.epoch ?? -1;
        expect([name, offset, log.epochForOffset(offset)]).toEqual([name, offset, expected]);
      }
    }
  }

  /** After a clean stop. */
  #expectOnDisk(name: string, model: Model): void {
    const key = `${name}-0`;
    const home = this.#expectInPlace(name, model);
    for (const path of DIRECTORIES) {
      const start = readOffsets(this.#disk, path, LOG_START_OFFSET_CHECKPOINT).get(key) ?? 0;
      const recovery = readOffsets(this.#disk, path, RECOVERY_POINT_CHECKPOINT).get(key);
      if (path === home) expect([name, recovery]).toEqual([name, model.end]);
      else expect([name, path, start, recovery]).toEqual([name, path, 0, undefined]);
    }
  }

  /** In one directory, with all that belongs to it; gives that directory. */
  #expectInPlace(name: string, model: Model): string {
    const key = `${name}-0`;
    const homes = DIRECTORIES.filter((path) => this.#disk.stat(join(path, key)));
    expect([name, homes.length]).toEqual([name, 1]);
    const path = join(homes[0]!, key);
    expect(readTopicId(this.#disk, path)).toBe(model.id);
    const names = this.#disk.list(path).map((entry) => entry.name);
    const stored = names.includes('leader-epoch-checkpoint')
      ? parseEpochs(this.#disk.readFile(join(path, 'leader-epoch-checkpoint')))
      : [];
    const epochs = formatEpochs(model.asCounted(stored ?? [])).toString();
    expect(`${name} ${epochs}`).toBe(`${name} ${formatEpochs(model.expectedEpochs)}`);
    for (const file of names) this.#expectSnapshot(join(path, file), offsetOfFileName(file, SNAPSHOT_SUFFIX), model);
    return homes[0]!;
  }

  #expectSnapshot(path: string, offset: number | undefined, model: Model): void {
    if (offset === undefined) return;
    const entries = decodeSnapshot(this.#disk.readFile(path));
    const last = entries?.[0]?.batches.at(-1);
    const sequences = last ? [last.lastOffset, last.lastSequence] : [];
    // Of what was trimmed a truncation may forget the sequences, as in Kafka.
    if (offset > model.trimmedTo && sequences.length > 0)
      expect([path, ...sequences]).toEqual([path, offset - 1, offset - 1]);
    expect([path, offset <= model.end]).toEqual([path, true]);
  }
}

describe('logs in several directories against a model', () => {
  it('are what they should be, in memory and on the disks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.constantFrom(8, 200),
        async (steps, maxOpenFiles) => {
          const life = new Life(maxOpenFiles);
          await life.open();
          try {
            for (const next of steps) await life.step(next);
            await life.end();
          } catch (error) {
            await life.kill();
            throw error;
          }
        },
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? 25) },
    );
  }, 3_600_000);
});
