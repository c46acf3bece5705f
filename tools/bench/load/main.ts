/**
 * `node tools/run.js tools/bench/load/main.ts`: whether the bench's own load notices what a broker does wrong, and
 * counts what it does right. Needs a C compiler.
 */
import { type Checks, commandExists, expectMatch, runChecks } from '../../../compat-tests/checks';
import type { LoadResult } from '../loads/load-result';
import { idle, mixed, requests } from '../loads/own-load';
import { FalseBroker, type Fault, FETCH, LATE_MS, PRODUCE } from './false-broker';

const SECONDS = 0.5;
const RATE = 100;

const COMPLAINTS: readonly (readonly [fault: Fault, complaint: RegExp])[] = [
  ['loses', /load: batch 5 of connection 0 came where 4 was due/],
  ['doubles', /load: batch 4 of connection 0 came where 5 was due/],
  ['skips', /load: a batch at offset \d+ came where \d+ was due/],
  ['swaps', /load: batch 5 of connection 0 came where 4 was due/],
  ['refuses', /load: a request was refused with error 7/],
  ['refuses-fetch', /load: a request was refused with error 7/],
];

function mixedLoad(port: number): Promise<LoadResult> {
  return mixed({ port, produces: [PRODUCE], fetches: [FETCH], depth: 2, seconds: SECONDS, rate: RATE });
}

function assertIs(actual: number, expected: number, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${actual}, not ${expected}`);
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('cc')) return checks.skip("the bench's own load", 'no C compiler, cc');
  await checks.check('what a sound broker takes comes back and is counted', async () => {
    const done = await FalseBroker.with('none', mixedLoad);
    assertIs(done.requests + done.unsent, SECONDS * RATE, 'requests that were due');
    assertIs(done.batches, done.requests, 'batches that came back');
  });
  for (const [fault, complaint] of COMPLAINTS) {
    await checks.check(`a broker that ${fault}: the load ends with a complaint`, async () => {
      const error = await FalseBroker.with(fault, mixedLoad).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expectMatch(error?.message ?? 'no complaint', complaint, fault);
    });
  }
  await checks.check('a broker that is late once: all requests that were due meanwhile have waited', async () => {
    const frames = [PRODUCE.frame];
    const load = { frames, connections: 1, depth: 1, seconds: 2 * SECONDS, rate: 2 * RATE, errorAt: PRODUCE.errorAt };
    const { latency } = await FalseBroker.with('late', (port) => requests({ port, ...load }));
    // One late answer of two hundred alone would not reach the 99th percentile.
    if (latency.p99Us < 500 * LATE_MS) throw new Error(`the 99th percentile is ${latency.p99Us} µs`);
  });
  await checks.check('a broker that closes idle connections: they are counted', async () => {
    const frame = Buffer.from(PRODUCE.frame);
    frame.writeInt16BE(18, 4);
    const load = { frame, connections: 10, seconds: SECONDS };
    const done = await FalseBroker.with('closes', (port) => idle({ port, ...load }, async () => undefined));
    assertIs(done.closed, 5, 'closed connections');
    assertIs(done.requests, 5, 'answered ones');
  });
}

runChecks(suite);
