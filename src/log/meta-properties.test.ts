/** `meta.properties` in both versions. */
import { systemClock } from '../base/clock';
import { MemoryFileSystem } from './memory-file-system';
import { type MetaProperties, readMetaProperties, writeMetaProperties } from './meta-properties';

describe('meta.properties', () => {
  const whole = { clusterId: 'c=1', brokerId: 3, directoryId: 'd' };

  it.each<MetaProperties>([
    { version: 1, ...whole },
    { version: 0, ...whole },
    { version: 0, clusterId: undefined, brokerId: undefined, directoryId: undefined },
  ])('reads back %j', async (meta) => {
    const fileSystem = new MemoryFileSystem(systemClock);
    fileSystem.createDirectory('/data');
    await writeMetaProperties(fileSystem, '/data', meta);
    expect(readMetaProperties(fileSystem, '/data')).toEqual({ ok: true, value: meta });
  });

  it('is undefined where there is none', () => {
    expect(readMetaProperties(new MemoryFileSystem(systemClock), '/data')).toEqual({ ok: true, value: undefined });
  });
});
