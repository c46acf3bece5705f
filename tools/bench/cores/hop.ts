/**
 * What it costs to hand a request to another thread of the process and to get its answer, by the ways that Node has:
 * a message with a copy, a message that transfers its memory (fresh each time, as a frame's would be), and a ring in
 * shared memory, written and read with one copy each, that `Atomics` wakes the sides for. Owns both threads.
 */
import path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { median, shown } from '../figures';
import { threadTimes } from './thread-times';

type Way = 'copied' | 'transferred' | 'ring';

interface Hop {
  readonly way: Way;
  readonly bytes: number;
  /** Requests without an answer yet. */
  readonly depth: number;
}

interface Ring {
  /** How many requests were put in, and at `ANSWERED` how many were answered. */
  readonly counts: Int32Array;
  readonly data: Uint8Array;
}

/** What Node 16 and later have and the library that types are checked with does not tell of. */
interface AsyncWaiting {
  waitAsync(counts: Int32Array, at: number, seen: number): { async: boolean; value: string | Promise<string> };
}

/** In a cache line of its own. */
const ANSWERED = 16;
const WARM_UP = 2_000;
const REQUESTS = 20_000;
const WAYS: readonly Way[] = ['copied', 'transferred', 'ring'];
const SHAPES = [
  [256, 1],
  [256, 8],
  [256, 64],
  [65_536, 8],
] as const;
const HOPS: readonly Hop[] = SHAPES.flatMap(([bytes, depth]) => WAYS.map((way) => ({ way, bytes, depth })));

/** Waits until the count is no longer `seen`. */
async function changed({ counts }: Ring, at: number, seen: number): Promise<void> {
  const waiting = (Atomics as Atomics & AsyncWaiting).waitAsync(counts, at, seen);
  if (waiting.async) await waiting.value;
}

async function answerRing(ring: Ring): Promise<void> {
  const frame = new Uint8Array(ring.data.length);
  for (let answered = 0; ; ) {
    await changed(ring, 0, answered);
    for (const sent = Atomics.load(ring.counts, 0); answered < sent; answered++) frame.set(ring.data);
    Atomics.store(ring.counts, ANSWERED, answered);
    Atomics.notify(ring.counts, ANSWERED);
  }
}

async function askRing(ring: Ring, depth: number, requests: number): Promise<void> {
  const frame = new Uint8Array(ring.data.length);
  let sent = Atomics.load(ring.counts, 0);
  const end = sent + requests;
  for (let answered = sent; answered < end; answered = Atomics.load(ring.counts, ANSWERED)) {
    for (; sent < end && sent - answered < depth; sent++) ring.data.set(frame);
    Atomics.store(ring.counts, 0, sent);
    Atomics.notify(ring.counts, 0);
    await changed(ring, ANSWERED, answered);
  }
}

function askByMessages(worker: Worker, { way, bytes, depth }: Hop, requests: number): Promise<void> {
  const copied = new Uint8Array(bytes);
  let [sent, answered] = [0, 0];
  const send = (): void => {
    sent++;
    const frame = way === 'copied' ? copied : new Uint8Array(bytes);
    worker.postMessage(frame, way === 'copied' ? [] : [frame.buffer]);
  };
  return new Promise((resolve) => {
    const onAnswer = (): void => {
      answered++;
      if (sent < requests) send();
      if (answered < requests) return;
      worker.off('message', onAnswer);
      resolve();
    };
    worker.on('message', onAnswer);
    while (sent < depth) send();
  });
}

/** Microseconds of the asking thread, of all others, and from one answer to the next. */
async function measure(hop: Hop): Promise<readonly [number, number, number]> {
  const counts = new Int32Array(new SharedArrayBuffer(256));
  const ring: Ring = { counts, data: new Uint8Array(new SharedArrayBuffer(hop.bytes)) };
  const worker = new Worker(path.join(__dirname, '../../run.js'), { argv: [__filename], workerData: { hop, ring } });
  await new Promise((resolve) => worker.once('message', resolve));
  const ask = (requests: number): Promise<void> =>
    hop.way === 'ring' ? askRing(ring, hop.depth, requests) : askByMessages(worker, hop, requests);
  try {
    await ask(WARM_UP);
    const [before, startedMs] = [threadTimes(process.pid), performance.now()];
    await ask(REQUESTS);
    const [after, tookMs] = [threadTimes(process.pid), performance.now() - startedMs];
    return [(after[0] - before[0]) / REQUESTS, (after[1] - before[1]) / REQUESTS, (1000 * tookMs) / REQUESTS];
  } finally {
    await worker.terminate();
  }
}

/** Prints the table: medians over `rounds`, all ways in turn. */
export async function printHops(rounds: number): Promise<void> {
  const runs = HOPS.map((): (readonly [number, number, number])[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, hop] of HOPS.entries()) runs[at]!.push(await measure(hop));
  }
  console.log('| hop and answer | under way | asking thread, µs | other threads, µs | passes for each, µs |');
  console.log('|---|---|---|---|---|');
  for (const [at, { way, bytes, depth }] of HOPS.entries()) {
    const cells = ([0, 1, 2] as const).map((column) => shown(median(runs[at]!.map((run) => run[column]))));
    console.log(`| ${bytes} B ${way} | ${depth} | ${cells.join(' | ')} |`);
  }
}

function answer({ hop, ring }: { readonly hop: Hop; readonly ring: Ring }): void {
  parentPort?.on('message', (frame: Uint8Array) => parentPort?.postMessage(frame.length));
  if (hop.way === 'ring') void answerRing(ring);
  parentPort?.postMessage('ready');
}

if (!isMainThread) answer(workerData as Parameters<typeof answer>[0]);
