/** Settings that several keys decide together. */
import { BrokerConfig } from './broker-config';
import { cleanerSettings, configuredBrokerId, connectionLimits, dataDirs } from './derived-settings';

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
