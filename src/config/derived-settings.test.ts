/** Settings that several keys decide together. */
import { BrokerConfig } from './broker-config';
import { configuredBrokerId, connectionLimits, dataDirs } from './derived-settings';

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
