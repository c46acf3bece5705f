/** Layers, their order, and what is said about settings that are wrong. */
import type { ConfigKey } from './broker-config';
import { describeProblem } from './broker-config';
import { type ConfigSources, type LoadedConfig, loadConfig } from './layers';

function load(sources: ConfigSources): LoadedConfig {
  const loaded = loadConfig(sources);
  if (!loaded.ok) throw new Error(loaded.error.map(describeProblem).join('; '));
  return loaded.value;
}

function problems(sources: ConfigSources): string[] {
  const loaded = loadConfig(sources);
  return loaded.ok ? [] : loaded.error.map(describeProblem);
}

function textOf(sources: ConfigSources, key: ConfigKey): string | null {
  return load(sources).config.textOf(key);
}

describe('loadConfig', () => {
  it('lets the stronger layer count', () => {
    const fileText = 'num.partitions=2\nlog.dirs=/file\n';
    const environment = { KAFKA_NUM_PARTITIONS: '3' };
    expect(textOf({}, 'num.partitions')).toBe('1');
    expect(textOf({ fileText }, 'num.partitions')).toBe('2');
    expect(textOf({ fileText, environment }, 'num.partitions')).toBe('3');
    const overrides = ['num.partitions=4', 'log.dirs = /override'];
    expect(textOf({ fileText, environment, overrides }, 'num.partitions')).toBe('4');
    expect(textOf({ fileText, environment, overrides }, 'log.dirs')).toBe('/override');
    expect(textOf({ fileText, overrides, dataDir: '/option' }, 'log.dirs')).toBe('/option');
  });

  it('puts --port into the first listener', () => {
    expect(load({ port: 0 }).listeners.listeners).toMatchObject([{ host: '', port: 0 }]);
    const fileText =
      'listeners=PLAINTEXT://[::1]:9092,B://:9094\nlistener.security.protocol.map=PLAINTEXT:PLAINTEXT,B:PLAINTEXT';
    expect(load({ fileText, port: 7 }).listeners.listeners.map(({ port }) => port)).toEqual([7, 9094]);
  });

  it.each([
    ['PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093', 'PLAINTEXT://localhost:7,CONTROLLER://localhost:9093'],
    ['PLAINTEXT://outside:31092', 'PLAINTEXT://outside:31092'],
  ])('with --port 7, %s is advertised as %s', (advertised, expected) => {
    const fileText = `listeners=PLAINTEXT://:9092,CONTROLLER://:9093\nadvertised.listeners=${advertised}\n`;
    const kraft = 'process.roles=broker,controller\ncontroller.listener.names=CONTROLLER\nnode.id=1\n';
    expect(textOf({ fileText: fileText + kraft, port: 7 }, 'advertised.listeners')).toBe(expected);
  });

  it('stops with the key, the value and what is allowed, for every bad value at once', () => {
    expect(
      problems({ overrides: ['num.partitions=x', 'compression.type=zip', 'auto.create.topics.enable=yes'] }),
    ).toEqual([
      'num.partitions=x: must be a whole number between -2147483647 and 2147483647',
      'compression.type=zip: must be one of uncompressed, zstd, lz4, snappy, gzip, producer',
      'auto.create.topics.enable=yes: must be true or false',
    ]);
  });

  it('does not repeat a secret', () => {
    expect(JSON.stringify(loadConfig({ overrides: ['ssl.key.pasword=hunter2'], strict: true }))).not.toContain(
      'hunter2',
    );
    expect(JSON.stringify(load({ overrides: ['ssl.key.pasword=hunter2'] }).warnings)).not.toContain('hunter2');
  });

  it('warns of an unknown name with the nearest known one, and stops in the strict mode', () => {
    const overrides = [
      'log.retention.housr=1',
      'confluent.whatever=2',
      'listener.name.plaintext.connections.max.reauth.ms=5',
    ];
    expect(load({ overrides }).warnings).toEqual([
      {
        message: 'unknown setting is ignored',
        fields: { key: 'log.retention.housr', didYouMean: 'log.retention.hours' },
      },
      { message: 'unknown setting is ignored', fields: { key: 'confluent.whatever' } },
    ]);
    expect(problems({ overrides, strict: true })).toEqual([
      'log.retention.housr: is not a known setting; did you mean log.retention.hours?',
      'confluent.whatever: is not a known setting',
    ]);
  });

  it('names the settings that do nothing here', () => {
    expect(load({ overrides: ['zookeeper.connect=localhost', 'num.io.threads=8'] }).warnings).toEqual([
      { message: 'settings without effect here', fields: { keys: ['zookeeper.connect'] } },
    ]);
  });

  it.each([
    ['authorizer.class.name=x.Y', 'authorizer.class.name=x.Y: is not supported.'],
    ['process.roles=controller', 'process.roles=controller: must contain broker'],
    ['log.retention.ms=0', 'log.retention.ms=0: must be at least 1, or -1'],
    ['log.roll.ms=0', 'log.roll.ms=0: must be at least 1'],
    ['group.min.session.timeout.ms=1800001', 'group.min.session.timeout.ms=1800001: must not be larger'],
    ['max.connections.per.ip=0', 'max.connections.per.ip=0: must not be 0 unless'],
    ['max.connections.per.ip.overrides=a', 'max.connections.per.ip.overrides=a: must be HOST:COUNT'],
    ['=x', '--override==x: must be KEY=VALUE'],
  ])('%s → %s', (override, reason) => {
    expect(problems({ overrides: [override] }).join()).toContain(reason);
  });

  it('wants broker.id and node.id to agree', () => {
    expect(problems({ overrides: ['broker.id=1', 'node.id=2'] }).join()).toContain(
      'broker.id=1: must be the same as node.id',
    );
    expect(problems({ overrides: ['broker.id=2', 'node.id=2'] })).toEqual([]);
  });
});
