/** Settings that several keys decide together. */
import { BrokerConfig } from './broker-config';
import {
  cleanerSettings,
  configuredBrokerId,
  connectionLimits,
  cordonedDirs,
  dataDirs,
  moveBytesPerSecond,
} from './derived-settings';

describe('derived settings', () => {
  it.each([
    [{}, undefined],
    [{ 'broker.id': '-1' }, undefined],
    [{ 'broker.id': '0' }, 0],
    [{ 'broker.id': '2', 'node.id': '2' }, 2],
    [{ 'node.id': '3' }, 3],
  ])('%j is broker %s', (settings, id) => {
    expect(configuredBrokerId(BrokerConfig.of(settings))).toBe(id);
  });

  it('takes log.dirs before log.dir', () => {
    expect(dataDirs(BrokerConfig.of())).toEqual(['data']);
    expect(dataDirs(BrokerConfig.of({ 'log.dir': '/a' }))).toEqual(['/a']);
    expect(dataDirs(BrokerConfig.of({ 'log.dir': '/a', 'log.dirs': '/b,/c' }))).toEqual(['/b', '/c']);
  });

  it('gives the compactor its settings', () => {
    const config = BrokerConfig.of({ 'log.cleaner.backoff.ms': '7', 'log.cleaner.io.max.bytes.per.second': '1e6' });
    expect(cleanerSettings(config)).toEqual({
      dedupeBufferBytes: 134_217_728,
      dedupeBufferLoadFactor: 0.9,
      ioBufferBytes: 524_288,
      maxBytesPerSecond: 1_000_000,
      backoffMs: 7,
    });
  });

  it('reads limits of single addresses', () => {
    const limits = (text: string) => connectionLimits(BrokerConfig.of({ 'max.connections.per.ip.overrides': text }));
    expect(limits('')).toEqual(new Map());
    expect(limits('host:1, ::1:2')).toEqual(
      new Map([
        ['host', 1],
        ['::1', 2],
      ]),
    );
    expect(limits('host')).toBeUndefined();
  });
});

it('limits moves between log directories by what was set at run time, for this broker before all', () => {
  const key = 'replica.alter.log.dirs.io.max.bytes.per.second';
  const limit = (broker: Record<string, string>, cluster: Record<string, string>) => {
    const settings = { broker: new Map(Object.entries(broker)), cluster: new Map(Object.entries(cluster)) };
    return moveBytesPerSecond(BrokerConfig.of({}).withRuntime(settings).config);
  };
  expect(limit({}, {})).toBe(Number.POSITIVE_INFINITY);
  expect(limit({}, { [key]: '500' })).toBe(500);
  expect(limit({ [key]: '7' }, { [key]: '500' })).toBe(7);
  expect(limit({ [key]: '0' }, {})).toBe(0);
  expect(limit({ [key]: 'much' }, {})).toBe(Number.POSITIVE_INFINITY);
});

it('knows cordoned directories by the names that they have in the settings', () => {
  const cordoned = (value: string) =>
    cordonedDirs(BrokerConfig.of({ 'log.dirs': 'a,/link,/c', 'cordoned.log.dirs': value }), ['/home/a', '/real', '/c']);
  expect(cordoned('')).toEqual([]);
  expect(cordoned('a,/link')).toEqual(['/home/a', '/real']);
  expect(cordoned('/c,/other')).toEqual(['/c']);
  expect(cordoned('*')).toEqual(['/home/a', '/real', '/c']);
});
