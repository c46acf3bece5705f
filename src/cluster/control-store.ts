/**
 * Where the controller keeps its decisions: a tree of small nodes with ZooKeeper's meaning, so that an embedded journal
 * and a real ensemble can stand for each other. Owns the contract only; control-store.contract.ts checks it.
 *
 * - A path starts with '/'; a node other than the root has a parent, and goes only when it has no children.
 * - A node's version is 0 at creation and rises by one with each `set`.
 * - `multi` is all or nothing, durable when it resolves, and seen by every read that starts later.
 * - An ephemeral node lives as long as the session that made it: until `close` or the end of the process.
 */
import type { Result } from '../base/result';

export interface ControlNode {
  readonly data: string;
  readonly version: number;
}

/** An expected version of -1 fits any. */
export type ControlOperation =
  | { readonly kind: 'create'; readonly path: string; readonly data: string; readonly ephemeral?: boolean }
  | { readonly kind: 'set'; readonly path: string; readonly data: string; readonly expectedVersion: number }
  | { readonly kind: 'delete'; readonly path: string; readonly expectedVersion: number }
  | { readonly kind: 'check'; readonly path: string; readonly expectedVersion: number };

/** `unavailable`: the store cannot write (disk full or broken, session lost); nothing of the request was done. */
export type ControlStoreError = 'no-node' | 'node-exists' | 'bad-version' | 'not-empty' | 'unavailable';

export interface ControlStore {
  get(path: string): Promise<Result<ControlNode, ControlStoreError>>;
  /** The names of the children, without their parent's path, in no particular order. */
  children(path: string): Promise<Result<string[], ControlStoreError>>;
  multi(operations: readonly ControlOperation[]): Promise<Result<void, ControlStoreError>>;
  /** Ends the session. */
  close(): Promise<void>;
}
