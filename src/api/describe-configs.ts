/**
 * DescribeConfigs (key 32), versions 0 to 4: settings of topics and brokers with their sources.
 *
 * - No keys, or null: all of them; a key that does not exist is left out.
 * - Broker "": the dynamic defaults of the cluster, of which there are none; otherwise only the asked broker's own id.
 * - Version 0 says whether a value is the default, later ones where it comes from, with synonyms where asked for;
 *   from version 3 on types, and documentation where asked for (KIP-569). Sensitive values are never told.
 * - Logger levels (KIP-412) and client metrics (KIP-714): nothing can be set, so nothing is listed.
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
import { type ConfigEntry, ConfigSource, describeBrokerConfigs, describeTopicConfigs } from '../config/config-entry';
import type { BrokerServices } from './broker-services';
import type { Handler } from './request-context';

/** Numbers of the resource types on the wire (Kafka's ConfigResource.Type). */
const TOPIC = 2;
const BROKER = 4;
const BROKER_LOGGER = 8;
const CLIENT_METRICS = 16;

type Entries = Result<readonly ConfigEntry[], ErrorCode>;

export const describeConfigs: Handler<DescribeConfigsRequest, DescribeConfigsResponse> = (context, request) =>
  newDescribeConfigsResponse({
    results: request.resources.map((resource) => {
      const { resourceType, resourceName } = resource;
      const entries = entriesOf(resource, context.broker);
      if (!entries.ok) {
        const { error, message } = entries;
        return newDescribeConfigsResult({
          resourceType,
          resourceName,
          errorCode: error,
          errorMessage: message ?? null,
        });
      }
      const keys = resource.configurationKeys ?? [];
      const configs = entries.value
        .filter(({ name }) => keys.length === 0 || keys.includes(name))
        .map((entry) => described(entry, request, context.apiVersion));
      return newDescribeConfigsResult({ resourceType, resourceName, errorMessage: null, configs });
    }),
  });

function entriesOf({ resourceType, resourceName }: DescribeConfigsResource, broker: BrokerServices): Entries {
  switch (resourceType) {
    case TOPIC:
      return topicEntries(resourceName, broker);
    case BROKER: {
      if (resourceName === '') return ok([]);
      const problem = brokerProblem(resourceName, broker.brokerId);
      return problem ? err(ErrorCode.INVALID_REQUEST, problem) : ok(describeBrokerConfigs(broker.config));
    }
    case BROKER_LOGGER: {
      const problem = brokerProblem(resourceName, broker.brokerId);
      return problem ? err(ErrorCode.INVALID_REQUEST, problem) : ok([]);
    }
    case CLIENT_METRICS:
      return resourceName === '' ? err(ErrorCode.INVALID_REQUEST, 'The subscription name is empty') : ok([]);
    default:
      return err(ErrorCode.INVALID_REQUEST, `Unsupported resource type ${resourceType}`);
  }
}

function topicEntries(name: string, { metadata, config }: BrokerServices): Entries {
  const problem = topicNameProblem(name);
  if (problem) return err(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
  const topic = metadata.image.topic(name);
  return topic ? ok(describeTopicConfigs(config, topic.configs)) : err(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
}

/** Why `name` is not this broker's id. */
function brokerProblem(name: string, brokerId: number): string | undefined {
  if (!/^[+-]?\d+$/.test(name)) return `A broker is named by its id, a number, not by '${name}'`;
  return Number(name) === brokerId ? undefined : `This is broker ${brokerId}, not ${name}`;
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
