/** What a log that is deleted leaves for one of the same name: nothing. */
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { append, batchOf, openLogs, readAll, seededRandom, textsOf } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';

const FIRST = 'Zm9vYmFyYmF6cXV4cXV1eA';
const SECOND = 'Zm9vYmFyYmF6cXV4cXV1eB';

it('keeps all records of a log made anew under the same name when the power fails', async () => {
  let disk = new FaultyFileSystem(new ManualClock());
  let manager = await openLogs({ fileSystem: disk });
  const first = await manager.create('t', 0, FIRST);
  if (!first.ok) throw new Error(first.message);
  await append(first.value, batchOf(['a', 'b', 'c', 'd', 'e', 'f']));
  await append(first.value, batchOf(['g']));
  first.value.setHighWatermark(7);
  expect(await first.value.deleteRecordsBefore(5)).toEqual({ ok: true, value: 5 });
  expect(await manager.delete('t', 0)).toMatchObject({ ok: true });
  const second = await manager.create('t', 0, SECOND);
  if (!second.ok) throw new Error(second.message);
  await append(second.value, batchOf(['x']));
  await second.value.flush();
  disk = disk.crash('synced-only', seededRandom(1));
  await manager.close({ clean: false });
  manager = await openLogs({ fileSystem: disk });
  const found = manager.get('t', 0)!;
  expect([found.topicId, found.logStartOffset, textsOf(await readAll(found))]).toEqual([SECOND, 0, ['x']]);
  await manager.close({ clean: true });
});

it('makes a log where no checkpoint keeps the offsets of a former one of its name', async () => {
  let disk = new FaultyFileSystem(new ManualClock());
  const logDirs = ['/a', '/b'];
  let manager = await openLogs({ fileSystem: disk, logDirs });
  const first = await manager.create('t', 0, FIRST);
  if (!first.ok) throw new Error(first.message);
  await append(first.value, batchOf(['a', 'b']));
  first.value.setHighWatermark(2);
  await first.value.deleteRecordsBefore(2);
  await manager.delete('t', 0);
  const fault = disk.inject({ on: 'write', code: 'EIO', path: /^\/a\/log-start-offset-checkpoint/ });
  const second = await manager.create('t', 0, SECOND);
  if (!second.ok) throw new Error(second.message);
  fault.lift();
  expect(second.value.directory).toBe('/b/t-0');
  await append(second.value, batchOf(['x']));
  await second.value.flush();
  disk = disk.crash('synced-only', seededRandom(1));
  await manager.close({ clean: false });
  manager = await openLogs({ fileSystem: disk, logDirs });
  expect(textsOf(await readAll(manager.get('t', 0)!))).toEqual(['x']);
  await manager.close({ clean: true });
});
