/**
 * DescribeCluster (key 60), versions 0 to 2 (KIP-700): cluster id, controller and brokers. Version 1 can ask for KRaft
 * controllers instead (KIP-919), of which there are none here; version 2 for fenced brokers (KIP-1073), neither.
 */
import {
  type DescribeClusterRequest,
  type DescribeClusterResponse,
  newDescribeClusterBroker,
  newDescribeClusterResponse,
} from '../codec/generated/60-describe-cluster';
import { ErrorCode } from '../codec/generated/errors';
import { CLUSTER_OPERATIONS, OPERATIONS_NOT_ASKED } from './authorized-operations';
import { reachableBrokers, reachableController } from './partition-description';
import type { Handler } from './request-context';

const BROKERS = 1;
const CONTROLLERS = 2;
const WANTED_CONTROLLER =
  'The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER';

export const describeCluster: Handler<DescribeClusterRequest, DescribeClusterResponse> = (context, request) => {
  const { endpointType } = request;
  if (endpointType !== BROKERS) {
    const known = endpointType === CONTROLLERS;
    return newDescribeClusterResponse({
      errorCode: known ? ErrorCode.MISMATCHED_ENDPOINT_TYPE : ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
      errorMessage: known ? WANTED_CONTROLLER : `Unsupported endpoint type ${endpointType}`,
    });
  }
  const { image } = context.broker.metadata;
  const reachable = reachableBrokers(context);
  return newDescribeClusterResponse({
    clusterId: image.clusterId,
    controllerId: reachableController(image, reachable),
    brokers: [...reachable.values()].map(({ id, host, port, rack }) =>
      newDescribeClusterBroker({ brokerId: id, host, port, rack }),
    ),
    clusterAuthorizedOperations: request.includeClusterAuthorizedOperations ? CLUSTER_OPERATIONS : OPERATIONS_NOT_ASKED,
  });
};
