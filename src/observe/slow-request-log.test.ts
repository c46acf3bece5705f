/** Which requests are told, with what, and how many. */
import { ApiKey } from '../codec/generated/apis';
import { ManualClock } from '../testing/manual-clock';
import { measuredRequest } from '../testing/measured-request';
import { RecordingLogger } from '../testing/recording-logger';
import { SlowRequestLog } from './slow-request-log';

let clock: ManualClock;
let logger: RecordingLogger;
let log: SlowRequestLog;

beforeEach(() => {
  clock = new ManualClock();
  logger = new RecordingLogger();
  log = new SlowRequestLog({ clock, logger, slowMs: () => 1000 });
});

it('tells what a slow request was and where its time went', () => {
  const times = { version: 9, queuedMs: 5, loopMs: 12.34, waitedMs: 990, heldBackMs: 1, sendMs: 7, throttleMs: 30 };
  log.onSent(measuredRequest(ApiKey.Produce, times));
  expect(logger.lines).toEqual([
    {
      level: 'warn',
      message: 'slow request',
      fields: {
        api: 'Produce',
        version: 9,
        clientId: 'a-client',
        connection: 1,
        peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        listener: 'PLAINTEXT',
        requestBytes: 10,
        responseBytes: 20,
        queueMs: 5,
        localMs: 12.3,
        remoteMs: 990,
        sendMs: 8,
        totalMs: 1015.3,
        throttleMs: 30,
      },
    },
  ]);
});

it('does not count what a long poll waits for, nor the turn of others', () => {
  for (const key of [ApiKey.Fetch, ApiKey.JoinGroup, ApiKey.SyncGroup]) {
    log.onSent(measuredRequest(key, { waitedMs: 60_000 }));
  }
  log.onSent(measuredRequest(ApiKey.Metadata, { queuedMs: 60_000 }));
  log.onSent(measuredRequest(ApiKey.Produce, { waitedMs: 1000 }));
  expect(logger.lines).toEqual([]);
  log.onSent(measuredRequest(ApiKey.Fetch, { waitedMs: 60_000, sendMs: 1001 }));
  expect(logger.lines).toHaveLength(1);
});

it('tells a few a second, and how many it kept back', async () => {
  for (let count = 0; count < 20; count++) log.onSent(measuredRequest(ApiKey.Metadata, { loopMs: 2000 }));
  expect(logger.lines).toHaveLength(5);
  await clock.advance(1000);
  log.onSent(measuredRequest(ApiKey.Metadata, { loopMs: 2000 }));
  expect(logger.lines).toHaveLength(6);
  expect(logger.lines[5]!.fields).toMatchObject({ unreported: 15 });
});

it('tells nothing where the setting is 0', () => {
  new SlowRequestLog({ clock, logger, slowMs: () => 0 }).onSent(measuredRequest(ApiKey.Metadata, { loopMs: 1e6 }));
  expect(logger.lines).toEqual([]);
});
