/** Pairing of requests and responses, with and without marks of direction. */
import type { Api } from './api';
import type { CapturedFrame, Direction } from './captured-frames';
import { Conversation } from './conversation';
import { newHeartbeatRequest, newHeartbeatResponse } from './generated/12-heartbeat';
import { newApiVersionsRequest, newApiVersionsResponse } from './generated/18-api-versions';
import { apis } from './generated/apis';
import { encodeRequestHeader, encodeResponseHeader } from './header';
import { Writer } from './writer';

interface Sent<Q, R> {
  readonly api: Api<Q, R>;
  readonly version: number;
  readonly correlationId: number;
}

function captured(write: (writer: Writer) => void, direction: Direction | undefined): CapturedFrame {
  const writer = new Writer();
  write(writer);
  return { bytes: writer.finishBuffer(), direction };
}

function request<Q, R>(sent: Sent<Q, R>, message: Q, direction?: Direction): CapturedFrame {
  const { api, version, correlationId } = sent;
  return captured((writer) => {
    encodeRequestHeader(writer, { api, apiVersion: version, correlationId }, 'c');
    api.encodeRequest(writer, message, version);
  }, direction);
}

function response<Q, R>(sent: Sent<Q, R>, message: R, direction?: Direction): CapturedFrame {
  const { api, version, correlationId } = sent;
  return captured((writer) => {
    encodeResponseHeader(writer, { api, apiVersion: version, correlationId });
    api.encodeResponse(writer, message, version);
  }, direction);
}

const heartbeat = { api: apis.Heartbeat, version: 3, correlationId: 7 };
const versions = { api: apis.ApiVersions, version: 4, correlationId: 7 };

describe('Conversation', () => {
  it('pairs by correlation id', () => {
    const conversation = new Conversation();
    expect(conversation.add(request(heartbeat, newHeartbeatRequest({ groupId: 'g' })))).toMatchObject({
      ...{ kind: 'request', version: 3, correlationId: 7, clientId: 'c', message: { groupId: 'g' } },
    });
    expect(conversation.unanswered).toHaveLength(1);
    expect(conversation.add(response(heartbeat, newHeartbeatResponse({ errorCode: 25 })))).toMatchObject({
      ...{ kind: 'response', version: 3, correlationId: 7, clientId: 'c', message: { errorCode: 25 } },
    });
    expect(conversation.unanswered).toEqual([]);
  });

  it('takes the request that the bytes fit, where connections share an id', () => {
    const conversation = new Conversation();
    conversation.add(request(heartbeat, newHeartbeatRequest(), 'request'));
    conversation.add(request(versions, newApiVersionsRequest({ clientSoftwareName: 'n', clientSoftwareVersion: '1' })));
    const answer = conversation.add(response(versions, newApiVersionsResponse(), 'response'));
    expect(answer).toMatchObject({ kind: 'response', api: { name: 'ApiVersions' } });
    expect(conversation.unanswered.map((call) => call.api.name)).toEqual(['Heartbeat']);
  });

  it('reads an ApiVersions response of version 0 to a newer request', () => {
    const conversation = new Conversation();
    conversation.add(request(versions, newApiVersionsRequest({ clientSoftwareName: 'n', clientSoftwareVersion: '1' })));
    const refusal = newApiVersionsResponse({ errorCode: 35 });
    const answer = conversation.add(response({ ...versions, version: 0 }, refusal));
    expect(answer).toMatchObject({ kind: 'response', message: { errorCode: 35 } });
  });

  it('reads lone responses as what it is told', () => {
    const conversation = new Conversation({ api: apis.Heartbeat as Api<unknown, unknown>, version: 3 });
    const answer = conversation.add(response(heartbeat, newHeartbeatResponse({ errorCode: 25 })));
    expect(answer).toMatchObject({ kind: 'response', message: { errorCode: 25 } });
  });

  it('says why a frame is neither', () => {
    const conversation = new Conversation();
    const noise = Buffer.from('ff00112233', 'hex');
    expect(conversation.add({ bytes: noise, direction: undefined })).toMatchObject({
      ...{ kind: 'unknown', bytes: noise },
      problem: expect.stringMatching(/^as a request: .*; as a response: no request with correlation id -16772830/),
    });
    expect(conversation.add({ bytes: noise, direction: 'request' })).toMatchObject({
      problem: expect.not.stringContaining('as a response'),
    });
    conversation.add(request(heartbeat, newHeartbeatRequest()));
    const cut = response(heartbeat, newHeartbeatResponse()).bytes.subarray(0, 7);
    expect(conversation.add({ bytes: cut, direction: 'response' })).toMatchObject({
      problem: expect.stringContaining('as a response: Heartbeat v3: 4 bytes needed'),
    });
    expect(conversation.unanswered).toHaveLength(1);
  });
});
