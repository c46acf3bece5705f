/** Entities of quotas and the kinds of value that they may have. */
import { isQuotaEntityType, type QuotaEntity, quotaEntityKey, quotaValueType } from './client-quota';

const entity = (...parts: [Parameters<QuotaEntity['get']>[0], string | null][]): QuotaEntity => new Map(parts);

it('tells entities apart, whatever their names hold', () => {
  const entities = [
    entity(['user', 'a']),
    entity(['user', null]),
    entity(['user', 'null']),
    entity(['client-id', 'a']),
    entity(['user', 'a'], ['client-id', null]),
    entity(['user', 'a'], ['client-id', '']),
    entity(['user', 'a],["'], ['client-id', 'b']),
    entity(['ip', 'a']),
  ];
  expect(new Set(entities.map(quotaEntityKey)).size).toBe(entities.length);
  const oneWay = entity(['user', 'a'], ['client-id', 'b']);
  expect(quotaEntityKey(oneWay)).toBe(quotaEntityKey(entity(['client-id', 'b'], ['user', 'a'])));
});

it('knows which values an entity may have', () => {
  expect(quotaValueType(entity(['user', 'a']), 'producer_byte_rate')).toBe('long');
  expect(quotaValueType(entity(['client-id', null]), 'request_percentage')).toBe('double');
  expect(quotaValueType(entity(['user', 'a']), 'connection_creation_rate')).toBeUndefined();
  expect(quotaValueType(entity(['ip', '::1']), 'connection_creation_rate')).toBe('int');
  expect(quotaValueType(entity(['ip', '::1']), 'producer_byte_rate')).toBeUndefined();
  expect(['user', 'client-id', 'ip', 'group'].map(isQuotaEntityType)).toEqual([true, true, true, false]);
});
