/** AlterClientQuotas and DescribeClientQuotas together: what is set is described, through every kind of filter. */
import { newComponentData, newDescribeClientQuotasRequest } from '../codec/generated/48-describe-client-quotas';
import {
  newAlterClientQuotasRequest,
  newAlterClientQuotasRequestEntityData,
  newAlterClientQuotasRequestEntryData,
  newOpData,
} from '../codec/generated/49-alter-client-quotas';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { handlerContext, type TestContext } from '../testing/handler-context';
import { type MetadataBroker, startMetadataBroker } from '../testing/metadata-broker';
import { alterClientQuotas } from './alter-client-quotas';
import { describeClientQuotas } from './describe-client-quotas';

type Entity = Record<string, string | null>;

let broker: MetadataBroker;

function context(): TestContext {
  const { metadata, controller, config } = broker;
  const resolveHost = async (host: string) => (host.startsWith('no') ? undefined : '10.0.0.1');
  return handlerContext({ apiVersion: 1, broker: { metadata, controller, config, resolveHost } });
}

/** Null removes a value. */
async function alter(entries: [Entity, Record<string, number | null>][], validateOnly = false) {
  const request = newAlterClientQuotasRequest({
    validateOnly,
    entries: entries.map(([entity, values]) =>
      newAlterClientQuotasRequestEntryData({
        entity: Object.entries(entity).map(([entityType, entityName]) =>
          newAlterClientQuotasRequestEntityData({ entityType, entityName }),
        ),
        ops: Object.entries(values).map(([key, value]) =>
          newOpData({ key, value: value ?? 0, remove: value === null }),
        ),
      }),
    ),
  });
  const answer = await answerOf(alterClientQuotas(context(), request));
  return answer.entries.map(({ errorCode, errorMessage, entity }) => [
    Object.fromEntries(entity.map((part) => [part.entityType, part.entityName])),
    errorCode === ErrorCode.NONE ? null : errorMessage,
  ]);
}

async function describeAll(components: [string, number, string | null][], strict = false) {
  const request = newDescribeClientQuotasRequest({
    strict,
    components: components.map(([entityType, matchType, match]) => newComponentData({ entityType, matchType, match })),
  });
  return answerOf(describeClientQuotas(context(), request));
}

/** What a filter finds, as entity and values. */
async function found(components: [string, number, string | null][], strict = false) {
  const { errorCode, entries } = await describeAll(components, strict);
  expect(errorCode).toBe(ErrorCode.NONE);
  return entries!.map(({ entity, values }) => [
    Object.fromEntries(entity.map((part) => [part.entityType, part.entityName])),
    Object.fromEntries(values.map(({ key, value }) => [key, value])),
  ]);
}

beforeEach(async () => {
  broker = await startMetadataBroker();
});
afterEach(() => broker.store.close());

it('sets, changes and removes, each entity for itself', async () => {
  const outcomes = await alter([
    [{ user: 'u' }, { producer_byte_rate: 5, consumer_byte_rate: 6 }],
    [{ user: 'v' }, { bogus: 5 }],
    [{ ip: 'no.where' }, { connection_creation_rate: 5 }],
    [{ ip: 'some.where' }, { connection_creation_rate: 5 }],
  ]);
  expect(outcomes).toEqual([
    [{ user: 'u' }, null],
    [{ user: 'v' }, 'Invalid configuration key bogus'],
    [{ ip: 'no.where' }, 'no.where is not a valid IP or resolvable host.'],
    [{ ip: 'some.where' }, null],
  ]);
  await alter([[{ user: 'u' }, { producer_byte_rate: null, consumer_byte_rate: 7 }]]);
  expect(await found([])).toEqual([
    [{ ip: 'some.where' }, { connection_creation_rate: 5 }],
    [{ user: 'u' }, { consumer_byte_rate: 7 }],
  ]);
  await alter([[{ user: 'u' }, { consumer_byte_rate: null }]]);
  expect(await found([['user', 2, null]])).toEqual([]);
});

it('only looks where it shall only look', async () => {
  const entry: [Entity, Record<string, number>] = [{ user: 'u' }, { producer_byte_rate: 5 }];
  expect(await alter([entry], true)).toEqual([[{ user: 'u' }, null]]);
  expect(await found([])).toEqual([]);
});

it('keeps quotas over a restart', async () => {
  await alter([[{ user: 'u', 'client-id': null }, { request_percentage: 12.5 }]]);
  const { storage } = broker;
  await broker.store.close();
  broker = await startMetadataBroker({ storage });
  expect(await found([])).toEqual([[{ user: 'u', 'client-id': null }, { request_percentage: 12.5 }]]);
});

describe('filters', () => {
  const entities: Record<string, Entity> = {
    u: { user: 'u' },
    uc: { user: 'u', 'client-id': 'c' },
    ud: { user: 'u', 'client-id': null },
    v: { user: 'v' },
    d: { user: null },
    dc: { user: null, 'client-id': 'c' },
    c: { 'client-id': 'c' },
    i: { ip: '10.0.0.1' },
    id: { ip: null },
  };

  beforeEach(async () => {
    const values = (entity: Entity): Record<string, number> =>
      'ip' in entity ? { connection_creation_rate: 1 } : { producer_byte_rate: 1 };
    await alter(Object.values(entities).map((entity) => [entity, values(entity)]));
  });

  it.each<[[string, number, string | null][], boolean, string]>([
    [[], false, 'u uc ud v d dc c i id'],
    [[], true, ''],
    [[['user', 0, 'u']], false, 'u uc ud'],
    [[['user', 0, 'u']], true, 'u'],
    [[['user', 1, null]], false, 'd dc'],
    [[['user', 2, null]], false, 'u uc ud v d dc'],
    [[['user', 2, null]], true, 'u v d'],
    [[['client-id', 0, 'c']], false, 'uc dc c'],
    [[['client-id', 0, 'c']], true, 'c'],
    [
      [
        ['user', 0, 'u'],
        ['client-id', 1, null],
      ],
      false,
      'ud',
    ],
    [
      [
        ['user', 2, null],
        ['client-id', 2, null],
      ],
      true,
      'uc ud dc',
    ],
    [[['ip', 0, '10.0.0.1']], false, 'i'],
    [[['ip', 2, null]], true, 'i id'],
    [[['ip', 1, null]], true, 'id'],
    [[['user', 0, 'nobody']], false, ''],
  ])('%j strict %s', async (components, strict, names) => {
    const wanted = names.split(' ').filter((name) => name !== '');
    const entriesFound = (await found(components, strict)).map(([entity]) => JSON.stringify(entity));
    expect(entriesFound.sort()).toEqual(wanted.map((name) => JSON.stringify(entities[name])).sort());
  });

  it.each<[[string, number, string | null][], number, string]>([
    [[['', 0, 'u']], ErrorCode.INVALID_REQUEST, 'Invalid empty entity type.'],
    [[['planet', 0, 'u']], ErrorCode.UNSUPPORTED_VERSION, 'Unsupported entity type planet'],
    [
      [
        ['user', 0, 'u'],
        ['user', 1, null],
      ],
      ErrorCode.INVALID_REQUEST,
      'Entity type user cannot appear more than once in the filter.',
    ],
    [
      [['user', 0, null]],
      ErrorCode.INVALID_REQUEST,
      'Request specified MATCH_TYPE_EXACT, but set match string to null.',
    ],
    [
      [['user', 1, 'u']],
      ErrorCode.INVALID_REQUEST,
      'Request specified MATCH_TYPE_DEFAULT, but also specified a match string.',
    ],
    [
      [['user', 2, 'u']],
      ErrorCode.INVALID_REQUEST,
      'Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.',
    ],
    [[['user', 9, null]], ErrorCode.INVALID_REQUEST, 'Unknown match type 9'],
    [
      [
        ['ip', 2, null],
        ['user', 2, null],
      ],
      ErrorCode.INVALID_REQUEST,
      'Invalid entity filter component combination. ' +
        'IP filter component should not be used with user or clientId filter component.',
    ],
  ])('%j is refused', async (components, errorCode, errorMessage) => {
    expect(await describeAll(components)).toMatchObject({ errorCode, errorMessage, entries: null });
  });
});
