/** Quotas around the handler: what a request is counted for, and which pause its answer tells. */
import { Later } from '../base/later';
import type { Answer, ConnectionSession } from '../base/transport';
import type { QuotaEntityType, QuotaKey } from '../cluster/client-quota';
import { MetadataImage } from '../cluster/metadata-image';
import type { Api } from '../codec/api';
import { newProduceRequest, newProduceResponse, type ProduceResponse } from '../codec/generated/00-produce';
import { newFetchRequest, newFetchResponse } from '../codec/generated/01-fetch';
import { newHeartbeatRequest, newHeartbeatResponse } from '../codec/generated/12-heartbeat';
import { newSaslHandshakeRequest, newSaslHandshakeResponse } from '../codec/generated/17-sasl-handshake';
import { apis } from '../codec/generated/apis';
import { decodeResponseHeader } from '../codec/header';
import { Reader } from '../codec/reader';
import { BrokerConfig } from '../config/broker-config';
import { ClientQuotas } from '../quota/client-quotas';
import { testConnection } from '../testing/handler-context';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import { requestFrame } from '../testing/wire-client';
import type { BrokerServices } from './broker-services';
import { Dispatcher, type ServedApi } from './dispatcher';
import { CLOSE_CONNECTION, type Handler, type HandlerAnswer, NO_ANSWER } from './request-context';
import { NO_LIMITS } from './request-limits';
import { withThrottleTime } from './request-throttle';

const LENGTH = 4;
/** What a request may hold the loop without a pause: 1 % of eight threads in ten seconds. */
const FREE_MS = 12.5;

let clock: ManualClock;
let quotas: ClientQuotas;
/** How long handlers hold the event loop. */
let busyMs: number;

beforeEach(() => {
  clock = new ManualClock();
  quotas = new ClientQuotas({ config: BrokerConfig.of(), clock });
  busyMs = 0;
});

async function limit(values: Partial<Record<QuotaKey, number>>, clientId: string | null = null): Promise<void> {
  const entity = new Map<QuotaEntityType, string | null>([['client-id', clientId]]);
  const quota = { entity, values: new Map(Object.entries(values) as [QuotaKey, number][]) };
  const { delta, image } = MetadataImage.empty('c').with({ quotas: [quota] });
  await quotas.onImage(delta, image);
}

function open<Q, R>(api: Api<Q, R>, handle: Handler<Q, R>): ConnectionSession {
  const busy: Handler<Q, R> = (context, request) => {
    clock.pass(busyMs);
    return handle(context, request);
  };
  const handlers = [{ api, handle: busy } as unknown as ServedApi];
  const services = { clock, quotas, logger: new RecordingLogger() } as unknown as BrokerServices;
  return new Dispatcher({ handlers, services, observers: [] }).open(testConnection);
}

interface AskOptions<Q, R> {
  readonly api: Api<Q, R>;
  readonly version: number;
  readonly request: Q;
  readonly clientId?: string | null;
}

/** The answer, with the pause that it tells its reader. */
async function ask<Q, R>(
  session: ConnectionSession,
  o: AskOptions<Q, R>,
): Promise<Answer & { told: number | undefined }> {
  const { clientId = 'c' } = o;
  const answer = await session.serve(requestFrame(o, 1, clientId).subarray(LENGTH), 0).answer.promise();
  if (answer.chunks.length === 0) return { ...answer, told: undefined };
  const reader = new Reader(Buffer.concat(answer.chunks as Buffer[]).subarray(LENGTH));
  decodeResponseHeader(reader, o.api as Api<never, unknown>, o.version);
  const response = o.api.decodeResponse(reader, o.version) as { throttleTimeMs?: number };
  return { ...answer, told: response.throttleTimeMs };
}

const heartbeat = { api: apis.Heartbeat, version: 4, request: newHeartbeatRequest() };
const fetch = { api: apis.Fetch, version: 11, request: newFetchRequest() };
const produce = { api: apis.Produce, version: 9, request: newProduceRequest({ acks: 1 }) };
const beat: Handler<unknown, unknown> = () => newHeartbeatResponse();

it('does nothing without quotas, nor for those that have none', async () => {
  const session = open(apis.Heartbeat, beat as never);
  busyMs = 10_000;
  expect(await ask(session, heartbeat)).toMatchObject({ muteMs: 0, told: 0 });
  expect(session.readsAhead).toBe(true);
  await limit({ request_percentage: 1 }, 'other');
  expect(await ask(session, heartbeat)).toMatchObject({ muteMs: 0, told: 0 });
  expect(session.readsAhead).toBe(true);
  expect([NO_LIMITS.fetched(() => 1e9), NO_LIMITS.mutations('strict')]).toEqual([false, undefined]);
});

it('counts the time of handlers, tells the pause where there is a place for it, and reads nothing ahead', async () => {
  await limit({ request_percentage: 1 });
  const session = open(apis.Heartbeat, beat as never);
  busyMs = FREE_MS;
  expect(await ask(session, heartbeat)).toMatchObject({ muteMs: 0, told: 0 });
  expect(session.readsAhead).toBe(false);
  busyMs = 1;
  const second = await ask(session, heartbeat);
  expect(second.told).toBe(second.muteMs);
  expect(second.muteMs).toBeGreaterThan(700);
  const old = await ask(session, { ...heartbeat, version: 0 });
  expect(old).toMatchObject({ told: 0 });
  expect(old.muteMs).toBeGreaterThan(0);
  await limit({});
  expect(await ask(session, heartbeat)).toMatchObject({ muteMs: 0 });
  expect(session.readsAhead).toBe(true);
});

it('mutes also where the answer cannot tell', async () => {
  await limit({ request_percentage: 0.001 });
  const session = open(apis.SaslHandshake, () => newSaslHandshakeResponse());
  busyMs = 500;
  const answer = await ask(session, { api: apis.SaslHandshake, version: 1, request: newSaslHandshakeRequest() });
  expect(answer).toMatchObject({ muteMs: 1000, told: undefined });
});

it('finds the quota anew where a connection speaks with another client id', async () => {
  await limit({ producer_byte_rate: 1 }, 'c');
  const session = open(apis.Produce, () => newProduceResponse());
  expect(await ask(session, { ...produce, clientId: 'd' })).toMatchObject({ muteMs: 0 });
  expect(await ask(session, produce)).toMatchObject({ told: expect.any(Number), muteMs: expect.any(Number) });
  expect((await ask(session, produce)).muteMs).toBeGreaterThan(1000);
  expect(await ask(session, { ...produce, clientId: null })).toMatchObject({ muteMs: 0 });
});

it('tells the larger of two pauses', async () => {
  await limit({ producer_byte_rate: 1, request_percentage: 0.001 });
  const session = open(apis.Produce, () => newProduceResponse());
  busyMs = 500;
  expect((await ask(session, produce)).muteMs).toBeGreaterThan(1000);
  await limit({ producer_byte_rate: 1e6, request_percentage: 0.001 });
  expect(await ask(session, produce)).toMatchObject({ muteMs: 1000, told: 1000 });
});

it('counts the bytes of a Produce without an answer, but not its time', async () => {
  await limit({ producer_byte_rate: 1e6, request_percentage: 0.001 });
  busyMs = 500;
  expect(
    await ask(
      open(apis.Produce, () => NO_ANSWER),
      produce,
    ),
  ).toMatchObject({ chunks: [], muteMs: 0 });
  await limit({ producer_byte_rate: 1 });
  expect(
    (
      await ask(
        open(apis.Produce, () => NO_ANSWER),
        produce,
      )
    ).muteMs,
  ).toBeGreaterThan(1000);
  const closing = await ask(
    open(apis.Produce, () => CLOSE_CONNECTION),
    produce,
  );
  expect(closing).toMatchObject({ closeAfter: true, muteMs: 0 });
});

it('has no two stages for a client with quotas: nothing may start before a pause is known', async () => {
  const staged = () => ({
    staged: true as const,
    firstStage: Later.of<void>(undefined),
    answer: Later.of<HandlerAnswer<ProduceResponse>>(newProduceResponse()),
  });
  const session = open(apis.Produce, staged);
  const frame = requestFrame(produce, 1, 'c').subarray(LENGTH);
  expect(session.serve(frame, 0).firstStage).toBeDefined();
  await limit({ consumer_byte_rate: 1e9 });
  expect(session.serve(frame, 0).firstStage).toBeUndefined();
});

it('lets a fetch ask, notes its time once, and leaves followers alone', async () => {
  await limit({ consumer_byte_rate: 1000, request_percentage: 1 });
  const rooms: number[] = [];
  const withoutData: boolean[] = [];
  const consumer = open(apis.Fetch, ({ throttle }) => {
    rooms.push(throttle.fetchRoom({ whole: false }));
    withoutData.push(throttle.fetched(() => 6000));
    return newFetchResponse();
  });
  busyMs = 1;
  expect(await ask(consumer, fetch)).toMatchObject({ muteMs: 0 });
  const second = await ask(consumer, fetch);
  expect([rooms, withoutData]).toEqual([
    [10_000, 4001],
    [false, true],
  ]);
  expect(second).toMatchObject({ muteMs: 1999, told: 1999 });
  busyMs = 1000;
  const follower = open(apis.Fetch, ({ throttle }) => {
    throttle.exempt();
    return newFetchResponse();
  });
  expect(await ask(follower, fetch)).toMatchObject({ muteMs: 0, told: 0 });
});

it('leaves the response of a handler as it is: it may be that of others, too', () => {
  const response = newHeartbeatResponse();
  expect(withThrottleTime(response, 5)).toEqual({ ...response, throttleTimeMs: 5 });
  expect(response.throttleTimeMs).toBe(0);
  expect(withThrottleTime(response, 0)).toBe(response);
  const without = newSaslHandshakeResponse();
  expect(withThrottleTime(without, 5)).toBe(without);
});
