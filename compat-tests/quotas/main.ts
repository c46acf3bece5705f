/**
 * Quotas against the clock: a producer and a consumer that ignore what they are told, each held to a megabyte a second
 * by connections that are not read, while another client goes on as if it were alone. Only on demand, since it takes
 * minutes: `npm run compat -- quotas`, for QUOTA_SECONDS each. What a client does not use is forgotten and regained in
 * windows of 11 seconds, so that a short run says little.
 */
import { newFetchRequest } from '../../src/codec/generated/01-fetch';
import {
  newAlterClientQuotasRequest,
  newAlterClientQuotasRequestEntityData,
  newAlterClientQuotasRequestEntryData,
  newOpData,
} from '../../src/codec/generated/49-alter-client-quotas';
import { apis } from '../../src/codec/generated/apis';
import { WireClient } from '../../src/testing/wire-client';
import { createTopic, fetchRequest, produceCall } from '../../src/testing/wire-records';
import { startBrokerProcess } from '../broker-process';
import { type Checks, runChecks } from '../checks';

const RATE = 1_000_000;
const SECONDS = Number(process.env.QUOTA_SECONDS ?? 120);
const VALUE = 'x'.repeat(20_000);
/** What may be used before there is a pause. */
const BURST = 10 * RATE;
const TOLERANCE = 0.1;
/** Far below the pauses of the throttled clients, far above what a busy machine makes of a small request. */
const LONGEST_MEDIAN_MS = 50;
const TOPIC = 'limited';
const OTHER_TOPIC = 'free';

interface Throttled {
  /** Uses some of the quota; gives the bytes that counted. */
  use(): Promise<number>;
}

async function limit(admin: WireClient, clientId: string, key: string): Promise<void> {
  const entity = [newAlterClientQuotasRequestEntityData({ entityType: 'client-id', entityName: clientId })];
  const entries = [newAlterClientQuotasRequestEntryData({ entity, ops: [newOpData({ key, value: RATE })] })];
  const request = newAlterClientQuotasRequest({ entries });
  const answer = await admin.call({ api: apis.AlterClientQuotas, version: 1, request });
  const { errorCode, errorMessage } = answer.entries[0]!;
  if (errorCode !== 0) throw new Error(`quota: ${errorCode} ${errorMessage}`);
}

async function producer(port: number): Promise<Throttled> {
  const client = await WireClient.connect(port, { clientId: 'producer' });
  const call = produceCall({ topic: TOPIC, values: [VALUE] });
  return {
    use: async () => {
      await client.call(call);
      return VALUE.length;
    },
  };
}

async function consumer(port: number): Promise<Throttled> {
  let client = await WireClient.connect(port, { clientId: 'consumer' });
  const request = newFetchRequest({ ...fetchRequest({ topic: TOPIC, offset: 0 }), maxBytes: 200_000 });
  let fetches = 0;
  return {
    use: async () => {
      // The client keeps all that it ever received.
      if (++fetches % 100 === 0) {
        client.close();
        client = await WireClient.connect(port, { clientId: 'consumer' });
      }
      const answer = await client.call({ api: apis.Fetch, version: 11, request });
      return answer.responses[0]?.partitions[0]?.records?.length ?? 0;
    },
  };
}

/** Bytes a second, once the first burst is over. */
async function longRunRate({ use }: Throttled): Promise<number> {
  for (let used = 0; used < BURST; ) used += await use();
  const startedMs = performance.now();
  let used = 0;
  while (performance.now() - startedMs < SECONDS * 1000) used += await use();
  return (used / (performance.now() - startedMs)) * 1000;
}

/** How long small requests of another client take, in the middle, until `isOver`. */
async function medianLatency(port: number, isOver: () => boolean): Promise<number> {
  const client = await WireClient.connect(port, { clientId: 'other' });
  const latenciesMs: number[] = [];
  while (!isOver()) {
    const startedMs = performance.now();
    await client.call(produceCall({ topic: OTHER_TOPIC, values: ['small'] }));
    latenciesMs.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  client.close();
  return latenciesMs.sort((a, b) => a - b)[Math.floor(latenciesMs.length / 2)]!;
}

function checkRate(what: string, rate: number): void {
  const share = rate / RATE;
  console.log(`        ${what}: ${(share * 100).toFixed(1)} % of its limit over ${SECONDS} s`);
  if (Math.abs(share - 1) > TOLERANCE) throw new Error(`${what} has ${share.toFixed(3)} of its limit`);
}

async function suite(checks: Checks): Promise<void> {
  const broker = await startBrokerProcess();
  const admin = await WireClient.connect(broker.port, { clientId: 'admin' });
  try {
    for (const topic of [TOPIC, OTHER_TOPIC]) await createTopic(admin, topic);
    for (let i = 0; i < 20; i++) await admin.call(produceCall({ topic: TOPIC, values: [VALUE] }));
    await limit(admin, 'producer', 'producer_byte_rate');
    await limit(admin, 'consumer', 'consumer_byte_rate');
    await checks.check('a producer and a consumer get their limit, another client is not slowed', async () => {
      let isOver = false;
      const rates = Promise.all([longRunRate(await producer(broker.port)), longRunRate(await consumer(broker.port))]);
      const latency = medianLatency(broker.port, () => isOver);
      const [produced, fetched] = await rates;
      isOver = true;
      const medianMs = await latency;
      checkRate('the producer', produced);
      checkRate('the consumer', fetched);
      console.log(`        another client: ${medianMs.toFixed(1)} ms in the median`);
      if (medianMs > LONGEST_MEDIAN_MS) throw new Error(`another client waits ${medianMs} ms in the median`);
    });
  } finally {
    admin.close();
    await broker.stop();
  }
}

runChecks(suite);
