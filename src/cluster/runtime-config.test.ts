/** A broker's settings follow what is stored and published. */
import { silentLogger } from '../base/logger';
import { BrokerConfig } from '../config/broker-config';
import { CrashStorage } from '../testing/crash-storage';
import { openTestStore, startMetadataBroker } from '../testing/metadata-broker';
import { RecordingLogger } from '../testing/recording-logger';
import { MetadataImage } from './metadata-image';
import { followRuntimeConfig, loadRuntimeConfig } from './runtime-config';

describe('settings made at run time', () => {
  it('count at once, and after a restart before there is an image', async () => {
    const storage = new CrashStorage();
    const broker = await startMetadataBroker({ storage });
    const set = (name: string, key: string, value: string) => ({
      resource: { scope: 'brokers' as const, name },
      operations: [{ key, kind: 'set' as const, value }],
      replacesAll: false,
    });
    const changes = [set('', 'log.retention.ms', '3'), set('1', 'log.segment.bytes', '4000')];
    const altered = await broker.controller.alterConfigs(changes, { validateOnly: false });
    expect(altered.every(({ ok }) => ok)).toBe(true);
    expect([broker.config.get('log.retention.ms'), broker.config.get('log.segment.bytes')]).toEqual([3, 4000]);
    await broker.store.close();

    const config = BrokerConfig.of();
    await loadRuntimeConfig(await openTestStore(storage), { config, brokerId: 1, logger: silentLogger });
    expect([config.get('log.retention.ms'), config.get('log.segment.bytes')]).toEqual([3, 4000]);
    const other = BrokerConfig.of();
    await loadRuntimeConfig(await openTestStore(storage), { config: other, brokerId: 2, logger: silentLogger });
    expect([other.get('log.retention.ms'), other.isSet('log.segment.bytes')]).toEqual([3, false]);
  });

  it('are left out and told where they are impossible', async () => {
    const logger = new RecordingLogger();
    const config = BrokerConfig.of();
    const configs = new Map([
      ['log.retention.ms', 'soon'],
      ['log.segment.bytes', '4000'],
    ]);
    const { image, delta } = MetadataImage.empty('c').with({ configs: [{ scope: 'brokers', name: '1', configs }] });
    await followRuntimeConfig({ config, brokerId: 1, logger })(delta, image);
    expect([config.get('log.retention.ms'), config.get('log.segment.bytes')]).toEqual([null, 4000]);
    expect(logger.of('error')).toHaveLength(1);
  });
});
