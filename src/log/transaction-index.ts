/**
 * The aborted transactions that ended in a segment, so that a read_committed reader can leave their records out:
 * `%020d.txnindex`, entries of version, producer id, first offset, last offset, last stable offset. Most segments have
 * none, and then no file. Read into memory when first asked for. (Kafka: TransactionIndex, schema AbortedTxn.)
 */
import { decodeAbortedTxn, encodeAbortedTxn } from '../codec/generated/records/aborted-txn';
import { MalformedMessage } from '../codec/malformed';
import { Reader } from '../codec/reader';
import { Writer } from '../codec/writer';
import type { OpenFiles } from './open-files';
import type { AbortedTransactionEntry } from './producer-state';

const VERSION = 0;
const ENTRY_BYTES = 34;

function encode(entry: AbortedTransactionEntry): Buffer {
  const writer = new Writer(ENTRY_BYTES);
  writer.int16(VERSION);
  encodeAbortedTxn(writer, entry, VERSION);
  return writer.finishBuffer();
}

/** Undefined when the content is damaged. */
function decode(content: Buffer): AbortedTransactionEntry[] | undefined {
  if (content.length % ENTRY_BYTES !== 0) return undefined;
  try {
    const reader = new Reader(content);
    const entries: AbortedTransactionEntry[] = [];
    while (reader.remaining > 0) entries.push(decodeAbortedTxn(reader, reader.int16()));
    return entries;
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
}

export class TransactionIndex {
  readonly #files: OpenFiles;
  readonly #path: string;
  readonly #storedBytes: number;
  #entries: AbortedTransactionEntry[] | undefined;
  /** Entries at the front that are in the file. */
  #written = 0;

  /** `storedBytes`: size of the file, 0 when it does not exist. */
  constructor(files: OpenFiles, path: string, storedBytes: number) {
    this.#files = files;
    this.#path = path;
    this.#storedBytes = storedBytes;
  }

  get isEmpty(): boolean {
    return this.sizeInBytes === 0;
  }

  /** Of the file, once all is written. */
  get sizeInBytes(): number {
    return this.#entries ? this.#entries.length * ENTRY_BYTES : this.#storedBytes;
  }

  /** Whether the file is one: entries of a known version, their offsets in order and within the segment. */
  isSane(baseOffset: number): boolean {
    if (this.#entries || this.#storedBytes === 0) return true;
    const entries = decode(this.#content());
    return (
      entries?.every(
        ({ firstOffset, lastOffset, lastStableOffset }, i) =>
          lastOffset >= baseOffset &&
          firstOffset < lastOffset &&
          lastStableOffset >= 0 &&
          (i === 0 || lastOffset > entries[i - 1]!.lastOffset),
      ) === true
    );
  }

  append(entry: AbortedTransactionEntry): void {
    this.#loaded().push(entry);
  }

  get hasUnwritten(): boolean {
    return this.#entries !== undefined && this.#written < this.#entries.length;
  }

  /** Brings the file up to date; makes none where there is nothing to say. Not synced. */
  writeOut(): void {
    if (!this.hasUnwritten) return;
    const missing = this.#loaded().slice(this.#written).map(encode);
    this.#files.forWriting(this.#path).write(Buffer.concat(missing), this.#written * ENTRY_BYTES);
    this.#written = this.#loaded().length;
  }

  /**
   * Adds to `found` the transactions that touch [fromOffset, toOffset); true when later segments cannot have more.
   */
  collect(fromOffset: number, toOffset: number, found: AbortedTransactionEntry[]): boolean {
    if (this.sizeInBytes === 0) return false;
    for (const entry of this.#loaded()) {
      if (entry.lastOffset >= fromOffset && entry.firstOffset < toOffset) found.push(entry);
      if (entry.lastStableOffset >= toOffset) return true;
    }
    return false;
  }

  /** Drops the transactions that ended at or after `offset`. */
  truncateTo(offset: number): void {
    if (this.sizeInBytes === 0) return;
    const kept = this.#loaded().filter(({ lastOffset }) => lastOffset < offset);
    if (kept.length === this.#loaded().length) return;
    this.#entries = kept;
    if (kept.length >= this.#written) return;
    this.#files.forWriting(this.#path).truncate(kept.length * ENTRY_BYTES);
    this.#written = kept.length;
  }

  reset(): void {
    if (this.#storedBytes > 0 || this.#written > 0) this.#files.forWriting(this.#path).truncate(0);
    this.#entries = [];
    this.#written = 0;
  }

  #loaded(): AbortedTransactionEntry[] {
    if (!this.#entries) {
      this.#entries = this.#storedBytes > 0 ? (decode(this.#content()) ?? []) : [];
      this.#written = this.#entries.length;
    }
    return this.#entries;
  }

  #content(): Buffer {
    const content = Buffer.alloc(this.#storedBytes);
    return content.subarray(0, this.#files.forReading(this.#path).read(content, 0));
  }
}
