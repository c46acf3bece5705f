/**
 * The nodes of an embedded control store in memory, with ZooKeeper's rules. Owns no file.
 * Invariant: a transaction that fails leaves the tree as it was.
 */
import { assert } from '../base/assert';
import { err, ok, type Result } from '../base/result';
import type { ControlNode, ControlOperation, ControlStoreError } from './control-store';

interface TreeNode {
  data: string;
  version: number;
  readonly ephemeral: boolean;
  readonly children: Set<string>;
}

type Undo = () => void;
const NOTHING: Undo = () => undefined;

export interface AppliedTransaction {
  /** Takes the whole transaction back; only while no later one is applied. */
  readonly undo: Undo;
  /** The operations whose effect outlives the session: what a journal must keep. */
  readonly durable: readonly ControlOperation[];
}

/** A node as a snapshot holds it: path, version, data. */
export type StoredNode = readonly [path: string, version: number, data: string];

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export class ControlTree {
  readonly #nodes = new Map<string, TreeNode>([['/', { data: '', version: 0, ephemeral: false, children: new Set() }]]);

  /** Puts a node of a snapshot in place; parents first. */
  restore([path, version, data]: StoredNode): void {
    const parent = this.#nodes.get(parentOf(path));
    assert(parent !== undefined, `snapshot holds ${path} without its parent`);
    parent.children.add(nameOf(path));
    this.#nodes.set(path, { data, version, ephemeral: false, children: new Set() });
  }

  /** Everything that outlives the session, parents before children, without the root. */
  storedNodes(): StoredNode[] {
    const nodes: StoredNode[] = [];
    for (const [path, node] of this.#nodes) {
      if (path !== '/' && !node.ephemeral) nodes.push([path, node.version, node.data]);
    }
    return nodes.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  }

  get(path: string): Result<ControlNode, ControlStoreError> {
    const node = this.#nodes.get(path);
    return node ? ok({ data: node.data, version: node.version }) : err('no-node', path);
  }

  children(path: string): Result<string[], ControlStoreError> {
    const node = this.#nodes.get(path);
    return node ? ok([...node.children]) : err('no-node', path);
  }

  /** All operations or none. */
  apply(operations: readonly ControlOperation[]): Result<AppliedTransaction, ControlStoreError> {
    const undos: Undo[] = [];
    const durable: ControlOperation[] = [];
    const undo = (): void => {
      for (const undoOne of undos.reverse()) undoOne();
    };
    for (const operation of operations) {
      const outlivesSession = this.#outlivesSession(operation);
      const applied = this.#applyOne(operation);
      if (!applied.ok) {
        undo();
        return applied;
      }
      undos.push(applied.value);
      if (outlivesSession) durable.push(operation);
    }
    return ok({ undo, durable });
  }

  #outlivesSession(operation: ControlOperation): boolean {
    switch (operation.kind) {
      case 'check':
        return false;
      case 'create':
        return !operation.ephemeral;
      case 'set':
      case 'delete':
        return !this.#nodes.get(operation.path)?.ephemeral;
    }
  }

  #applyOne(operation: ControlOperation): Result<Undo, ControlStoreError> {
    const { path } = operation;
    if (operation.kind === 'create') return this.#create(path, operation.data, operation.ephemeral ?? false);
    const node = this.#nodes.get(path);
    if (!node) return err('no-node', path);
    const { expectedVersion } = operation;
    if (expectedVersion !== -1 && expectedVersion !== node.version) return err('bad-version', path);
    switch (operation.kind) {
      case 'check':
        return ok(NOTHING);
      case 'set': {
        const before = { data: node.data, version: node.version };
        node.data = operation.data;
        node.version++;
        return ok(() => void Object.assign(node, before));
      }
      case 'delete':
        return this.#delete(path, node);
    }
  }

  #create(path: string, data: string, ephemeral: boolean): Result<Undo, ControlStoreError> {
    assert(path.startsWith('/') && !path.endsWith('/'), `node path ${path}`);
    if (this.#nodes.has(path)) return err('node-exists', path);
    const parent = this.#nodes.get(parentOf(path));
    if (!parent) return err('no-node', parentOf(path));
    this.#nodes.set(path, { data, version: 0, ephemeral, children: new Set() });
    parent.children.add(nameOf(path));
    return ok(() => {
      this.#nodes.delete(path);
      parent.children.delete(nameOf(path));
    });
  }

  #delete(path: string, node: TreeNode): Result<Undo, ControlStoreError> {
    if (node.children.size > 0) return err('not-empty', path);
    const parent = this.#nodes.get(parentOf(path))!;
    this.#nodes.delete(path);
    parent.children.delete(nameOf(path));
    return ok(() => {
      this.#nodes.set(path, node);
      parent.children.add(nameOf(path));
    });
  }
}
