/**
 * ListConfigResources (key 74), versions 0 and 1: names of what can have settings.
 *
 * - Version 0 is ListClientMetricsResources (KIP-714) and lists those alone; version 1 (KIP-1142) the types asked for,
 *   all where none is. A type that does not exist: UNSUPPORTED_VERSION, and nothing is listed.
 * - Topics and brokers are listed whether they have settings or not, groups and client metrics where they have.
 */

import type { MetadataImage } from '../cluster/metadata-image';
import {
  type ConfigResource,
  type ListConfigResourcesRequest,
  type ListConfigResourcesResponse,
  newConfigResource,
  newListConfigResourcesResponse,
} from '../codec/generated/74-list-config-resources';
import { ErrorCode } from '../codec/generated/errors';
import { ResourceType } from './config-resource';
import type { Handler } from './request-context';

const { TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP } = ResourceType;
/** In the order in which Kafka lists them. */
const TYPES: readonly number[] = [GROUP, CLIENT_METRICS, BROKER_LOGGER, BROKER, TOPIC];

export const listConfigResources: Handler<ListConfigResourcesRequest, ListConfigResourcesResponse> = (
  { broker, apiVersion },
  request,
) => {
  const supported = apiVersion === 0 ? [CLIENT_METRICS] : TYPES;
  const wanted = request.resourceTypes.length === 0 ? supported : request.resourceTypes;
  if (!wanted.every((type) => supported.includes(type))) {
    return newListConfigResourcesResponse({ errorCode: ErrorCode.UNSUPPORTED_VERSION });
  }
  const configResources = TYPES.filter((type) => wanted.includes(type)).flatMap((type) =>
    namesOf(type, broker.metadata.image).map((name) => resource(type, name)),
  );
  return newListConfigResourcesResponse({ configResources });
};

function namesOf(type: number, image: MetadataImage): string[] {
  switch (type) {
    case GROUP:
      return image.configured('groups');
    case CLIENT_METRICS:
      return image.configured('client-metrics');
    case TOPIC:
      return [...image.topics()].map(({ name }) => name);
    default:
      return [...image.brokers.keys()].map(String);
  }
}

function resource(resourceType: number, resourceName: string): ConfigResource {
  return newConfigResource({ resourceType, resourceName });
}
