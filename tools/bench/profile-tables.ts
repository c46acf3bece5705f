/** What profiles of V8 say: self time and allocated bytes, by function and by part of the program. Pure. */

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
}

/** A `.cpuprofile`. */
export interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  /** Ids of the nodes that were seen. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface HeapNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

/** A `.heapprofile`. */
export interface HeapProfile {
  readonly head: HeapNode;
}

/** Name → milliseconds or bytes, the most first. */
export type Shares = readonly (readonly [name: string, amount: number])[];

const OWN = /\/dist\/(?:([^/]+)\/)?[^/]+\.js$/;
const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const V8_STATES: Readonly<Record<string, string>> = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code outside of functions',
  '(root)': 'native code outside of functions',
};

/** The layer of Odradek, the package, or which part of Node.js or V8 a function is of. */
export function partOf({ functionName, url }: CallFrame): string {
  const found = PACKAGE.exec(url)?.[1];
  if (found !== undefined) return `package ${found}`;
  const own = OWN.exec(url);
  if (own !== null) return own[1] ?? 'the broker itself';
  if (url.startsWith('node:')) return 'node internals';
  return V8_STATES[functionName] ?? 'built-in functions';
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const place = url === '' ? '' : ` ${url.replace(/^.*\/(dist|node_modules)\//, '')}:${lineNumber + 1}`;
  return `${functionName === '' ? '(anonymous)' : functionName}${place}`;
}

function shares(amounts: Iterable<readonly [CallFrame, number]>, key: (frame: CallFrame) => string): Shares {
  const sums = new Map<string, number>();
  for (const [frame, amount] of amounts) sums.set(key(frame), (sums.get(key(frame)) ?? 0) + amount);
  return [...sums].filter(([, amount]) => amount > 0).sort((a, b) => b[1] - a[1]);
}

/** What one profile tells, in two views. */
export interface Views {
  readonly byFunction: Shares;
  readonly byPart: Shares;
}

/** Milliseconds of self time. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): Views {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const amounts = samples.map((id, at) => [frames.get(id)!, (timeDeltas[at] ?? 0) / 1000] as const);
  return { byFunction: shares(amounts, nameOf), byPart: shares(amounts, partOf) };
}

/** Bytes, as sampled. */
export function allocations({ head }: HeapProfile): Views {
  const amounts: (readonly [CallFrame, number])[] = [];
  const waiting = [head];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    amounts.push([node.callFrame, node.selfSize]);
    waiting.push(...node.children);
  }
  return { byFunction: shares(amounts, nameOf), byPart: shares(amounts, partOf) };
}

/** Lines of a table with the share of each in the whole, the first `most` of them. */
export function lines(all: Shares, { unit, divisor, most }: { unit: string; divisor: number; most: number }): string[] {
  const total = all.reduce((sum, [, amount]) => sum + amount, 0);
  return all.slice(0, most).map(([name, amount]) => {
    const percent = ((100 * amount) / total).toFixed(1).padStart(5);
    return `${percent} %  ${(amount / divisor).toFixed(1).padStart(9)} ${unit}  ${name}`;
  });
}
