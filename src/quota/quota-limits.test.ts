/** Which limit counts: the eight levels, in Kafka's order, and whose use is added up under each. */
import type { QuotaEntity, QuotaEntityType } from '../cluster/client-quota';
import { QuotaLimits } from './quota-limits';

type Parts = Partial<Record<QuotaEntityType, string | null>>;

const entity = (parts: Parts): QuotaEntity => new Map(Object.entries(parts) as [QuotaEntityType, string | null][]);

/** From the level that counts most to the one that counts least. */
const LEVELS: readonly Parts[] = [
  { user: 'u', 'client-id': 'c' },
  { user: 'u', 'client-id': null },
  { user: 'u' },
  { user: null, 'client-id': 'c' },
  { user: null, 'client-id': null },
  { user: null },
  { 'client-id': 'c' },
  { 'client-id': null },
];

const BY_BOTH = '1:uc';
const BY_USER = '1:u';
const BY_CLIENT = '0:c';

it('takes the first level that has a limit', () => {
  const limits = new QuotaLimits();
  for (const [level, parts] of LEVELS.entries()) limits.set(entity(parts), level + 1);
  const meters = [BY_BOTH, BY_BOTH, BY_USER, BY_BOTH, BY_BOTH, BY_USER, BY_CLIENT, BY_CLIENT];
  for (const [level, parts] of LEVELS.entries()) {
    expect(limits.of('u', 'c')).toEqual({ limit: level + 1, meter: meters[level] });
    limits.set(entity(parts), undefined);
  }
  expect(limits.of('u', 'c')).toBeUndefined();
  expect(limits.isEmpty).toBe(true);
});

it.each<[Parts, [user: string, clientId: string][], [user: string, clientId: string][]]>([
  [
    { user: 'u', 'client-id': 'c' },
    [['u', 'c']],
    [
      ['u', 'd'],
      ['v', 'c'],
      ['u', ''],
    ],
  ],
  [
    { user: 'u', 'client-id': null },
    [
      ['u', 'c'],
      ['u', 'd'],
    ],
    [
      ['v', 'c'],
      ['u', ''],
    ],
  ],
  [
    { user: 'u' },
    [
      ['u', 'c'],
      ['u', ''],
    ],
    [['v', 'c']],
  ],
  [
    { user: null, 'client-id': 'c' },
    [
      ['u', 'c'],
      ['v', 'c'],
    ],
    [
      ['u', 'd'],
      ['u', ''],
    ],
  ],
  [
    { user: null, 'client-id': null },
    [
      ['u', 'c'],
      ['v', 'd'],
    ],
    [['u', '']],
  ],
  [
    { user: null },
    [
      ['u', 'c'],
      ['v', ''],
    ],
    [],
  ],
  [
    { 'client-id': 'c' },
    [
      ['u', 'c'],
      ['v', 'c'],
    ],
    [
      ['u', 'd'],
      ['u', ''],
    ],
  ],
  [
    { 'client-id': null },
    [
      ['u', 'c'],
      ['v', 'd'],
    ],
    [['u', '']],
  ],
])('%j is for some clients', (parts, those, others) => {
  const limits = new QuotaLimits();
  limits.set(entity(parts), 5);
  for (const client of those) expect(limits.of(...client)).toMatchObject({ limit: 5 });
  for (const client of others) expect(limits.of(...client)).toBeUndefined();
});

it('keeps long names short, and apart', () => {
  const limits = new QuotaLimits();
  limits.set(entity({ 'client-id': null }), 5);
  const long = 'x'.repeat(30_000);
  const meters = [`${long}a`, `${long}b`, `${long}a`].map((clientId) => limits.of('u', clientId)!.meter);
  expect(meters[0]).toBe(meters[2]);
  expect(meters[0]).not.toBe(meters[1]);
  expect(meters[0]!.length).toBeLessThan(64);
});

it('adds up apart what is apart, whatever the names hold', () => {
  const limits = new QuotaLimits();
  limits.set(entity({ user: null, 'client-id': null }), 5);
  const clients: [string, string][] = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['1:a', 'b'],
    ['1', ':ab'],
  ];
  expect(new Set(clients.map((client) => limits.of(...client)?.meter)).size).toBe(clients.length);
});
