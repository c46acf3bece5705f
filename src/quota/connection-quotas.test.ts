/** Rates of new connections: of the broker, of a listener, of addresses, and what changes them at run time. */
import type { QuotaEntityType, QuotaKey } from '../cluster/client-quota';
import { MetadataImage } from '../cluster/metadata-image';
import { BrokerConfig } from '../config/broker-config';
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import { ConnectionQuotas } from './connection-quotas';

const RATE = 'max.connection.creation.rate';

let clock: ManualClock;
let config: BrokerConfig;
let logger: RecordingLogger;
let quotas: ConnectionQuotas;

function start(settings: Record<string, string>, protectedListener?: string): void {
  const parsed = BrokerConfig.parse(new Map(Object.entries(settings)));
  if (!parsed.ok) throw new Error('settings');
  config = parsed.value;
  clock = new ManualClock();
  logger = new RecordingLogger();
  const resolveHost = async (host: string) => (host === 'there' ? '10.0.0.9' : host.includes('.') ? host : undefined);
  quotas = new ConnectionQuotas({ config, clock, logger, protectedListener, resolveHost });
}

async function limit(ip: string | null, rate: number | undefined): Promise<void> {
  const entity = new Map<QuotaEntityType, string | null>([['ip', ip]]);
  const values = new Map<QuotaKey, number>(rate === undefined ? [] : [['connection_creation_rate', rate]]);
  const { delta, image } = MetadataImage.empty('c').with({ quotas: [{ entity, values }] });
  await quotas.onImage(delta, image);
}

/** How many connections come before one has to wait. */
function burst(listener: string): number {
  let count = 0;
  while (quotas.delayMs(listener) === 0 && count < 1000) count++;
  return count;
}

it('delays by the rate of the broker, a window at most, and takes a change at once', () => {
  start({ [RATE]: '5' });
  expect(burst('A')).toBe(50);
  expect(quotas.delayMs('B')).toBeGreaterThan(300);
  for (let i = 0; i < 100; i++) quotas.delayMs('B');
  expect(quotas.delayMs('B')).toBe(1000);
  config.takeOver(config.withRuntime({ broker: new Map([[RATE, '100000']]), cluster: new Map() }).config);
  expect(quotas.delayMs('B')).toBe(0);
});

it('delays by the rate of a listener, others apart', () => {
  start({ [`listener.name.internal.${RATE}`]: '2' });
  expect([burst('INTERNAL'), burst('EXTERNAL')]).toEqual([20, 1000]);
});

it("does not hold up the brokers' own listener by the rate of all", () => {
  start({ [RATE]: '5', [`listener.name.internal.${RATE}`]: '10' }, 'INTERNAL');
  expect(burst('EXTERNAL')).toBe(50);
  expect(burst('INTERNAL')).toBe(100);
});

it('refuses what comes too fast from one address, and does not count it', async () => {
  start({ [RATE]: '10' });
  await limit('10.0.0.1', 1);
  const refusals = Array.from({ length: 12 }, () => [quotas.delayMs('A'), quotas.refusalMs('A', '10.0.0.1')]);
  expect(refusals.map(([, refusalMs]) => refusalMs)).toEqual([...Array(10).fill(0), 1000, 1000]);
  expect(quotas.refusalMs('A', '10.0.0.2')).toBe(0);
  expect(burst('A')).toBe(90);
  await clock.advance(11_000);
  expect(quotas.refusalMs('A', '10.0.0.1')).toBe(0);
});

it('knows a default, names of hosts, and the end of a quota', async () => {
  start({});
  await limit(null, 1);
  await limit('there', 1000);
  const most = (address: string): number => {
    let count = 0;
    while (quotas.refusalMs('A', address) === 0 && count < 100) count++;
    return count;
  };
  expect([most('10.0.0.8'), most('10.0.0.9')]).toEqual([10, 100]);
  await limit('there', undefined);
  expect(quotas.refusalMs('A', '10.0.0.9')).toBe(1000);
  await limit(null, undefined);
  expect(most('10.0.0.8')).toBe(100);
  await limit('nowhere', 5);
  expect(logger.of('error')).toHaveLength(1);
});
