/**
 * The files of an embedded control store: `X.journal`, one line per group of transactions, and `X.snapshot`, the tree
 * at one moment. A line is a checksum (16 hex digits of SHA-256), a space and JSON; a person can read it. The journal
 * ends in zeros: room that was taken ahead, so that on a full disk topics can be deleted and a broker can start.
 *
 * Invariants: a group is durable when `append` resolves. A line is whole or not there: only the last one can be torn,
 * and then it was never acknowledged. Groups are numbered; a snapshot names the last one in it, so lines that are
 * left behind by a crash between snapshot and truncation are skipped.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { assert } from '../base/assert';
import { err, ok, type Result } from '../base/result';
import type { ControlOperation } from './control-store';
import type { StoredNode } from './control-tree';
import type { JournalFile, JournalStorage } from './journal-storage';

/** The operations of one group; checks and ephemeral nodes are not kept. */
interface Group {
  readonly number: number;
  readonly operations: readonly ControlOperation[];
}

interface Snapshot {
  readonly number: number;
  readonly nodes: readonly StoredNode[];
}

export interface JournalContent {
  readonly journal: ControlJournal;
  readonly nodes: readonly StoredNode[];
  /** What came after the snapshot, in order. */
  readonly groups: readonly (readonly ControlOperation[])[];
}

const CHECKSUM_LENGTH = 16;
/** A journal is not worth compacting before it has this many bytes. */
const SMALLEST_COMPACTION = 1 << 20;
/** Bytes of room ahead; more where journal or tree are large, since a start writes about every partition. */
const SMALLEST_RESERVE = 128 * 1024;

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, CHECKSUM_LENGTH);
}

function encodeLine(content: Group | Snapshot): Buffer {
  const json = JSON.stringify(content);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** The content of a line without its newline; undefined when its checksum is wrong. */
function decodeLine<T extends Group | Snapshot>(line: Buffer): T | undefined {
  const json = line.toString('utf8', CHECKSUM_LENGTH + 1);
  return line.toString('latin1', 0, CHECKSUM_LENGTH + 1) === `${checksum(json)} ` ? JSON.parse(json) : undefined;
}

/** The whole lines of `bytes`, and where the last of them ends. */
function readGroups(bytes: Buffer): Result<{ groups: Group[]; end: number }, string> {
  const groups: Group[] = [];
  let end = 0;
  let torn = false;
  for (let position = 0; position < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, position);
    if (newline < 0) break;
    const group = decodeLine<Group>(bytes.subarray(position, newline));
    position = newline + 1;
    if (!group) torn = true;
    else if (torn) return err(`damaged before byte ${position}: a line that was acknowledged cannot be read`);
    else {
      groups.push(group);
      end = position;
    }
  }
  return ok({ groups, end });
}

/** What the files of a store say. */
export interface JournalRead {
  readonly nodes: readonly StoredNode[];
  /** What came after the snapshot, in order. */
  readonly groups: readonly (readonly ControlOperation[])[];
  /** Where the last whole line of the journal ends. */
  readonly end: number;
  /** That of the last group. */
  readonly number: number;
}

/** `path` is that of the files without their endings; the error, for the operator, names the one that is damaged. */
export function readJournal(path: string, snapshotBytes: Buffer, journalBytes: Buffer): Result<JournalRead, string> {
  const snapshot =
    snapshotBytes.length > 0 ? decodeLine<Snapshot>(snapshotBytes.subarray(0, -1)) : { number: 0, nodes: [] };
  if (!snapshot) return err(`${path}.snapshot is damaged`);
  const read = readGroups(journalBytes);
  if (!read.ok) return err(`${path}.journal is ${read.error}`);
  const { groups, end } = read.value;
  return ok({
    nodes: snapshot.nodes,
    groups: groups.filter(({ number }) => number > snapshot.number).map(({ operations }) => operations),
    end,
    number: Math.max(snapshot.number, groups.at(-1)?.number ?? 0),
  });
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
    const snapshotBytes = storage.stat(snapshotPath) ? storage.readFile(snapshotPath) : Buffer.alloc(0);
    const isNew = storage.stat(journalPath) === undefined;
    const file = storage.open(journalPath, 'write');
    if (isNew) await storage.syncDirectory(directory);
    const bytes = Buffer.alloc(file.size());
    file.read(bytes, 0);
    const read = readJournal(path, snapshotBytes, bytes);
    if (!read.ok) {
      file.close();
      return read;
    }
    const { nodes, groups, end, number } = read.value;
    const room = Buffer.alloc(bytes.length - end);
    if (!bytes.subarray(end).equals(room)) await file.writeAsync([room], end);
    const state = {
      size: end,
      allocated: bytes.length,
      snapshotSize: snapshotBytes.length,
      number,
    };
    const journal = new ControlJournal({ storage, path, file }, state);
    await journal.#takeRoom();
    return ok({ journal, nodes, groups });
  }

  /** False after a failed sync: nothing is known about the file, so nothing may be appended. */
  get isIntact(): boolean {
    return this.#isIntact;
  }

  /** Rejects with the storage's error; the group is then not in the journal, or the journal is no longer intact. */
  async append(operations: readonly ControlOperation[]): Promise<void> {
    assert(this.#isIntact, 'append to a journal that is not intact');
    const line = encodeLine({ number: this.#number + 1, operations });
    this.#isIntact = false;
    try {
      await this.#file.writeAsync([line], this.#size);
    } catch (error) {
      await this.#wipe();
      this.#isIntact = true;
      throw error;
    }
    await this.#file.sync();
    this.#isIntact = true;
    this.#size += line.length;
    this.#allocated = Math.max(this.#allocated, this.#size);
    this.#number++;
    await this.#takeRoom();
  }

  get needsCompaction(): boolean {
    return this.#size > Math.max(SMALLEST_COMPACTION, 2 * this.#snapshotSize);
  }

  /** Replaces snapshot and journal by a snapshot of `nodes`, the tree after the last append. */
  async compact(nodes: readonly StoredNode[]): Promise<void> {
    const line = encodeLine({ number: this.#number, nodes });
    await this.#storage.replaceFile(`${this.#path}.snapshot`, line, { durable: true });
    this.#snapshotSize = line.length;
    this.#file.truncate(0);
    this.#size = 0;
    this.#allocated = 0;
    await this.#takeRoom();
  }

  /** After a failed write: what it left behind the lines goes, the room that was taken stays. */
  async #wipe(): Promise<void> {
    this.#file.truncate(this.#allocated);
    if (this.#allocated <= this.#size) return;
    try {
      await this.#file.writeAsync([Buffer.alloc(this.#allocated - this.#size)], this.#size);
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
      await this.#file.writeAsync([Buffer.alloc(wanted - this.#allocated)], this.#allocated);
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
