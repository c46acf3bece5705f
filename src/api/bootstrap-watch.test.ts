/** When the log says that a client cannot reach us, and when it keeps quiet. */
import { ApiKey } from '../codec/generated/apis';
import { testConnection } from '../testing/handler-context';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import { BootstrapWatch } from './bootstrap-watch';

function setUp() {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const watch = new BootstrapWatch({ clock, logger, endpoint: () => ({ host: '172.17.0.2', port: 9092 }) });
  return { clock, logger, watch };
}

const connection = (id: number, peerAddress = '10.0.0.9') => ({ ...testConnection, id, peerAddress });

describe('bootstrap watch', () => {
  it('reports a client that keeps its bootstrap connection and never comes, once', async () => {
    const { clock, logger, watch } = setUp();
    watch.onRequest(ApiKey.ApiVersions, connection(1));
    watch.onRequest(ApiKey.Metadata, connection(1));
    await clock.advance(9_000);
    expect(logger.lines).toEqual([]);
    await clock.advance(2_000);
    watch.onRequest(ApiKey.Metadata, connection(2));
    await clock.advance(20_000);
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: expect.stringContaining('set advertised.listeners'),
        fields: { peer: '10.0.0.9', address: '172.17.0.2:9092', setting: 'advertised.listeners' },
      },
    ]);
    expect(clock.timerCount).toBe(0);
  });

  it('reports a client that keeps asking on new connections', async () => {
    const { clock, logger, watch } = setUp();
    for (let id = 1; id <= 5; id++) {
      watch.onRequest(ApiKey.Metadata, connection(id));
      watch.onRequest(ApiKey.FindCoordinator, connection(id));
      watch.onClose(connection(id));
      await clock.advance(1_500);
    }
    await clock.advance(10_000);
    expect(logger.lines.length).toBe(1);
  });

  it('says nothing of one that asks once and goes, nor of one that comes to work', async () => {
    const { clock, logger, watch } = setUp();
    watch.onRequest(ApiKey.Metadata, connection(1, '10.0.0.1'));
    watch.onClose(connection(1, '10.0.0.1'));
    watch.onRequest(ApiKey.Metadata, connection(2, '10.0.0.2'));
    await clock.advance(5_000);
    watch.onRequest(ApiKey.Produce, connection(3, '10.0.0.2'));
    await clock.advance(30_000);
    expect(logger.lines).toEqual([]);
  });

  it('leaves no timer behind when closed', () => {
    const { clock, watch } = setUp();
    watch.onRequest(ApiKey.Metadata, connection(1));
    expect(clock.timerCount).toBe(1);
    watch.close();
    expect(clock.timerCount).toBe(0);
  });
});
