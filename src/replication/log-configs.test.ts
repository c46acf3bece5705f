/** Settings of logs: known from the start, changed by images, harmless where the topic is unknown. */
import { MetadataImage, type TopicImage } from '../cluster/metadata-image';
import { BrokerConfig } from '../config/broker-config';
import { LogConfigs } from './log-configs';

const topic = (retentionMs: string): TopicImage => {
  return { name: 't', id: 'id', isInternal: false, partitions: [], configs: new Map([['retention.ms', retentionMs]]) };
};

describe('LogConfigs', () => {
  it('follows the topics', async () => {
    const config = BrokerConfig.of({ 'log.retention.ms': '7' });
    const configs = new LogConfigs(config, new Map([['t', new Map([['retention.ms', '5']])]]));
    expect(configs.of('t')).toMatchObject({ retentionMs: 5, cleanupDelete: true });
    const apply = async (change: Parameters<MetadataImage['with']>[0]) => {
      const { image, delta } = MetadataImage.empty('c').with(change);
      await configs.onImage(delta, image);
    };
    await apply({ topics: [topic('6')] });
    expect(configs.of('t').retentionMs).toBe(6);
    await apply({ topics: [{ ...topic('6'), configs: new Map() }] });
    expect(configs.of('t').retentionMs).toBe(7);
    await apply({ deletedTopics: [topic('6')] });
    expect(configs.of('t').retentionMs).toBe(-1);
  });

  it('makes one of the same settings of many topics', () => {
    const own = (ms: string): ReadonlyMap<string, string> => new Map([['retention.ms', ms]]);
    const known = new Map([
      ['t', own('5')],
      ['u', own('5')],
      ['v', own('6')],
    ]);
    const configs = new LogConfigs(BrokerConfig.of({}), known);
    expect(configs.of('u')).toBe(configs.of('t'));
    expect(configs.of('v').retentionMs).toBe(6);
  });

  it("follows the broker's own settings", async () => {
    const config = BrokerConfig.of({ 'log.retention.ms': '7' });
    const configs = new LogConfigs(
      config,
      new Map([
        ['t', new Map([['flush.ms', '5']])],
        ['u', new Map()],
      ]),
    );
    expect([configs.of('t').retentionMs, configs.of('u').retentionMs]).toEqual([7, 7]);
    const own = new Map([['log.retention.ms', '8']]);
    config.takeOver(config.withRuntime({ broker: own, cluster: new Map() }).config);
    const { image, delta } = MetadataImage.empty('c').with({
      configs: [{ scope: 'brokers', name: '1', configs: own }],
    });
    await configs.onImage(delta, image);
    expect([configs.of('t').retentionMs, configs.of('u').retentionMs]).toEqual([8, 8]);
  });

  it('lets nothing be lost of a topic that it does not know', () => {
    const configs = new LogConfigs(BrokerConfig.of({ 'log.retention.ms': '7' }), new Map());
    const off = { cleanupDelete: false, cleanupCompact: false, retentionMs: -1, retentionBytes: -1 };
    expect(configs.of('stray')).toMatchObject(off);
  });
});
