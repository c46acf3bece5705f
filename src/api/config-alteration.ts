/**
 * What AlterConfigs and IncrementalAlterConfigs have in common: the rules that a request must keep before the
 * controller looks at it, resource by resource. Source of order, codes and sentences: Kafka's `ConfigAdminManager`.
 */
import { err, ok, type Result } from '../base/result';
import type { ConfigChange, ConfigOperation } from '../cluster/controller/config-change';
import { ErrorCode } from '../codec/generated/errors';
import type { BrokerServices } from './broker-services';
import { brokerIdOf, ResourceType } from './config-resource';
import { duplicates } from './duplicates';
import { alterLoggerLevels } from './logger-levels';

/** One setting of one resource, as the wire has it. */
export interface AlterableSetting {
  readonly name: string;
  /** 0 set, 1 delete, 2 append, 3 subtract. */
  readonly operation: number;
  readonly value: string | null;
}

export interface AlterableResource {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly settings: readonly AlterableSetting[];
}

export interface Alteration {
  readonly resources: readonly AlterableResource[];
  readonly validateOnly: boolean;
  /** Whether settings that are not named go back to their defaults: the old API, which knows no loggers. */
  readonly replacesAll: boolean;
}

const KINDS: readonly ConfigOperation['kind'][] = ['set', 'delete', 'append', 'subtract'];
const DELETE = 1;

type Outcome = Result<void, ErrorCode>;
/** A change for the controller, or what is decided already. */
type Prepared = { readonly change: ConfigChange } | { readonly outcome: Outcome };

/** One outcome per resource, in order. */
export async function alterResources(broker: BrokerServices, alteration: Alteration): Promise<Outcome[]> {
  const { resources, validateOnly } = alteration;
  const twice = duplicates(resources.map(keyOf));
  const prepared = resources.map((resource): Prepared => {
    if (!twice.has(keyOf(resource))) return prepare(broker, resource, alteration);
    return refused('Each resource must appear at most once.');
  });
  const changes = prepared.flatMap((each) => ('change' in each ? [each.change] : []));
  const altered = (await broker.controller.alterConfigs(changes, { validateOnly })).values();
  return prepared.map((each) => ('outcome' in each ? each.outcome : altered.next().value!));
}

/** What is answered for one resource, in the shape that both requests' answers have. */
export function describeOutcome(
  { resourceType, resourceName }: AlterableResource,
  outcome: Outcome,
): { resourceType: number; resourceName: string; errorCode: ErrorCode; errorMessage: string | null } {
  return {
    resourceType,
    resourceName,
    errorCode: outcome.ok ? ErrorCode.NONE : outcome.error,
    errorMessage: outcome.ok ? null : (outcome.message ?? null),
  };
}

function keyOf({ resourceType, resourceName }: AlterableResource): string {
  return `${resourceType} ${resourceName}`;
}

function refused(message: string): Prepared {
  return { outcome: err(ErrorCode.INVALID_REQUEST, message) };
}

function prepare(broker: BrokerServices, resource: AlterableResource, alteration: Alteration): Prepared {
  const { resourceType, resourceName: name, settings } = resource;
  if (duplicates(settings.map((setting) => setting.name)).size > 0) {
    return refused('Error due to duplicate config keys');
  }
  const nulls = settings.filter(({ operation, value }) => operation !== DELETE && value === null);
  if (nulls.length > 0) return refused(`Null value not supported for : ${nulls.map((each) => each.name).join(', ')}`);
  switch (resourceType) {
    case ResourceType.TOPIC:
      return changeOf({ scope: 'topics', name }, settings, alteration);
    case ResourceType.BROKER: {
      const problem = name === '' ? undefined : nameProblem(name, `broker id, expected ${broker.brokerId},`, broker);
      if (problem) return refused(problem);
      return changeOf({ scope: 'brokers', name: name === '' ? '' : String(broker.brokerId) }, settings, alteration);
    }
    case ResourceType.GROUP:
      return changeOf({ scope: 'groups', name }, settings, alteration);
    case ResourceType.CLIENT_METRICS:
      return changeOf({ scope: 'client-metrics', name }, settings, alteration);
    case ResourceType.BROKER_LOGGER: {
      if (alteration.replacesAll) break;
      const problem = nameProblem(name, `node id. Expected ${broker.brokerId},`, broker);
      return problem ? refused(problem) : { outcome: alterLevels(broker, settings, alteration) };
    }
  }
  return refused(`Unknown resource type ${resourceType}`);
}

/** Why `name` is not this broker's id. */
function nameProblem(name: string, expectation: string, { brokerId }: BrokerServices): string | undefined {
  const id = brokerIdOf(name);
  if (id === undefined) return `Node id must be an integer, but it is: ${name}`;
  return id === brokerId ? undefined : `Unexpected ${expectation} but received ${name}`;
}

function changeOf(
  resource: ConfigChange['resource'],
  settings: readonly AlterableSetting[],
  { replacesAll }: Alteration,
): Prepared {
  const operations: ConfigOperation[] = [];
  for (const { name: key, operation, value } of settings) {
    const kind = KINDS[operation];
    if (kind === undefined) return refused(`Unknown operations type ${operation}`);
    operations.push({ key, kind, value: value ?? '' });
  }
  return { change: { resource, operations, replacesAll } };
}

function alterLevels(
  { logger }: BrokerServices,
  settings: readonly AlterableSetting[],
  { validateOnly }: Alteration,
): Outcome {
  const operations = settings.map(({ name, operation, value }) => ({ logger: name, operation, level: value }));
  const altered = alterLoggerLevels(logger.levels, operations, { validateOnly });
  if (altered.ok && !validateOnly) logger.warn('log levels were changed by a client', { operations });
  return altered.ok ? ok(undefined) : altered;
}
