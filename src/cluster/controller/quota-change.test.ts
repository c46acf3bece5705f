/** What quotas will be after an alteration, and Kafka's sentences for those that cannot be. */
import { ErrorCode } from '../../codec/generated/errors';
import { type QuotaEntity, type QuotaKey, quotaEntityKey } from '../client-quota';
import { planQuotas, type QuotaAlteration } from './quota-change';

type Entity = Record<string, string | null>;
type Values = Record<string, number | null>;

const CURRENT = new Map<string, ReadonlyMap<QuotaKey, number>>([
  [quotaEntityKey(new Map([['user', 'u']])), new Map([['producer_byte_rate', 5]])],
]);

function alteration(entity: Entity, values: Values): QuotaAlteration {
  return {
    entity: new Map(Object.entries(entity)),
    operations: Object.entries(values).map(([key, value]) => ({ key, value })),
  };
}

function plan(...alterations: QuotaAlteration[]) {
  const { results, changes } = planQuotas(alterations, {
    valuesOf: (entity: QuotaEntity) => CURRENT.get(quotaEntityKey(entity)) ?? new Map(),
    unknownHosts: new Set(['nowhere']),
  });
  return {
    errors: results.map(({ result }) => (result.ok ? null : [result.error, result.message])),
    changes: changes.map(({ entity, values }) => [Object.fromEntries(entity), Object.fromEntries(values)]),
  };
}

it.each<[string, { of: Entity; set: Values; after: Values }]>([
  [
    'sets beside what is there',
    {
      of: { user: 'u' },
      set: { request_percentage: 0.5 },
      after: { producer_byte_rate: 5, request_percentage: 0.5 },
    },
  ],
  ['overwrites', { of: { user: 'u' }, set: { producer_byte_rate: 7 }, after: { producer_byte_rate: 7 } }],
  ['removes', { of: { user: 'u' }, set: { producer_byte_rate: null }, after: {} }],
  [
    'removes and sets',
    { of: { user: 'u' }, set: { producer_byte_rate: null, consumer_byte_rate: 1 }, after: { consumer_byte_rate: 1 } },
  ],
  [
    'both together',
    {
      of: { user: 'u', 'client-id': 'c' },
      set: { controller_mutation_rate: 2.5 },
      after: { controller_mutation_rate: 2.5 },
    },
  ],
  [
    'defaults',
    {
      of: { user: null, 'client-id': null },
      set: { consumer_byte_rate: 2 ** 63 },
      after: { consumer_byte_rate: 2 ** 63 },
    },
  ],
  [
    'addresses',
    { of: { ip: '10.0.0.1' }, set: { connection_creation_rate: 3 }, after: { connection_creation_rate: 3 } },
  ],
  [
    'all addresses',
    {
      of: { ip: null },
      set: { connection_creation_rate: 2147483647 },
      after: { connection_creation_rate: 2147483647 },
    },
  ],
])('%s', (_, { of: entity, set, after }) => {
  expect(plan(alteration(entity, set))).toEqual({ errors: [null], changes: [[entity, after]] });
});

it.each<[Entity, Values]>([
  [{ user: 'u' }, { producer_byte_rate: 5 }],
  [{ user: 'other' }, { producer_byte_rate: null }],
  [{ user: 'u' }, {}],
  [{ user: 'u' }, { 'no.such.key': null }],
])('nothing changes: %j %j', (entity, values) => {
  expect(plan(alteration(entity, values))).toEqual({ errors: [null], changes: [] });
});

it.each<[Entity, Values, string]>([
  [{}, { producer_byte_rate: 5 }, 'Invalid empty client quota entity'],
  [{ planet: 'x' }, { producer_byte_rate: 5 }, 'Unhandled client quota entity type: planet'],
  [{ user: '' }, { producer_byte_rate: 5 }, 'Empty user not supported'],
  [{ 'client-id': '' }, { producer_byte_rate: 5 }, 'Empty client-id not supported'],
  [
    { ip: '::1', user: 'u' },
    { connection_creation_rate: 5 },
    'Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId',
  ],
  [{ ip: 'nowhere' }, { connection_creation_rate: 5 }, 'nowhere is not a valid IP or resolvable host.'],
  [{ ip: '::1' }, { producer_byte_rate: 5 }, 'Invalid configuration key producer_byte_rate'],
  [{ user: 'u' }, { connection_creation_rate: 5 }, 'Invalid configuration key connection_creation_rate'],
  [{ user: 'u' }, { bogus: 5 }, 'Invalid configuration key bogus'],
  [{ user: 'u' }, { producer_byte_rate: 0 }, 'Quota producer_byte_rate must be greater than 0'],
  [{ user: 'u' }, { producer_byte_rate: -1 }, 'Quota producer_byte_rate must be greater than 0'],
  [{ user: 'u' }, { request_percentage: Number.NaN }, 'Quota request_percentage must be a finite number'],
  [{ user: 'u' }, { producer_byte_rate: Number.POSITIVE_INFINITY }, 'Quota producer_byte_rate must be a finite number'],
  [{ user: 'u' }, { producer_byte_rate: 1.5 }, 'producer_byte_rate cannot be a fractional value.'],
  [{ user: 'u' }, { producer_byte_rate: 1e30 }, 'Proposed value for producer_byte_rate is too large for a LONG.'],
  [
    { ip: '::1' },
    { connection_creation_rate: 2 ** 31 },
    'Proposed value for connection_creation_rate is too large for an INT.',
  ],
])('refuses %j %j', (entity, values, message) => {
  expect(plan(alteration(entity, values))).toEqual({ errors: [[ErrorCode.INVALID_REQUEST, message]], changes: [] });
});

it('refuses an entity whole, and goes on with the others', () => {
  const half = alteration({ user: 'u' }, { consumer_byte_rate: 3, bogus: 1 });
  const whole = alteration({ user: 'v' }, { consumer_byte_rate: 3 });
  const { errors, changes } = plan(half, whole);
  expect(errors).toEqual([[ErrorCode.INVALID_REQUEST, 'Invalid configuration key bogus'], null]);
  expect(changes).toEqual([[{ user: 'v' }, { consumer_byte_rate: 3 }]]);
});

it('answers an entity that is named twice once, and does what was said first', () => {
  const first = alteration({ user: 'v', 'client-id': 'c' }, { consumer_byte_rate: 3 });
  const second = alteration({ 'client-id': 'c', user: 'v' }, { consumer_byte_rate: 4 });
  const { errors, changes } = plan(first, second);
  const message = 'Ignoring duplicate entity ClientQuotaEntity(entries={client-id=c, user=v})';
  expect(errors).toEqual([[ErrorCode.INVALID_REQUEST, message]]);
  expect(changes).toEqual([[{ user: 'v', 'client-id': 'c' }, { consumer_byte_rate: 3 }]]);
});

it('does nothing where a key is named twice', () => {
  const operations = [1, 2].map((value) => ({ key: 'consumer_byte_rate', value }));
  const { errors, changes } = plan({ entity: new Map([['user', null]]), operations });
  const message = 'Ignoring duplicate entity ClientQuotaEntity(entries={user=null})';
  expect(errors).toEqual([[ErrorCode.INVALID_REQUEST, message]]);
  expect(changes).toEqual([]);
});
