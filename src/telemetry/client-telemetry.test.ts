/** The rules for clients that ask and push: ids, intervals, errors, ends. */
import { systemRandom, ZERO_UUID } from '../base/random';
import { MetadataImage } from '../cluster/metadata-image';
import { ErrorCode } from '../codec/generated/errors';
import { Codec, compress } from '../records/compression';
import { testConnection } from '../testing/handler-context';
import { ManualClock } from '../testing/manual-clock';
import { otlpMetrics } from '../testing/otlp';
import { ClientSoftware } from './client-software';
import { ClientTelemetry, type Push } from './client-telemetry';

const MAX_BYTES = 2000;
const client = { connection: testConnection, clientId: 'app' };
const metrics = otlpMetrics([{ name: 'org.apache.kafka.producer.x', gauge: 5 }]);

let clock: ManualClock;
let telemetry: ClientTelemetry;

function subscribe(settings: Record<string, string>, name = 'sub'): Promise<void> {
  const configs = [{ scope: 'client-metrics', name, configs: new Map(Object.entries(settings)) }] as const;
  const { image, delta } = MetadataImage.empty('c').with({ configs });
  return telemetry.onImage(delta, image);
}

function ask(id = ZERO_UUID) {
  const asked = telemetry.ask(client, id);
  if (!asked.ok) throw new Error(`error ${asked.error}`);
  return asked.value;
}

function push(o: Partial<Push>): ErrorCode {
  const request = {
    clientInstanceId: ZERO_UUID,
    subscriptionId: 0,
    terminating: false,
    compressionType: Codec.none,
    metrics,
    ...o,
  };
  const pushed = telemetry.push(client, request);
  return pushed.ok ? ErrorCode.NONE : pushed.error;
}

beforeEach(async () => {
  clock = new ManualClock();
  const software = new ClientSoftware();
  telemetry = new ClientTelemetry({
    clock,
    random: systemRandom,
    software,
    maxBytes: () => MAX_BYTES,
    maxInstances: 3,
  });
  await subscribe({ metrics: 'org.apache.kafka.producer.', 'interval.ms': '1000' });
});

describe('a client that asks', () => {
  it('is given an id of its own, or keeps the one that it has', () => {
    const first = ask();
    expect(first.instanceId).not.toBe(ZERO_UUID);
    expect(first).toMatchObject({ metrics: ['org.apache.kafka.producer.'], pushIntervalMs: 1000 });
    expect(ask('b69cc35aekeKqmkAAAAAAA').instanceId).toBe('b69cc35aekeKqmkAAAAAAA');
  });

  it('may not ask again before the interval is over, unless the subscriptions have changed', async () => {
    const { instanceId } = ask();
    expect(telemetry.ask(client, instanceId)).toMatchObject({ error: ErrorCode.THROTTLING_QUOTA_EXCEEDED });
    await clock.advance(1000);
    const again = ask(instanceId);
    await subscribe({ metrics: '*', 'interval.ms': '1000' });
    const changed = ask(instanceId);
    expect([changed.metrics, changed.subscriptionId === again.subscriptionId]).toEqual([['*'], false]);
    await subscribe({});
    expect(ask(instanceId)).toMatchObject({ metrics: [], pushIntervalMs: 300_000 });
    expect(telemetry.counts.throttled).toBe(1);
  });
});

describe('a client that pushes', () => {
  it('is named by no more than the beginning of a long name', () => {
    const named = { ...client, clientId: 'x'.repeat(30_000) };
    const asked = telemetry.ask(named, ZERO_UUID);
    if (!asked.ok) throw new Error(`error ${asked.error}`);
    const { instanceId: clientInstanceId, subscriptionId } = asked.value;
    const request = { clientInstanceId, subscriptionId, terminating: false, compressionType: Codec.none, metrics };
    expect(telemetry.push(named, request).ok).toBe(true);
    const [series] = [...telemetry.pushed.series(clock.monotonicMs()).values()].flat();
    expect(series!.labels).toMatchObject({ client_id: 'x'.repeat(100) });
  });

  it.each([Codec.none, Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd])('is heard, with codec %d', (codec) => {
    const { instanceId: clientInstanceId, subscriptionId } = ask();
    const body = compress(codec, metrics);
    expect(push({ clientInstanceId, subscriptionId, compressionType: codec, metrics: body })).toBe(ErrorCode.NONE);
    expect([...telemetry.pushed.series(0).values()].flat()).toMatchObject([
      {
        value: 5,
        labels: {
          client_instance_id: clientInstanceId,
          client_id: 'app',
          client_software_name: 'unknown',
          client_software_version: 'unknown',
        },
      },
    ]);
  });

  it('pushes once an interval, and once at its end', async () => {
    const { instanceId: clientInstanceId, subscriptionId } = ask();
    const mine = { clientInstanceId, subscriptionId };
    await clock.advance(500);
    expect(push(mine)).toBe(ErrorCode.NONE);
    expect(push(mine)).toBe(ErrorCode.THROTTLING_QUOTA_EXCEEDED);
    await clock.advance(1000);
    expect(push(mine)).toBe(ErrorCode.NONE);
    expect(push({ ...mine, terminating: true })).toBe(ErrorCode.NONE);
    expect(push({ ...mine, terminating: true })).toBe(ErrorCode.INVALID_REQUEST);
  });

  it('hears what is wrong with its push, and may ask anew where that helps', async () => {
    const { instanceId: clientInstanceId, subscriptionId } = ask();
    const later = async (o: Partial<Push>) => {
      await clock.advance(1000);
      return push({ clientInstanceId, subscriptionId, ...o });
    };
    expect(await later({ subscriptionId: subscriptionId + 1 })).toBe(ErrorCode.UNKNOWN_SUBSCRIPTION_ID);
    expect(ask(clientInstanceId).subscriptionId).toBe(subscriptionId);
    expect(await later({ compressionType: 9 })).toBe(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
    expect(ask(clientInstanceId).subscriptionId).toBe(subscriptionId);
    expect(await later({ metrics: Buffer.alloc(MAX_BYTES + 1) })).toBe(ErrorCode.TELEMETRY_TOO_LARGE);
    expect(telemetry.ask(client, clientInstanceId).ok).toBe(false);
    expect(await later({ metrics: Buffer.from('nonsense') })).toBe(ErrorCode.INVALID_RECORD);
    const bomb = compress(Codec.gzip, Buffer.alloc(MAX_BYTES + 1));
    expect(await later({ compressionType: Codec.gzip, metrics: bomb })).toBe(ErrorCode.INVALID_RECORD);
    expect(await later({ metrics: Buffer.alloc(0) })).toBe(ErrorCode.NONE);
    expect(push({ clientInstanceId: ZERO_UUID })).toBe(ErrorCode.INVALID_REQUEST);
    expect(push({ clientInstanceId: 'AAAAAAAAAAAAAAAAAAAAAQ' })).toBe(ErrorCode.INVALID_REQUEST);
    expect(telemetry.counts).toMatchObject({ unknownSubscriptions: 1, failedPushes: 2, pushes: 0 });
  });
});

describe('instances', () => {
  it('go when their connection closes, and what they pushed later', async () => {
    const { instanceId: clientInstanceId, subscriptionId } = ask();
    push({ clientInstanceId, subscriptionId });
    telemetry.onClose({ ...testConnection, id: 99 });
    expect(telemetry.instanceCount).toBe(1);
    telemetry.onClose(testConnection);
    expect([telemetry.instanceCount, telemetry.pushed.clientCount]).toEqual([0, 1]);
    expect(telemetry.pushed.series(59_999).size).toBe(1);
    expect(telemetry.pushed.series(60_000).size).toBe(0);
  });

  it('go when they are silent, and when there are too many', async () => {
    for (let count = 0; count < 10; count++) ask();
    expect(telemetry.instanceCount).toBe(3);
    await clock.advance(60_000);
    ask();
    expect(telemetry.instanceCount).toBe(1);
  });
});
