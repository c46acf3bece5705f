/**
 * Negotiation of versions: what ApiVersions answers, also to versions that the broker does not know, and that
 * everything it offers is there.
 */
import type { Api } from '../../src/codec/api';
import { newApiVersionsRequest } from '../../src/codec/generated/18-api-versions';
import { ApiKey, apiOfKey, apis } from '../../src/codec/generated/apis';
import { ErrorCode } from '../../src/codec/generated/errors';
import { Reader } from '../../src/codec/reader';
import { requestFrame } from '../../src/testing/wire-client';
import { pause, useBroker } from './fixture';
import { minimalRequest } from './minimal-requests';

const broker = useBroker();

const request = newApiVersionsRequest({ clientSoftwareName: 'scenario', clientSoftwareVersion: '1.0' });
const PLAIN_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;

describe('a version of ApiVersions that the broker does not know', () => {
  broker.scenario(
    'is answered in the layout of version 0 with the versions it does know; the connection lives',
    async () => {
      const client = await broker.connectRaw();
      const unknown = requestFrame({ api: apis.ApiVersions, version: 3, request }, 41, 'raw');
      unknown.writeInt16BE(127, 6);
      client.send(unknown, requestFrame({ api: apis.ApiVersions, version: 0, request }, 42, 'raw'));
      const [refused, answered] = await client.waitFrames(2);

      const reader = new Reader(refused!);
      expect(reader.int32()).toBe(41);
      const refusal = apis.ApiVersions.decodeResponse(reader, 0);
      expect(reader.remaining).toBe(0);
      expect(refusal.errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
      const { minVersion, maxVersion } = broker.served.get(ApiKey.ApiVersions)!;
      expect(refusal.apiKeys).toEqual([{ apiKey: ApiKey.ApiVersions, minVersion, maxVersion }]);
      expect(minVersion).toBe(0);

      expect(answered!.readInt32BE(0)).toBe(42);
      const answer = apis.ApiVersions.decodeResponse(new Reader(answered!.subarray(4)), 0);
      expect(answer.errorCode).toBe(ErrorCode.NONE);
      expect(answer.apiKeys.length).toBeGreaterThan(10);
    },
  );

  broker.scenario('with a body that is no request at all is answered just so', async () => {
    const client = await broker.connectRaw();
    const frame = Buffer.from(
      '00000014' + '0012' + '007f' + '00000005' + '0001' + '61' + '00' + 'ffffffffffffffff',
      'hex',
    );
    client.send(frame);
    const [refused] = await client.waitFrames(1);
    expect(refused!.readInt32BE(0)).toBe(5);
    expect(refused!.readInt16BE(4)).toBe(ErrorCode.UNSUPPORTED_VERSION);
    await pause(50);
    expect(client.closed).toBe(false);
  });
});

describe('answers of flexible versions', () => {
  broker.scenario('ApiVersions keeps the short header: after the correlation id comes the error', async () => {
    const client = await broker.connectRaw();
    for (const version of broker.versions(apis.ApiVersions, 3, 3)) {
      client.send(requestFrame({ api: apis.ApiVersions, version, request }, 77, 'raw'));
    }
    const [frame] = await client.waitFrames(1);
    expect(frame!.readInt32BE(0)).toBe(77);
    expect(frame!.readInt16BE(4)).toBe(ErrorCode.NONE);
    // A compact array: one more than its length, as a varint.
    expect(frame!.readUInt8(6)).toBe(broker.served.size + 1);
  });

  broker.scenario('all others have tags behind the correlation id', async () => {
    const client = await broker.connectRaw();
    const version = 9;
    const metadata = { api: apis.Metadata, version, request: minimalRequest(apis.Metadata) };
    client.send(requestFrame(metadata, 78, 'raw'));
    const [frame] = await client.waitFrames(1);
    expect(frame!.readInt32BE(0)).toBe(78);
    expect(frame!.readUInt8(4)).toBe(0);
    const answer = apis.Metadata.decodeResponse(new Reader(frame!.subarray(5)), version);
    expect(answer.brokers).toHaveLength(1);
  });
});

describe('names of clients', () => {
  it.each([
    ['', '1.0'],
    ['librdkafka', ''],
    ['-dash', '1.0'],
    ['dash-', '1.0'],
    ['with space', '1.0'],
    ['fine', '1.0/2'],
    ['ünïcode', '1.0'],
  ])('software "%s" of version "%s" is refused (KIP-511), and the connection lives', async (name, version) => {
    const client = await broker.connect();
    const badly = newApiVersionsRequest({ clientSoftwareName: name, clientSoftwareVersion: version });
    const refused = await client.call({ api: apis.ApiVersions, version: 3, request: badly });
    expect(PLAIN_NAME.test(name) && PLAIN_NAME.test(version)).toBe(false);
    expect(refused.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    expect(refused.apiKeys).toEqual([]);
    const answer = await client.call({ api: apis.ApiVersions, version: 3, request });
    expect(answer.errorCode).toBe(ErrorCode.NONE);
  });
});

describe('what is offered', () => {
  broker.scenario('every version of every API is answered, in the layout of that version', async () => {
    const told: string[] = [];
    for (const [key, { minVersion: offered, maxVersion }] of broker.served) {
      const api = apiOfKey(key) as Api<unknown, unknown>;
      // Kafka 4 offers Produce from 0 because librdkafka asks for that, and closes the connection at 0 to 2.
      const minVersion = broker.isForeign && key === ApiKey.Produce ? 3 : offered;
      const client = await broker.connectRaw();
      for (let version = minVersion; version <= Math.min(maxVersion, api.newestKnownVersion); version++) {
        const minimal = minimalRequest(api, version);
        if (minimal === undefined && broker.isForeign) continue;
        if (minimal === undefined) throw new Error(`no minimal request for ${api.name}`);
        client.send(requestFrame({ api, version, request: minimal }, version, 'raw'));
        const frames = await client.waitFrames(version - minVersion + 1).catch(() => []);
        expect([api.name, version, 'answered']).toEqual([api.name, version, frames.length > 0 ? 'answered' : 'not']);
        const reader = new Reader(frames.at(-1)!);
        expect(reader.int32()).toBe(version);
        const hasTags = version >= api.firstFlexible && key !== ApiKey.ApiVersions;
        if (hasTags) expect(reader.uvarint()).toBe(0);
        api.decodeResponse(reader, version);
        expect([api.name, version, reader.remaining]).toEqual([api.name, version, 0]);
        told.push(`${api.name} ${version}`);
      }
      client.close();
    }
    for (const name of ['Produce', 'Fetch', 'ListOffsets', 'OffsetCommit', 'JoinGroup', 'DescribeConfigs']) {
      expect(told.some((one) => one.startsWith(name))).toBe(true);
    }
  });

  broker.scenario('versions above those offered end the connection', async () => {
    for (const [key, { maxVersion }] of broker.served) {
      if (key === ApiKey.ApiVersions) continue;
      const client = await broker.connectRaw();
      const frame = requestFrame({ api: apis.ApiVersions, version: 0, request }, 1, 'raw');
      frame.writeInt16BE(key, 4);
      frame.writeInt16BE(maxVersion + 1, 6);
      client.send(frame);
      await client.waitClosed();
      expect([key, client.receivedBytes]).toEqual([key, 0]);
    }
  });
});
