/** Handler contexts over a metadata broker: the handler's context with a real controller behind it. */

import type { BrokerServices } from '../api/broker-services';
import type { RequestContext } from '../api/request-context';
import { handlerContext } from './handler-context';
import type { MetadataBroker } from './metadata-broker';

export interface MetadataContextOptions {
  readonly apiVersion: number;
  readonly listenerName?: string;
}

export function metadataContext(broker: MetadataBroker, o: MetadataContextOptions): RequestContext {
  const { brokerId, metadata, controller, config, endpoint } = broker;
  const services: Partial<BrokerServices> = { brokerId, metadata, controller, config, endpoint };
  const connection = { listenerName: o.listenerName ?? 'PLAINTEXT' };
  return handlerContext({ apiVersion: o.apiVersion, connection, broker: services });
}
