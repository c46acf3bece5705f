/**
 * DescribeConfigs (key 32), versions 0 to 4: settings of topics and brokers with their sources.
 *
 * - No keys, or null: all of them; a key that does not exist is left out.
 * - Broker "": the defaults of all brokers as set at run time; otherwise only the asked broker's own id.
 * - Version 0 says whether a value is the default, later ones where it comes from, with synonyms where asked for;
 *   from version 3 on types, and documentation where asked for (KIP-569). Sensitive values are never told.
 * - Levels of loggers (KIP-412): one, the root's. Groups and client metrics (KIP-714): any name has all settings.
 */

import { err, ok, type Result } from '../base/result';
import { topicNameProblem } from '../cluster/topic-name';
import {
  type DescribeConfigsRequest,
  type DescribeConfigsResource,
  type DescribeConfigsResourceResult,
  type DescribeConfigsResponse,
  newDescribeConfigsResourceResult,
  newDescribeConfigsResponse,
  newDescribeConfigsResult,
} from '../codec/generated/32-describe-configs';
import { ErrorCode } from '../codec/generated/errors';
import {
  type ConfigEntry,
  ConfigSource,
  describeBrokerConfigs,
  describeClusterConfigs,
  describeLoggers,
  describeResourceConfigs,
  topicDescriber,
} from '../config/config-entry';
import type { ResourceScope } from '../config/resource-configs';
import type { TopicOverrides } from '../config/topic-config';
import type { BrokerServices } from './broker-services';
import { brokerIdOf, ResourceType } from './config-resource';
import { loggerLevels } from './logger-levels';
import type { Handler } from './request-context';

/** Kafka's for a success, and where the code says it all; null in other APIs. */
const NO_MESSAGE = '';

/** Kafka's for INVALID_REQUEST where it has nothing to add. */
const MALFORMED =
  'This most likely occurs because of a request being malformed by the client library or the message was sent to ' +
  'an incompatible broker. See the broker logs for more details.';

/** Each list is made once for all resources of a request. */
interface Describers {
  readonly topic: ReturnType<typeof topicDescriber>;
  readonly broker: () => readonly ConfigEntry[];
}

type Entries = Result<readonly ConfigEntry[], ErrorCode>;

export const describeConfigs: Handler<DescribeConfigsRequest, DescribeConfigsResponse> = (context, request) => {
  const { config } = context.broker;
  let broker: readonly ConfigEntry[] | undefined;
  const describers: Describers = {
    topic: topicDescriber(config),
    broker: () => (broker ??= describeBrokerConfigs(config)),
  };
  /** Topics without settings of their own have the same list, and a broker that is named again and again. */
  const whole = new Map<readonly ConfigEntry[], DescribeConfigsResourceResult[]>();
  const told = (entries: readonly ConfigEntry[]): DescribeConfigsResourceResult[] => {
    const known = whole.get(entries) ?? entries.map((entry) => described(entry, request, context.apiVersion));
    whole.set(entries, known);
    return known;
  };
  return newDescribeConfigsResponse({
    results: request.resources.map((resource) => {
      const { resourceType, resourceName } = resource;
      const entries = entriesOf(resource, context.broker, describers);
      if (!entries.ok) {
        const { error, message } = entries;
        return newDescribeConfigsResult({
          resourceType,
          resourceName,
          errorCode: error,
          errorMessage: message ?? NO_MESSAGE,
        });
      }
      const keys = new Set(resource.configurationKeys);
      const wanted = keys.size === 0 ? entries.value : entries.value.filter(({ name }) => keys.has(name));
      const configs = told(wanted);
      return newDescribeConfigsResult({ resourceType, resourceName, errorMessage: NO_MESSAGE, configs });
    }),
  });
};

function entriesOf(
  { resourceType, resourceName }: DescribeConfigsResource,
  broker: BrokerServices,
  describe: Describers,
): Entries {
  switch (resourceType) {
    case ResourceType.TOPIC: {
      const configs = topicConfigs(resourceName, broker);
      return configs.ok ? ok(describe.topic(configs.value)) : configs;
    }
    case ResourceType.BROKER: {
      if (resourceName === '') return ok(describeClusterConfigs(broker.config));
      const problem = brokerProblem(resourceName, `${broker.brokerId} or empty string,`, broker);
      return problem ? err(ErrorCode.INVALID_REQUEST, problem) : ok(describe.broker());
    }
    case ResourceType.BROKER_LOGGER: {
      if (resourceName === '') return err(ErrorCode.INVALID_REQUEST, 'Broker id must not be empty');
      const problem = brokerProblem(resourceName, String(broker.brokerId), broker);
      if (problem) return err(ErrorCode.INVALID_REQUEST, problem);
      return ok(describeLoggers(loggerLevels(broker.logger.levels)));
    }
    case ResourceType.CLIENT_METRICS: {
      if (resourceName !== '') return ok(resourceEntries('client-metrics', resourceName, broker));
      return err(ErrorCode.INVALID_REQUEST, 'Client metrics subscription name must not be empty');
    }
    case ResourceType.GROUP: {
      if (resourceName !== '') return ok(resourceEntries('groups', resourceName, broker));
      return err(ErrorCode.INVALID_REQUEST, 'Group name must not be empty');
    }
    default:
      return err(ErrorCode.INVALID_REQUEST, MALFORMED);
  }
}

function resourceEntries(
  scope: ResourceScope,
  name: string,
  { config, metadata }: BrokerServices,
): readonly ConfigEntry[] {
  return describeResourceConfigs(config, scope, metadata.image.configs({ scope, name }));
}

function topicConfigs(name: string, { metadata }: BrokerServices): Result<TopicOverrides, ErrorCode> {
  const problem = topicNameProblem(name);
  if (problem) return err(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
  const topic = metadata.image.topic(name);
  return topic ? ok(topic.configs) : err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
}

/** Why `name` is not this broker's id. */
function brokerProblem(name: string, expectation: string, { brokerId }: BrokerServices): string | undefined {
  const id = brokerIdOf(name);
  if (id === undefined) return `Broker id must be an integer, but it is: ${name}`;
  return id === brokerId ? undefined : `Unexpected broker id, expected ${expectation} but received ${name}`;
}

function described(
  entry: ConfigEntry,
  { includeSynonyms, includeDocumentation }: DescribeConfigsRequest,
  apiVersion: number,
): DescribeConfigsResourceResult {
  return newDescribeConfigsResourceResult({
    name: entry.name,
    value: entry.value,
    readOnly: entry.readOnly,
    isDefault: apiVersion === 0 && entry.source === ConfigSource.DEFAULT_CONFIG,
    configSource: entry.source,
    isSensitive: entry.isSensitive,
    synonyms: includeSynonyms ? [...entry.synonyms] : [],
    configType: entry.type,
    documentation: includeDocumentation ? entry.documentation : null,
  });
}
