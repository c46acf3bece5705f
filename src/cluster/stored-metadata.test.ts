/** The files of a control store read without opening it: what they say, and what of them is torn or damaged. */
import { silentLogger } from '../base/logger';
import { CrashStorage } from '../testing/crash-storage';
import { EmbeddedControlStore } from './embedded-control-store';
import { metadataPath, readStoredMetadata } from './stored-metadata';
import {
  CLUSTER_ID_PATH,
  createTopicNodes,
  encodeClusterId,
  encodeProducerIdBlock,
  PERSISTENT_PATHS,
  PRODUCER_ID_BLOCK_PATH,
} from './znodes';

const PATH = metadataPath('/data');
const TOPIC = {
  name: 't',
  id: 'AAAAAAAAAAAAAAAAAAAAAQ',
  isInternal: false,
  configs: new Map([['retention.ms', '1']]),
  partitions: [{ partition: 0, leader: 1, leaderEpoch: 4, partitionEpoch: 0, replicas: [1], isr: [1] }],
};

let disk: CrashStorage;

function write(path: string, content: Buffer): void {
  disk.files.set(path, { content, synced: content });
}

beforeEach(async () => {
  disk = new CrashStorage();
  const opened = await EmbeddedControlStore.open({ storage: disk, path: PATH, logger: silentLogger });
  if (!opened.ok) throw new Error(opened.error);
  const done = await opened.value.multi([
    ...PERSISTENT_PATHS.map((path) => ({ kind: 'create' as const, path, data: '' })),
    { kind: 'create', path: CLUSTER_ID_PATH, data: encodeClusterId('cluster') },
    { kind: 'create', path: PRODUCER_ID_BLOCK_PATH, data: encodeProducerIdBlock({ brokerId: 1, first: 0, last: 999 }) },
    ...createTopicNodes(TOPIC, 1),
  ]);
  expect(done.ok).toBe(true);
  await opened.value.close();
});

it('says what the store holds, and changes nothing', async () => {
  const before = disk.readFile(`${PATH}.journal`);
  const read = await readStoredMetadata(disk, PATH);
  expect(read).toMatchObject({
    ok: true,
    value: { topics: [TOPIC], deletions: [], quotas: [], clusterId: 'cluster', nextProducerId: 1000, tornBytes: 0 },
  });
  expect(disk.readFile(`${PATH}.journal`).equals(before)).toBe(true);
});

it('tells a torn line from damage', async () => {
  const whole = disk.readFile(`${PATH}.journal`);
  const end = whole.indexOf(0x0a) + 1;
  write(`${PATH}.journal`, Buffer.concat([whole.subarray(0, end), Buffer.from('0123456789abcdef {"num')]));
  expect(await readStoredMetadata(disk, PATH)).toMatchObject({ ok: true, value: { topics: [TOPIC], tornBytes: 22 } });
  const bad = Buffer.from(whole.subarray(0, end));
  bad[20] = bad[20]! ^ 1;
  write(`${PATH}.journal`, Buffer.concat([bad, whole.subarray(0, end)]));
  expect(await readStoredMetadata(disk, PATH)).toEqual({
    ok: false,
    error: expect.stringContaining(`${PATH}.journal is damaged before byte`),
  });
  write(`${PATH}.snapshot`, Buffer.from('nonsense\n'));
  expect(await readStoredMetadata(disk, PATH)).toEqual({ ok: false, error: `${PATH}.snapshot is damaged` });
});

it('finds no store where there is none', async () => {
  expect(await readStoredMetadata(disk, '/data/other')).toEqual({ ok: true, value: undefined });
});
