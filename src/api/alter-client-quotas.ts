/**
 * AlterClientQuotas (key 49), versions 0 and 1 (KIP-546): sets and removes quotas of users, client ids, both together,
 * addresses (KIP-612), and the defaults of each.
 *
 * - Each entity succeeds or fails for itself, and whole. One that is named twice is answered once, with an error, and
 *   has what was said first.
 * - A quota counts when it is answered, and still after a restart.
 * - A name of a host stands for the address that it has when the quota is set.
 */
import type { QuotaAlteration } from '../cluster/controller/quota-change';
import {
  type AlterClientQuotasRequest,
  type AlterClientQuotasResponse,
  newAlterClientQuotasResponse,
  newAlterClientQuotasResponseEntityData,
  newAlterClientQuotasResponseEntryData,
} from '../codec/generated/49-alter-client-quotas';
import { ErrorCode } from '../codec/generated/errors';
import type { BrokerServices } from './broker-services';
import type { Handler } from './request-context';

export const alterClientQuotas: Handler<AlterClientQuotasRequest, AlterClientQuotasResponse> = async (
  { broker },
  { entries, validateOnly },
) => {
  const alterations = entries.map(
    ({ entity, ops }): QuotaAlteration => ({
      entity: new Map(entity.map(({ entityType, entityName }) => [entityType, entityName])),
      operations: ops.map(({ key, value, remove }) => ({ key, value: remove ? null : value })),
    }),
  );
  const unknownHosts = await hostsWithoutAddress(alterations, broker);
  const results = await broker.controller.alterQuotas(alterations, { validateOnly, unknownHosts });
  return newAlterClientQuotasResponse({
    entries: results.map(({ entity, result }) =>
      newAlterClientQuotasResponseEntryData({
        errorCode: result.ok ? ErrorCode.NONE : result.error,
        errorMessage: result.ok ? null : (result.message ?? null),
        entity: [...entity].map(([entityType, entityName]) =>
          newAlterClientQuotasResponseEntityData({ entityType, entityName }),
        ),
      }),
    ),
  });
};

async function hostsWithoutAddress(
  alterations: readonly QuotaAlteration[],
  { resolveHost }: BrokerServices,
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (const { entity } of alterations) {
    const host = entity.get('ip');
    if (typeof host === 'string' && host !== '' && (await resolveHost(host)) === undefined) unknown.add(host);
  }
  return unknown;
}
