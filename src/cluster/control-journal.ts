/**
 * The files of an embedded control store: `X.journal`, one line per group of transactions, and `X.snapshot`, the tree
 * at one moment. A line is a checksum (16 hex digits of SHA-256), a space and JSON; a person can read it. The journal
 * ends in zeros: room that was taken ahead, so that on a full disk topics can be deleted and a broker can start.
 *
 * Invariants: a group is durable when `append` resolves. A line is whole or not there: only the last one can be torn,
 * and then it was never acknowledged. Groups are numbered; a snapshot names the last one in it, so lines that are
 * left behind by a crash between snapshot and truncation are skipped.
 */
import { dirname } from 'node:path';
import { assert } from '../base/assert';
import { ok, type Result } from '../base/result';
import { type ByteSource, bytesOf } from './byte-source';
import type { ControlOperation } from './control-store';
import type { ControlTree, StoredNode } from './control-tree';
import { encodeLine } from './journal-line';
import { readJournal } from './journal-reader';
import type { JournalFile, JournalStorage } from './journal-storage';

export interface JournalContent {
  readonly journal: ControlJournal;
  /** The tree after all that the files say. */
  readonly tree: ControlTree;
}

/** A journal is not worth compacting before it has this many bytes. */
const SMALLEST_COMPACTION = 1 << 20;
/** Bytes of room ahead; more where journal or tree are large, since a start writes about every partition. */
const SMALLEST_RESERVE = 128 * 1024;

/** What room is filled with, piece by piece. */
const ZEROS = Buffer.alloc(64 * 1024);

function zeros(bytes: number): Buffer[] {
  const whole = Array<Buffer>(Math.floor(bytes / ZEROS.length)).fill(ZEROS);
  return [...whole, ZEROS.subarray(0, bytes % ZEROS.length)];
}

/** Whether the file holds nothing but zeros from `from` on. */
function isZeroFrom(file: ByteSource, from: number): boolean {
  const window = Buffer.allocUnsafe(ZEROS.length);
  for (let position = from; ; ) {
    const bytes = file.read(window, position);
    if (bytes === 0) return true;
    if (!window.subarray(0, bytes).equals(ZEROS.subarray(0, bytes))) return false;
    position += bytes;
  }
}

export class ControlJournal {
  readonly #storage: JournalStorage;
  readonly #path: string;
  readonly #file: JournalFile;
  /** Bytes of the lines. */
  #size: number;
  /** Bytes of the file: what lies behind the lines is zeros. */
  #allocated: number;
  #snapshotSize: number;
  #number: number;
  #isIntact = true;

  private constructor(
    place: { storage: JournalStorage; path: string; file: JournalFile },
    state: { size: number; allocated: number; snapshotSize: number; number: number },
  ) {
    this.#storage = place.storage;
    this.#path = place.path;
    this.#file = place.file;
    this.#size = state.size;
    this.#allocated = state.allocated;
    this.#snapshotSize = state.snapshotSize;
    this.#number = state.number;
  }

  /**
   * `path` is that of the files without their endings. Reads what is there, wipes out a torn tail, and is ready to
   * append. The error is for the operator.
   */
  static async open(storage: JournalStorage, path: string): Promise<Result<JournalContent, string>> {
    const directory = dirname(path);
    storage.createDirectory(directory);
    const snapshotPath = `${path}.snapshot`;
    const journalPath = `${path}.journal`;
    const isNew = storage.stat(journalPath) === undefined;
    const file = storage.open(journalPath, 'write');
    if (isNew) await storage.syncDirectory(directory);
    const snapshot = storage.stat(snapshotPath) && storage.open(snapshotPath, 'write');
    const snapshotSize = snapshot?.size() ?? 0;
    const read = readJournal(path, snapshot ?? bytesOf(Buffer.alloc(0)), file);
    snapshot?.close();
    if (!read.ok) {
      file.close();
      return read;
    }
    const { tree, end, number } = read.value;
    const allocated = file.size();
    if (!isZeroFrom(file, end)) await file.writeAsync(zeros(allocated - end), end);
    const journal = new ControlJournal({ storage, path, file }, { size: end, allocated, snapshotSize, number });
    await journal.#takeRoom();
    return ok({ journal, tree });
  }

  /** False after a failed sync: nothing is known about the file, so nothing may be appended. */
  get isIntact(): boolean {
    return this.#isIntact;
  }

  /** Rejects with the storage's error; the group is then not in the journal, or the journal is no longer intact. */
  async append(operations: readonly ControlOperation[]): Promise<void> {
    assert(this.#isIntact, 'append to a journal that is not intact');
    const line = encodeLine(this.#number + 1, 'operations', operations);
    this.#isIntact = false;
    try {
      await this.#file.writeAsync(line.parts, this.#size);
    } catch (error) {
      await this.#wipe();
      this.#isIntact = true;
      throw error;
    }
    await this.#file.sync();
    this.#isIntact = true;
    this.#size += line.sizeInBytes;
    this.#allocated = Math.max(this.#allocated, this.#size);
    this.#number++;
    await this.#takeRoom();
  }

  get needsCompaction(): boolean {
    return this.#size > Math.max(SMALLEST_COMPACTION, 2 * this.#snapshotSize);
  }

  /** Replaces snapshot and journal by a snapshot of `nodes`, the tree after the last append. */
  async compact(nodes: Iterable<StoredNode>): Promise<void> {
    const line = encodeLine(this.#number, 'nodes', nodes);
    await this.#replaceSnapshot(line.parts);
    this.#snapshotSize = line.sizeInBytes;
    this.#file.truncate(0);
    this.#size = 0;
    this.#allocated = 0;
    await this.#takeRoom();
  }

  /** Durable when it resolves. */
  async #replaceSnapshot(parts: readonly Buffer[]): Promise<void> {
    const snapshotPath = `${this.#path}.snapshot`;
    const temporary = `${snapshotPath}.tmp`;
    const file = this.#storage.open(temporary, 'write');
    try {
      file.truncate(0);
      await file.writeAsync(parts, 0);
      await file.sync();
    } finally {
      file.close();
    }
    this.#storage.rename(temporary, snapshotPath);
    await this.#storage.syncDirectory(dirname(snapshotPath));
  }

  /** After a failed write: what it left behind the lines goes, the room that was taken stays. */
  async #wipe(): Promise<void> {
    this.#file.truncate(this.#allocated);
    if (this.#allocated <= this.#size) return;
    try {
      await this.#file.writeAsync(zeros(this.#allocated - this.#size), this.#size);
    } catch {
      // Where not even room that is taken can be written, the line goes by being cut off, and the room with it.
      this.#file.truncate(this.#size);
      this.#allocated = this.#size;
    }
  }

  /** Takes room for lines to come, if there is any; it becomes durable with the next of them. */
  async #takeRoom(): Promise<void> {
    const reserve = Math.ceil(Math.max(SMALLEST_RESERVE, this.#snapshotSize, this.#size / 2));
    if (this.#allocated - this.#size >= reserve) return;
    try {
      const wanted = this.#size + 2 * reserve;
      await this.#file.writeAsync(zeros(wanted - this.#allocated), this.#allocated);
      this.#allocated = wanted;
    } catch {
      // A full disk: lines that do not fit into what there is will fail, each for itself. The part is zeros, too.
      this.#allocated = Math.max(this.#size, this.#file.size());
    }
  }

  close(): void {
    this.#file.close();
  }
}
