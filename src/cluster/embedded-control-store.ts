/**
 * A control store for a single node: the tree in memory, its changes in a journal. Writes that wait together share one
 * write and one fsync. Knows nothing of what the nodes mean.
 * Invariants: reads and writes take turns, so a read sees exactly what is durable; a transaction whose write fails
 * leaves no trace; after a failed fsync the store answers `unavailable` until the broker starts anew.
 */
import type { Logger } from '../base/logger';
import { err, ok, type Result } from '../base/result';
import { SerialQueue } from '../base/serial-queue';
import { ControlJournal } from './control-journal';
import type { ControlNode, ControlOperation, ControlStore, ControlStoreError } from './control-store';
import type { ControlTree } from './control-tree';
import type { JournalStorage } from './journal-storage';

interface WaitingTransaction {
  readonly operations: readonly ControlOperation[];
  readonly answer: (result: Result<void, ControlStoreError>) => void;
}

export interface EmbeddedControlStoreOptions {
  readonly storage: JournalStorage;
  /** Absolute: that of the store's files, without their endings. */
  readonly path: string;
  readonly logger: Logger;
}

export class EmbeddedControlStore implements ControlStore {
  readonly #queue = new SerialQueue();
  readonly #tree: ControlTree;
  readonly #journal: ControlJournal;
  readonly #logger: Logger;
  #waiting: WaitingTransaction[] = [];
  #closed = false;

  private constructor(tree: ControlTree, journal: ControlJournal, logger: Logger) {
    this.#tree = tree;
    this.#journal = journal;
    this.#logger = logger;
  }

  /** The error says which file cannot be read; the operator must restore or remove it. */
  static async open(options: EmbeddedControlStoreOptions): Promise<Result<EmbeddedControlStore, string>> {
    const opened = await ControlJournal.open(options.storage, options.path);
    if (!opened.ok) return opened;
    const { tree, journal } = opened.value;
    return ok(new EmbeddedControlStore(tree, journal, options.logger));
  }

  get(path: string): Promise<Result<ControlNode, ControlStoreError>> {
    return this.#queue.run(() => this.#tree.get(path));
  }

  children(path: string): Promise<Result<string[], ControlStoreError>> {
    return this.#queue.run(() => this.#tree.children(path));
  }

  multi(operations: readonly ControlOperation[]): Promise<Result<void, ControlStoreError>> {
    return new Promise((answer) => {
      this.#waiting.push({ operations, answer });
      if (this.#waiting.length === 1) void this.#queue.run(() => this.#commitWaiting());
    });
  }

  async close(): Promise<void> {
    await this.#queue.run(() => {
      if (!this.#closed) this.#journal.close();
      this.#closed = true;
    });
  }

  async #commitWaiting(): Promise<void> {
    const transactions = this.#waiting;
    this.#waiting = [];
    if (this.#closed || !this.#journal.isIntact) {
      for (const { answer } of transactions) answer(err('unavailable', 'the control store is closed or failed'));
      return;
    }
    const applied: { answer: WaitingTransaction['answer']; undo: () => void }[] = [];
    const durable: ControlOperation[] = [];
    for (const { operations, answer } of transactions) {
      const result = this.#tree.apply(operations);
      if (!result.ok) {
        answer(result);
        continue;
      }
      applied.push({ answer, undo: result.value.undo });
      for (const operation of result.value.durable) durable.push(operation);
    }
    try {
      if (durable.length > 0) await this.#journal.append(durable);
    } catch (error) {
      this.#logger.error('metadata journal cannot be written', { error: String(error) });
      for (const { undo } of applied.reverse()) undo();
      for (const { answer } of applied) answer(err('unavailable', String(error)));
      return;
    }
    for (const { answer } of applied) answer(ok(undefined));
    await this.#compactIfDue();
  }

  /** A failure costs nothing but space: the journal stays as it is and the next commit tries again. */
  async #compactIfDue(): Promise<void> {
    if (!this.#journal.needsCompaction) return;
    try {
      await this.#journal.compact(this.#tree.storedNodes());
    } catch (error) {
      this.#logger.warn('metadata journal cannot be compacted', { error: String(error) });
    }
  }
}
