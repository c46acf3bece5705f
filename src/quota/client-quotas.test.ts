/** Quotas of clients at work: from the image to pauses, with time by hand. */
import type { ClientQuota, QuotaEntityType, QuotaKey } from '../cluster/client-quota';
import { MetadataImage } from '../cluster/metadata-image';
import { BrokerConfig, type ConfigKey } from '../config/broker-config';
import { MAX_INT } from '../config/definition';
import { ManualClock } from '../testing/manual-clock';
import { type AppliedQuotas, ClientQuotas } from './client-quotas';

type Parts = Partial<Record<QuotaEntityType, string | null>>;
type Values = Partial<Record<QuotaKey, number>>;

const LIMIT = 1000;
const CLIENT = { user: 'ANONYMOUS', clientId: 'c' };

let clock: ManualClock;
let image: MetadataImage;
let quotas: ClientQuotas;

function start(settings: Partial<Record<ConfigKey, string>> = {}): void {
  clock = new ManualClock();
  image = MetadataImage.empty('cluster');
  quotas = new ClientQuotas({ config: BrokerConfig.of(settings), clock });
}

async function set(parts: Parts, values: Values): Promise<void> {
  const quota: ClientQuota = {
    entity: new Map(Object.entries(parts) as [QuotaEntityType, string | null][]),
    values: new Map(Object.entries(values) as [QuotaKey, number][]),
  };
  const changed = image.with({ quotas: [quota] });
  image = changed.image;
  await quotas.onImage(changed.delta, image);
}

function applied(client = CLIENT): AppliedQuotas {
  const found = quotas.of(client);
  if (found === undefined) throw new Error('no quota applies');
  return found;
}

beforeEach(() => start());

it('does nothing without quotas, and again when the last one is gone', async () => {
  expect([quotas.isActive, quotas.of(CLIENT)]).toEqual([false, undefined]);
  const { generation } = quotas;
  await set({ ip: '10.0.0.1' }, { connection_creation_rate: 1 });
  expect(quotas.isActive).toBe(false);
  await set({ user: null }, { producer_byte_rate: LIMIT });
  expect(quotas.isActive).toBe(true);
  expect(quotas.generation).not.toBe(generation);
  await set({ user: null }, {});
  expect([quotas.isActive, quotas.of(CLIENT)]).toEqual([false, undefined]);
});

it('adds up what all connections of a client produce, and leaves others alone', async () => {
  await set({ 'client-id': 'c' }, { producer_byte_rate: LIMIT });
  expect(applied().produced(6000)).toBe(0);
  expect(applied().produced(7000)).toBe(3000);
  expect(quotas.of({ user: 'ANONYMOUS', clientId: 'd' })).toBeUndefined();
  await set({ 'client-id': null }, { producer_byte_rate: LIMIT });
  expect(applied({ user: 'ANONYMOUS', clientId: 'd' }).produced(9000)).toBe(0);
});

it('takes each value where it is first found: a user may have one kind, its client id the other', async () => {
  await set({ user: 'ANONYMOUS' }, { producer_byte_rate: LIMIT });
  await set({ 'client-id': 'c' }, { producer_byte_rate: 1, consumer_byte_rate: LIMIT });
  expect(applied().produced(10_000)).toBe(0);
  expect(applied().fetchRoom({ whole: true })).toBe(10_000);
});

it('counts a change of the quota at once, in both directions', async () => {
  await set({ 'client-id': 'c' }, { producer_byte_rate: LIMIT });
  applied().produced(10_000);
  await set({ 'client-id': 'c' }, { producer_byte_rate: LIMIT / 2 });
  expect(applied().produced(1)).toBeGreaterThan(9_900);
  await set({ 'client-id': 'c' }, { producer_byte_rate: 100 * LIMIT });
  expect(applied().produced(1)).toBe(0);
});

describe('fetch', () => {
  beforeEach(() => set({ 'client-id': 'c' }, { consumer_byte_rate: LIMIT }));

  it('reads no more than is left', () => {
    const client = applied();
    expect(client.fetchRoom({ whole: false })).toBe(10_000);
    expect(client.fetched(4000, 0)).toEqual({ pauseMs: 0, withoutData: false });
    expect([client.fetchRoom({ whole: false }), client.fetchRoom({ whole: true })]).toEqual([6000, 10_000]);
    client.fetched(6000, 0);
    expect(client.fetchRoom({ whole: false })).toBe(1);
  });

  it('is answered without data over the quota, and that does not count', async () => {
    const client = applied();
    client.fetched(8000, 0);
    expect(client.fetched(4000, 0)).toEqual({ pauseMs: 2000, withoutData: true });
    await clock.advance(2000);
    expect(client.fetched(4000, 0)).toEqual({ pauseMs: 0, withoutData: false });
  });

  it('is answered without data also where another quota wants the pause', () => {
    expect(applied().fetched(4000, 70)).toEqual({ pauseMs: 70, withoutData: true });
    expect(applied().fetchRoom({ whole: false })).toBe(10_000);
  });

  it('has no limit where only others have one', async () => {
    await set({ 'client-id': 'c' }, { producer_byte_rate: 1 });
    expect(applied().fetchRoom({ whole: false })).toBe(MAX_INT);
    expect(applied().fetched(1e9, 0)).toEqual({ pauseMs: 0, withoutData: false });
    expect(applied().fetched(1e9, 5)).toEqual({ pauseMs: 5, withoutData: true });
  });
});

describe('request time', () => {
  it("is the share of the loop times Kafka's threads, and pauses for one window at most", async () => {
    start({ 'num.io.threads': '4' });
    // A hundredth of one thread of four: 25 ms of the loop in ten seconds.
    await set({ user: null }, { request_percentage: 1 });
    expect(applied().held(25)).toBe(0);
    expect(applied().held(1)).toBe(400);
    expect(applied().held(1000)).toBe(1000);
  });

  it('goes by windows of the length that is set', async () => {
    start({ 'quota.window.size.seconds': '3', 'quota.window.num': '2' });
    await set({ user: null }, { request_percentage: 100, producer_byte_rate: LIMIT });
    expect(applied().produced(3000)).toBe(0);
    expect(applied().produced(300)).toBe(300);
    expect(applied().held(100_000)).toBe(3000);
  });
});

it('topic changes: one bucket for all requests of a client', async () => {
  await set({ user: null }, { controller_mutation_rate: 1 });
  expect(applied().mutations({ isStrict: true })?.admits(13)).toBe(true);
  const second = applied().mutations({ isStrict: true });
  expect([second?.admits(1), second?.pauseMs]).toEqual([false, 2000]);
  await set({ user: null }, { producer_byte_rate: 1 });
  expect(applied().mutations({ isStrict: true })).toBeUndefined();
});

/** Long runs of clients that keep their pauses; the first burst is no part of the rate. */
describe('over ten minutes', () => {
  const TEN_MINUTES_MS = 600_000;

  it.each([100, 1000, 5000, 12_000])('a producer of %s bytes a request gets its limit', async (bytes) => {
    await set({ 'client-id': 'c' }, { producer_byte_rate: LIMIT });
    let produced = 0;
    while (clock.monotonicMs() < TEN_MINUTES_MS) {
      produced += bytes;
      clock.pass(applied().produced(bytes) + 1);
    }
    expect((produced - 10 * LIMIT) / LIMIT / (clock.monotonicMs() / 1000)).toBeCloseTo(1, 1);
  });

  it.each([100, 1000, 9000, 15_000])('a consumer of batches of %s bytes gets its limit', async (batch) => {
    await set({ 'client-id': 'c' }, { consumer_byte_rate: LIMIT });
    let fetched = 0;
    while (clock.monotonicMs() < TEN_MINUTES_MS) {
      // As the log is read: whole batches within the room, one at least.
      const room = applied().fetchRoom({ whole: false });
      const bytes = Math.max(1, Math.floor(room / batch)) * batch;
      const { pauseMs, withoutData } = applied().fetched(bytes, 0);
      if (!withoutData) fetched += bytes;
      clock.pass(pauseMs + 1);
    }
    expect((fetched - 10 * LIMIT) / LIMIT / (clock.monotonicMs() / 1000)).toBeCloseTo(1, 1);
  });
});
