/** Quotas in the control store: Kafka's paths and contents, what stays beside them, and what a new start reads. */
import { silentLogger } from '../base/logger';
import { CrashStorage } from '../testing/crash-storage';
import { openTestStore } from '../testing/metadata-broker';
import { RecordingLogger } from '../testing/recording-logger';
import type { ClientQuota, QuotaEntityType, QuotaKey } from './client-quota';
import type { ControlOperation } from './control-store';
import type { EmbeddedControlStore } from './embedded-control-store';
import { loadQuotas, newQuotaNodes, quotaOperations } from './quota-nodes';

let storage: CrashStorage;
let store: EmbeddedControlStore;

const create = (path: string, data = ''): ControlOperation => ({ kind: 'create', path, data });

function quota(
  entity: Partial<Record<QuotaEntityType, string | null>>,
  values: Partial<Record<QuotaKey, number>>,
): ClientQuota {
  return {
    entity: new Map(Object.entries(entity) as [QuotaEntityType, string | null][]),
    values: new Map(Object.entries(values) as [QuotaKey, number][]),
  };
}

async function put(one: ClientQuota): Promise<void> {
  const written = await store.multi(await quotaOperations(store, one));
  if (!written.ok) throw new Error(written.error);
}

async function dataOf(path: string): Promise<unknown> {
  const node = await store.get(path);
  if (!node.ok) return node.error;
  return node.value.data === '' ? '' : (JSON.parse(node.value.data) as { config: unknown }).config;
}

beforeEach(async () => {
  storage = new CrashStorage();
  store = await openTestStore(storage);
  await store.multi(['', '/users', '/clients', '/ips'].map((path) => create(`/config${path}`)));
});
afterEach(() => store.close());

it.each<[ClientQuota, string, Record<string, string>]>([
  [quota({ user: 'u' }, { producer_byte_rate: 1024 }), '/config/users/u', { producer_byte_rate: '1024' }],
  [quota({ user: null }, { request_percentage: 50 }), '/config/users/<default>', { request_percentage: '50.0' }],
  [
    quota({ user: 'u', 'client-id': 'c' }, { consumer_byte_rate: 2 ** 63 }),
    '/config/users/u/clients/c',
    { consumer_byte_rate: '9223372036854775807' },
  ],
  [
    quota({ user: null, 'client-id': null }, { controller_mutation_rate: 0.1 }),
    '/config/users/<default>/clients/<default>',
    { controller_mutation_rate: '0.1' },
  ],
  [
    quota({ 'client-id': '<default>' }, { request_percentage: 1e300 }),
    '/config/clients/%3Cdefault%3E',
    { request_percentage: '1E300' },
  ],
  [
    quota({ 'client-id': "a b/*+~!'()%-_.é" }, { producer_byte_rate: 1 }),
    '/config/clients/a%20b%2F%2A%2B%7E%21%27%28%29%25-_.%C3%A9',
    { producer_byte_rate: '1' },
  ],
  [quota({ ip: '::1' }, { connection_creation_rate: 7 }), '/config/ips/%3A%3A1', { connection_creation_rate: '7' }],
])('%j lies at %s', async (one, path, configs) => {
  await put(one);
  expect(await dataOf(path)).toEqual(configs);
  await store.close();
  store = await openTestStore(storage);
  expect(await loadQuotas(store, silentLogger)).toEqual([one]);
});

it('leaves other settings of a user and its clients in place', async () => {
  await store.multi([create('/config/users/u', '{"version":1,"config":{"SCRAM-SHA-256":"secret"}}')]);
  await put(quota({ user: 'u' }, { producer_byte_rate: 5 }));
  await put(quota({ user: 'u', 'client-id': 'c' }, { producer_byte_rate: 6 }));
  await put(quota({ user: 'u' }, { consumer_byte_rate: 7 }));
  expect(await dataOf('/config/users/u')).toEqual({ 'SCRAM-SHA-256': 'secret', consumer_byte_rate: '7' });
  await put(quota({ user: 'u' }, {}));
  expect(await dataOf('/config/users/u')).toEqual({ 'SCRAM-SHA-256': 'secret' });
  expect(await loadQuotas(store, silentLogger)).toEqual([
    quota({ user: 'u', 'client-id': 'c' }, { producer_byte_rate: 6 }),
  ]);
  await put(quota({ user: 'u', 'client-id': 'c' }, {}));
  expect(await dataOf('/config/users/u/clients')).toBe('no-node');
  expect(await dataOf('/config/users/u')).toEqual({ 'SCRAM-SHA-256': 'secret' });
});

it('leaves no empty nodes behind', async () => {
  await put(quota({ user: 'u', 'client-id': 'c' }, { producer_byte_rate: 6 }));
  await put(quota({ user: 'u', 'client-id': 'd' }, { producer_byte_rate: 6 }));
  await put(quota({ user: 'u', 'client-id': 'c' }, {}));
  expect(await store.children('/config/users/u/clients')).toEqual({ ok: true, value: ['d'] });
  await put(quota({ user: 'u', 'client-id': 'd' }, {}));
  await put(quota({ 'client-id': 'd' }, { producer_byte_rate: 6 }));
  await put(quota({ 'client-id': 'd' }, {}));
  for (const path of ['/config/users', '/config/clients']) {
    expect(await store.children(path)).toEqual({ ok: true, value: [] });
  }
});

it('makes the nodes of a new store, parents first and each once', async () => {
  const quotas = [
    quota({ user: 'u', 'client-id': 'c' }, { producer_byte_rate: 6 }),
    quota({ user: 'u', 'client-id': null }, { producer_byte_rate: 7 }),
    quota({ user: 'u' }, { request_percentage: 8 }),
    quota({ ip: null }, { connection_creation_rate: 9 }),
  ];
  expect(await store.multi(newQuotaNodes(quotas))).toMatchObject({ ok: true });
  const loaded = await loadQuotas(store, silentLogger);
  expect(new Set(loaded)).toEqual(new Set(quotas));
});

it('tells of stored values that are impossible and leaves them out', async () => {
  const logger = new RecordingLogger();
  const config = { producer_byte_rate: 'x', consumer_byte_rate: '-3', request_percentage: '5', bogus: '1' };
  await store.multi([create('/config/clients/c', JSON.stringify({ version: 1, config }))]);
  expect(await loadQuotas(store, logger)).toEqual([quota({ 'client-id': 'c' }, { request_percentage: 5 })]);
  expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
});
