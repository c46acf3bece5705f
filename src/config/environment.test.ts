/** Settings from variables, as in the container image of Kafka. */
import { environmentSettings } from './environment';

function settings(environment: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(environmentSettings(environment));
}

describe('environmentSettings', () => {
  it('maps one, two and three underscores to a dot, an underscore and a dash', () => {
    expect(
      settings({ KAFKA_LOG_DIRS: '/d', KAFKA_A__B: '1', KAFKA_A___B: '2', KAFKA_ZOOKEEPER_CLIENTCNXNSOCKET: 'x' }),
    ).toEqual({ 'log.dirs': '/d', a_b: '1', 'a-b': '2', 'zookeeper.clientcnxnsocket': 'x' });
  });

  it('takes neither other variables nor those that steer the JVM', () => {
    expect(
      settings({
        PATH: '/bin',
        KAFKA_OPTS: '-X',
        KAFKA_HEAP_OPTS: '-Xmx1g',
        KAFKA_VERSION: '4',
        KAFKA_LOG4J_LOGGERS: 'a',
      }),
    ).toEqual({});
  });

  it('listens everywhere on what is advertised when no listeners are given', () => {
    expect(settings({ KAFKA_ADVERTISED_LISTENERS: 'A://host:9092,B://other:9093' }).listeners).toBe(
      'A://0.0.0.0:9092,B://0.0.0.0:9093',
    );
    expect(settings({ KAFKA_ADVERTISED_LISTENERS: 'A://h:1', KAFKA_LISTENERS: 'A://:2' }).listeners).toBe('A://:2');
  });
});
