/** A broker that starts again on what it left. */
import { systemClock } from './base/clock';
import { type RunningBroker, runBroker } from './broker';
import { EmbeddedControlStore } from './cluster/embedded-control-store';
import { loadConfig } from './config/layers';
import { MemoryFileSystem } from './log/memory-file-system';
import { RecordingLogger } from './testing/recording-logger';
import { WireClient } from './testing/wire-client';
import { createTopic, fetchValues, produce } from './testing/wire-records';

const fileSystem = new MemoryFileSystem(systemClock);

async function start(): Promise<RunningBroker> {
  const loaded = loadConfig({ dataDir: '/data', port: 0 });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return runBroker({ ...loaded.value, logger: new RecordingLogger(), fileSystem });
}

it('reads each topic once, and serves what it served', async () => {
  const first = await start();
  const before = await WireClient.connect(first.endpoints[0]!.port);
  await createTopic(before, 'kept', 3);
  await produce(before, { topic: 'kept', values: ['a', 'b'] });
  before.close();
  await first.close();

  const reads = jest.spyOn(EmbeddedControlStore.prototype, 'get');
  const again = await start();
  const paths = reads.mock.calls.map(([path]) => path).filter((path) => path.includes('kept'));
  reads.mockRestore();
  const client = await WireClient.connect(again.endpoints[0]!.port);
  expect(await fetchValues(client, { topic: 'kept' })).toEqual(['a', 'b']);
  client.close();
  await again.close();
  // The topic, its settings, the states of three partitions.
  expect([paths.length, new Set(paths).size]).toEqual([5, 5]);
});
