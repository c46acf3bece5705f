/** Whatever ApiVersions advertises is served: every version answers in its own form, every other one is refused. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Api } from './codec/api';
import { type ApiVersionsResponse, newApiVersionsRequest } from './codec/generated/18-api-versions';
import { apiOfKey, apis } from './codec/generated/apis';
import { decodeResponseHeader } from './codec/header';
import { Reader } from './codec/reader';
import { Writer } from './codec/writer';
import type { EmbeddedBroker } from './start-broker';
import { RawClient } from './testing/raw-client';
import { TestBrokers } from './testing/test-broker';
import type { WireClient } from './testing/wire-client';

type AnyApi = Api<unknown, unknown>;
type Fields = Readonly<Record<string, unknown>>;

const brokers = new TestBrokers();
let broker: EmbeddedBroker;
let client: WireClient;
let advertised: ApiVersionsResponse['apiKeys'];

beforeAll(async () => {
  broker = await brokers.start();
  client = await brokers.connect(broker);
  const request = newApiVersionsRequest();
  advertised = (await client.call({ api: apis.ApiVersions, version: 0, request })).apiKeys;
});

afterAll(() => brokers.close());

/** What makes a request one that is valid in form; defaults do for the rest. */
const FIELDS: Readonly<Record<string, Fields>> = {
  Produce: { acks: 1 },
  Metadata: { topics: [] },
  SyncGroup: { protocolType: 'consumer', protocolName: 'range' },
  ApiVersions: { clientSoftwareName: 'test', clientSoftwareVersion: '1.0' },
  InitProducerId: { transactionalId: null },
  DescribeTopicPartitions: { responsePartitionLimit: 10 },
};

/** The smallest valid request of each API, by its key: made by the `new…Request` of the generated modules. */
const requests = new Map<number, unknown>();
const generated = path.join(__dirname, 'codec/generated');
for (const file of readdirSync(generated).filter((name) => /^\d\d-/.test(name))) {
  const module = require(path.join(generated, file)) as Record<string, (fields: Fields) => unknown>;
  const maker = Object.keys(module).find((name) => /^new.*Request$/.test(name))!;
  const apiName = maker.slice('new'.length, -'Request'.length);
  requests.set(Number(file.slice(0, 2)), module[maker]!(FIELDS[apiName] ?? {}));
}

/** A request with the header of its version; where that can hold a tagged field, there is one that nobody knows. */
function requestOf(api: AnyApi, version: number, correlationId: number): Buffer {
  const writer = new Writer();
  writer.int32(0);
  writer.int16(api.key);
  writer.int16(version);
  writer.int32(correlationId);
  writer.nullableString('client');
  if (version >= api.firstFlexible) {
    const [fields, tag, size] = [1, 99, 2];
    for (const number of [fields, tag, size]) writer.uvarint(number);
    writer.int16(-1);
  }
  api.encodeRequest(writer, requests.get(api.key), version);
  const frame = writer.finishBuffer();
  frame.writeInt32BE(frame.length - 4);
  return frame;
}

function versionsOf(key: number): number[] {
  const { minVersion, maxVersion } = advertised.find(({ apiKey }) => apiKey === key)!;
  return Array.from({ length: maxVersion - minVersion + 1 }, (_, at) => minVersion + at);
}

it('answers every advertised version in that version, to the last byte', async () => {
  const peer = await RawClient.open(broker.port);
  let count = 0;
  for (const { apiKey } of advertised) {
    const api = apiOfKey(apiKey)!;
    for (const version of versionsOf(apiKey)) {
      peer.send(requestOf(api, version, ++count));
      const frames = await peer.waitFrames(count);
      const reader = new Reader(frames[count - 1]!);
      expect([api.name, version, decodeResponseHeader(reader, api as Api<never, unknown>, version)]).toEqual([
        api.name,
        version,
        count,
      ]);
      api.decodeResponse(reader, version);
      expect([api.name, version, reader.remaining]).toEqual([api.name, version, 0]);
    }
  }
  expect(count).toBeGreaterThan(150);
  peer.close();
});

it('closes the connection on versions that are not advertised, ApiVersions apart', async () => {
  for (const { apiKey, maxVersion } of advertised) {
    if (apiKey === apis.ApiVersions.key) continue;
    const peer = await RawClient.open(broker.port);
    const api = apiOfKey(apiKey)!;
    const head = Buffer.from([0, 0, 0, 19, 0, apiKey, 0, maxVersion + 1, 0, 0, 0, 1, 255, 255]);
    peer.send(head, Buffer.alloc(9));
    await peer.waitClosed();
    expect([api.name, peer.receivedBytes]).toEqual([api.name, 0]);
  }
});

it('advertises the newest version of each API that is served, from the oldest', () => {
  for (const { apiKey, minVersion, maxVersion } of advertised) {
    const api = apiOfKey(apiKey)!;
    expect([api.name, minVersion, maxVersion]).toEqual([api.name, 0, api.maxVersion]);
  }
  const keys = advertised.map(({ apiKey }) => apiKey);
  const first = [0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 32, 37, 42, 60, 75];
  expect(keys).toEqual(expect.arrayContaining(first));
});
