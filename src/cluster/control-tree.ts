/**
 * The nodes of an embedded control store in memory, with ZooKeeper's rules. Owns no file.
 * Invariant: a transaction that fails leaves the tree as it was.
 */
import { assert } from '../base/assert';
import { err, ok, type Result } from '../base/result';
import type { ControlNode, ControlOperation, ControlStoreError } from './control-store';

/** Most nodes have no child or one: only those with more have a map of them. */
interface TreeNode {
  data: string;
  version: number;
  readonly ephemeral: boolean;
  onlyName: string | undefined;
  only: TreeNode | undefined;
  children: Map<string, TreeNode> | undefined;
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

/** Texts that many nodes share are kept once; so many different ones are remembered. */
const REMEMBERED_TEXTS = 512;

function newNode(data: string, version: number, ephemeral: boolean): TreeNode {
  return { data, version, ephemeral, onlyName: undefined, only: undefined, children: undefined };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function childOf(node: TreeNode, name: string): TreeNode | undefined {
  return node.children ? node.children.get(name) : node.onlyName === name ? node.only : undefined;
}

function childNames(node: TreeNode): string[] {
  if (node.children) return [...node.children.keys()];
  return node.onlyName === undefined ? [] : [node.onlyName];
}

function addChild(node: TreeNode, name: string, child: TreeNode): void {
  if (node.onlyName === undefined && !node.children) {
    node.onlyName = name;
    node.only = child;
    return;
  }
  if (node.onlyName !== undefined) node.children = new Map([[node.onlyName, node.only!]]);
  node.onlyName = undefined;
  node.only = undefined;
  node.children!.set(name, child);
}

function removeChild(node: TreeNode, name: string): void {
  if (node.onlyName === name) {
    node.onlyName = undefined;
    node.only = undefined;
  }
  node.children?.delete(name);
  if (node.children?.size === 0) node.children = undefined;
}

function* storedBelow(node: TreeNode, path: string): Iterable<StoredNode> {
  for (const name of childNames(node)) {
    const child = childOf(node, name)!;
    const childPath = `${path}/${name}`;
    if (!child.ephemeral) yield [childPath, child.version, child.data];
    yield* storedBelow(child, childPath);
  }
}

export class ControlTree {
  readonly #root = newNode('', 0, false);
  readonly #texts = new Map<string, string>();

  /** Puts a node of a snapshot in place; parents first. */
  restore([path, version, data]: StoredNode): void {
    const parent = this.#find(parentOf(path));
    assert(parent !== undefined, `snapshot holds ${path} without its parent`);
    addChild(parent, this.#kept(nameOf(path)), newNode(this.#kept(data), version, false));
  }

  /** Everything that outlives the session, parents before children, without the root; while nothing changes. */
  storedNodes(): Iterable<StoredNode> {
    return storedBelow(this.#root, '');
  }

  get(path: string): Result<ControlNode, ControlStoreError> {
    const node = this.#find(path);
    return node ? ok({ data: node.data, version: node.version }) : err('no-node', path);
  }

  children(path: string): Result<string[], ControlStoreError> {
    const node = this.#find(path);
    return node ? ok(childNames(node)) : err('no-node', path);
  }

  #find(path: string): TreeNode | undefined {
    if (path === '/') return this.#root;
    let node: TreeNode | undefined = this.#root;
    for (let from = 1; node && from <= path.length; ) {
      const slash = path.indexOf('/', from);
      const to = slash < 0 ? path.length : slash;
      node = childOf(node, path.slice(from, to));
      from = to + 1;
    }
    return node;
  }

  /** The text as it is to be kept: one that came before, or a copy that does not hold on to what it was cut from. */
  #kept(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size === REMEMBERED_TEXTS) this.#texts.clear();
    const copy = Buffer.from(text).toString();
    this.#texts.set(copy, copy);
    return copy;
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
        return this.#find(operation.path)?.ephemeral !== true;
    }
  }

  #applyOne(operation: ControlOperation): Result<Undo, ControlStoreError> {
    const { path } = operation;
    if (operation.kind === 'create') return this.#create(path, operation.data, operation.ephemeral ?? false);
    const node = this.#find(path);
    if (!node) return err('no-node', path);
    const { expectedVersion } = operation;
    if (expectedVersion !== -1 && expectedVersion !== node.version) return err('bad-version', path);
    switch (operation.kind) {
      case 'check':
        return ok(NOTHING);
      case 'set': {
        const before = { data: node.data, version: node.version };
        node.data = this.#kept(operation.data);
        node.version++;
        return ok(() => void Object.assign(node, before));
      }
      case 'delete':
        return this.#delete(path, node);
    }
  }

  #create(path: string, data: string, ephemeral: boolean): Result<Undo, ControlStoreError> {
    assert(path.startsWith('/') && !path.endsWith('/'), `node path ${path}`);
    if (this.#find(path)) return err('node-exists', path);
    const parent = this.#find(parentOf(path));
    if (!parent) return err('no-node', parentOf(path));
    const name = this.#kept(nameOf(path));
    addChild(parent, name, newNode(this.#kept(data), 0, ephemeral));
    return ok(() => removeChild(parent, name));
  }

  #delete(path: string, node: TreeNode): Result<Undo, ControlStoreError> {
    if (childNames(node).length > 0) return err('not-empty', path);
    const parent = this.#find(parentOf(path))!;
    const name = nameOf(path);
    removeChild(parent, name);
    return ok(() => addChild(parent, name, node));
  }
}
