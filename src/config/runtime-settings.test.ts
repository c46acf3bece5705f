/** What a client may set of a broker at run time, and what it is told. */
import { BrokerConfig } from './broker-config';
import { checkBrokerSettings } from './runtime-settings';

function problem(scope: 'broker' | 'cluster', settings: Record<string, string>, config = BrokerConfig.of()) {
  const checked = checkBrokerSettings(config, { scope, settings: new Map(Object.entries(settings)) });
  return checked.ok ? undefined : checked.error;
}

describe('checkBrokerSettings', () => {
  it.each<[Record<string, string>]>([
    [{ 'log.retention.ms': '1000', 'log.cleanup.policy': 'compact' }],
    [{ 'log.retention.ms': '-1' }],
    [{ 'some.plugin.key': 'x' }],
    [{ 'num.io.threads': '16' }],
    [{}],
  ])('allows %j on one broker and on all', (settings) => {
    expect(problem('broker', settings)).toBeUndefined();
    expect(problem('cluster', settings)).toBeUndefined();
  });

  it.each<[Record<string, string>, string]>([
    [
      { 'log.dirs': '/x', 'num.partitions': '5' },
      'Cannot update these configs dynamically: [log.dirs, num.partitions]',
    ],
    [{ 'ssl.keystore.location': '/x' }, 'only per-listener using the listener prefix: [ssl.keystore.location]'],
    [{ 'log.retention.ms': 'abc' }, 'Invalid value abc for configuration log.retention.ms: Not a number of type LONG'],
    [{ 'log.retention.ms': '0' }, 'log.retention.ms=0: must be at least 1'],
    [{ 'max.connections.per.ip': '0' }, 'max.connections.per.ip=0'],
    [{ 'num.io.threads': '100' }, 'num.io.threads=100, value should not be greater than double the current value 8'],
    [{ 'num.io.threads': '2' }, 'num.io.threads=2, value should be at least half the current value 8'],
  ])('refuses %j everywhere', (settings, message) => {
    expect(problem('broker', settings)).toContain(message);
    expect(problem('cluster', settings)).toContain(message);
  });

  it('refuses settings of one broker for all of them', () => {
    const settings = { 'listener.name.internal.ssl.keystore.location': '/x' };
    expect(problem('broker', settings)).toBeUndefined();
    expect(problem('cluster', settings)).toBe(
      'Cannot update these configs at default cluster level, broker id must be specified: ' +
        '[listener.name.internal.ssl.keystore.location]',
    );
    expect(problem('cluster', { 'listener.name.internal.max.connections': '5' })).toBeUndefined();
    expect(problem('broker', { 'listener.name.internal.max.connections': 'x' })).toContain('Not a number of type INT');
  });

  it('does not move the listeners of a running broker', () => {
    expect(problem('broker', { listeners: 'PLAINTEXT://:1' })).toBe(
      'listeners cannot be changed while the broker runs',
    );
  });

  it('looks at what counts in the end: a default that a broker overrides may be anything', () => {
    const { config } = BrokerConfig.of().withRuntime({
      broker: new Map([['log.retention.ms', '5']]),
      cluster: new Map(),
    });
    expect(problem('cluster', { 'log.retention.ms': '0' }, config)).toBeUndefined();
    expect(problem('broker', { 'log.retention.ms': '0' }, config)).toContain('log.retention.ms=0');
  });
});
