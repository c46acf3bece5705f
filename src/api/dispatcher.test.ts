/** From frame to answer: encoding, refusals, bugs, stages and waits, with handlers made up for the test. */
import { Later } from '../base/later';
import type { Answer, ConnectionSession } from '../base/transport';
import { MetadataImage } from '../cluster/metadata-image';
import type { Api } from '../codec/api';
import { newProduceRequest, newProduceResponse, type ProduceResponse } from '../codec/generated/00-produce';
import { newMetadataRequest, newMetadataResponse, newMetadataResponseTopic } from '../codec/generated/03-metadata';
import { decodeApiVersionsResponse } from '../codec/generated/18-api-versions';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { decodeResponseHeader } from '../codec/header';
import { MalformedMessage } from '../codec/malformed';
import { Reader } from '../codec/reader';
import { BrokerConfig } from '../config/broker-config';
import { ClientQuotas } from '../quota/client-quotas';
import { testConnection } from '../testing/handler-context';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import { requestFrame } from '../testing/wire-client';
import { apiVersions } from './api-versions';
import type { BrokerServices } from './broker-services';
import { Dispatcher, type ServedApi } from './dispatcher';
import { CLOSE_CONNECTION, type Handler, type HandlerAnswer, NO_ANSWER, type RequestContext } from './request-context';
import type { RequestMeasurement } from './request-observer';
import { sharedAnswer } from './shared-answers';

const LENGTH = 4;

let logger: RecordingLogger;
let observed: string[];
let measured: RequestMeasurement[];
let clock: HandClock;

/** Time passes where the test says so, also within a handler. */
class HandClock extends ManualClock {
  passedMs = 0;

  override monotonicMs(): number {
    return this.passedMs;
  }
}

function row<Q, R>(api: Api<Q, R>, handle: Handler<Q, R>): ServedApi {
  return { api: api as Api<unknown, unknown>, handle: handle as Handler<unknown, unknown> };
}

function open(...handlers: ServedApi[]): ConnectionSession {
  const all = [row(apis.ApiVersions, apiVersions), ...handlers];
  const quotas = new ClientQuotas({ config: BrokerConfig.of(), clock });
  const services = { brokerId: 1, clock, logger, quotas, servedApis: all.map(({ api }) => api) };
  const dispatcher = new Dispatcher({
    handlers: all,
    services: services as unknown as BrokerServices,
    observers: [
      {
        onRequest: (apiKey) => observed.push(`request ${apiKey}`),
        onClose: () => observed.push('close'),
      },
      { onAnswer: (measurement) => measured.push(measurement), onSent: () => observed.push('sent') },
    ],
  });
  return dispatcher.open(testConnection);
}

function frame<Q, R>(api: Api<Q, R>, version: number, request: Q): Buffer {
  return requestFrame({ api, version, request }, 42, null).subarray(LENGTH);
}

const metadataFrame = (version = 12): Buffer => frame(apis.Metadata, version, newMetadataRequest());

function bytesOf(answer: Answer): Buffer {
  return Buffer.concat(answer.chunks as readonly Buffer[]);
}

beforeEach(() => {
  logger = new RecordingLogger();
  observed = [];
  measured = [];
  clock = new HandClock();
});

describe('a measurement', () => {
  it('tells how long the loop was held and how long the request waited', async () => {
    let answer = (): void => undefined;
    const session = open(
      row(apis.Metadata, () => {
        clock.passedMs += 3;
        return new Promise((resolve) => {
          answer = () => resolve(newMetadataResponse());
        });
      }),
    );
    const request = metadataFrame();
    clock.passedMs = 5;
    const served = session.serve(request, 1);
    expect(measured).toEqual([]);
    clock.passedMs += 40;
    answer();
    const sending = await served.answer.promise();
    const [one] = measured;
    const sizes = { requestBytes: request.length, responseBytes: bytesOf(sending).length };
    expect(one).toMatchObject({ queuedMs: 4, loopMs: 3, waitedMs: 40, answeredAtMs: 48, sentAtMs: 0, ...sizes });
    expect([one!.header.apiVersion, one!.connection]).toEqual([12, testConnection]);
    clock.passedMs = 50;
    sending.timing!.onHandedOver();
    clock.passedMs = 51;
    sending.timing!.onSent();
    expect(one).toMatchObject({ handedOverAtMs: 50, sentAtMs: 51 });
    expect(observed).toEqual(['request 3', 'sent']);
  });

  it('is made once of each request that was understood, whatever becomes of it', async () => {
    const answers = [NO_ANSWER, CLOSE_CONNECTION, 'throws', 'rejects'] as const;
    for (const given of answers) {
      const session = open(
        row(apis.Metadata, () => {
          if (given === 'throws') throw new Error('bug');
          return given === 'rejects' ? Promise.reject(new Error('bug')) : given;
        }),
      );
      await session.serve(metadataFrame(), 0).answer.promise();
      await session.serve(Buffer.alloc(1), 0).answer.promise();
    }
    expect(measured.map(({ responseBytes }) => responseBytes)).toEqual([0, 0, 0, 0]);
  });
});

describe('an answer', () => {
  it.each([1, 12])('is encoded in the version of its request, with its header (v%d)', async (version) => {
    const seen: RequestContext[] = [];
    const session = open(
      row(apis.Metadata, async (context) => {
        seen.push(context);
        return newMetadataResponse({ controllerId: 7 });
      }),
    );
    const served = session.serve(metadataFrame(version), 0);
    expect([served.kind, served.firstStage]).toEqual([3, undefined]);
    const answer = await served.answer.promise();
    const bytes = bytesOf(answer);
    expect(bytes.readInt32BE(0)).toBe(bytes.length - LENGTH);
    const reader = new Reader(bytes, LENGTH);
    expect(decodeResponseHeader(reader, apis.Metadata as Api<never, unknown>, version)).toBe(42);
    expect(apis.Metadata.decodeResponse(reader, version).controllerId).toBe(7);
    expect(reader.remaining).toBe(0);
    expect(seen[0]).toMatchObject({ apiKey: 3, apiVersion: version, correlationId: 42, clientId: '' });
    expect(observed).toEqual(['request 3']);
    expect([answer.closeAfter, answer.muteMs]).toEqual([false, 0]);
  });

  it('may be nothing, or the end of the connection', async () => {
    const answers = [NO_ANSWER, CLOSE_CONNECTION] as const;
    for (const [index, given] of answers.entries()) {
      const session = open(row(apis.Metadata, () => given));
      const answer = await session.serve(metadataFrame(), 0).answer.promise();
      expect(answer).toMatchObject({ chunks: [], closeAfter: index === 1, muteMs: 0 });
    }
    expect(logger.lines).toEqual([]);
  });

  it('in two stages passes the first one on', async () => {
    const firstStage = new Later<void>();
    const answer = firstStage.map<HandlerAnswer<ProduceResponse>>(() => newProduceResponse());
    const session = open(row(apis.Produce, () => ({ staged: true, firstStage, answer })));
    const served = session.serve(frame(apis.Produce, 9, newProduceRequest({ acks: -1 })), 0);
    expect(served.firstStage).toBe(firstStage);
    firstStage.settle();
    expect(bytesOf(await served.answer.promise()).length).toBeGreaterThan(LENGTH);
    expect(session.mayOverlap(served.kind, frame(apis.Produce, 3, newProduceRequest()))).toBe(true);
    expect(session.mayOverlap(served.kind, metadataFrame())).toBe(false);
    expect(session.mayOverlap(served.kind, Buffer.alloc(1))).toBe(false);
  });
});

describe('a connection ends', () => {
  const key999 = Buffer.from([3, 231, 0, 0, 0, 0, 0, 1, 255, 255]);
  const half = frame(apis.Metadata, 12, newMetadataRequest()).subarray(0, -3);

  it.each([
    ['a key that nobody knows', key999, 'no API has key 999'],
    ['a key that is not served', frame(apis.Produce, 9, newProduceRequest()), 'Produce is not served'],
    ['a version that is not served', Buffer.from([0, 3, 0, 99, 0, 0, 0, 1, 255, 255, 0]), 'no version 99'],
    ['an unfinished body', half, 'at byte'],
    ['an unfinished header', Buffer.from([0, 3, 0]), 'at byte'],
    ['an empty frame', Buffer.alloc(0), 'at byte'],
  ])('on %s, with one line in the log', async (_name, bytes, reason) => {
    const session = open(row(apis.Metadata, () => newMetadataResponse()));
    expect(await session.serve(bytes, 0).answer.promise()).toEqual({ chunks: [], closeAfter: true, muteMs: 0 });
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'request refused; closing the connection',
        fields: expect.objectContaining({ peer: '127.0.0.1:50000', reason: expect.stringContaining(reason) }),
      },
    ]);
    expect(observed).toEqual([]);
  });

  const bug = new Error('a bug');
  it.each<[string, Handler<unknown, unknown>, string]>([
    [
      'throws',
      () => {
        throw bug;
      },
      'error',
    ],
    ['rejects', () => Promise.reject(bug), 'error'],
    ['gives an answer that cannot be encoded', () => ({ nothing: 'useful' }), 'error'],
    ['finds bad bytes', () => Promise.reject(new MalformedMessage('bad')), 'warn'],
  ])('when a handler %s', async (_name, handle, level) => {
    const session = open({ api: apis.Metadata as unknown as Api<unknown, unknown>, handle });
    expect(await session.serve(metadataFrame(), 0).answer.promise()).toMatchObject({ chunks: [], closeAfter: true });
    expect(logger.lines.map((line) => line.level)).toEqual([level]);
    expect(logger.lines[0]!.fields).toMatchObject({ api: 'Metadata', version: 12 });
  });
});

describe('ApiVersions', () => {
  it('of an unknown version is answered in the layout of v0', async () => {
    const request = Buffer.concat([Buffer.from([0, 18, 0, 127, 0, 0, 0, 41, 255, 255, 0]), Buffer.from('garbage')]);
    const reader = new Reader(bytesOf(await open().serve(request, 0).answer.promise()), LENGTH);
    expect(reader.int32()).toBe(41);
    expect(decodeApiVersionsResponse(reader, 0)).toMatchObject({
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: apis.ApiVersions.maxVersion }],
    });
    expect(reader.remaining).toBe(0);
    expect(logger.lines).toEqual([]);
  });
});

it('cancels the waits of unanswered requests when the connection closes', async () => {
  const cancelled: number[] = [];
  const answers: (() => void)[] = [];
  const session = open(
    row(apis.Metadata, (context) => {
      const number = answers.length;
      context.onClose(() => cancelled.push(number));
      return new Promise((resolve) => answers.push(() => resolve(newMetadataResponse())));
    }),
  );
  const first = session.serve(metadataFrame(), 0);
  session.serve(metadataFrame(), 0);
  answers[0]!();
  await first.answer.promise();
  session.cancelWaits();
  expect(cancelled).toEqual([1]);
  expect(observed.at(-1)).toBe('close');
});

it('sends an answer that many share as any other, each with its own header', async () => {
  const image = MetadataImage.empty('cluster');
  const topics = Array.from({ length: 300 }, (_, i) => newMetadataResponseTopic({ name: `topic-${i}` }));
  const answer = newMetadataResponse({ clusterId: 'cluster', topics });
  const bytes: Buffer[] = [];
  for (const kind of ['own', 'shared', 'shared']) {
    const give = () =>
      kind === 'own' ? answer : sharedAnswer(image, kind, () => ({ answer: { ...answer }, partitions: 300 }));
    const session = open(row(apis.Metadata, give));
    for (const id of [42, 43]) {
      const request = requestFrame({ api: apis.Metadata, version: 12, request: newMetadataRequest() }, id, null);
      bytes.push(bytesOf(await session.serve(request.subarray(LENGTH), 0).answer.promise()));
    }
  }
  expect(bytes[0]!.readInt32BE(0)).toBe(bytes[0]!.length - LENGTH);
  for (const [i, each] of bytes.entries()) expect(each.equals(bytes[i % 2]!)).toBe(true);
  expect(bytes[0]!.equals(bytes[1]!)).toBe(false);
});
