/** DescribeCluster: what is said of brokers, and to whom that asks for something else. */
import { newDescribeClusterRequest } from '../codec/generated/60-describe-cluster';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { startMetadataBroker, TEST_CLUSTER_ID } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { describeCluster } from './describe-cluster';

async function describe1(request: Parameters<typeof newDescribeClusterRequest>[0], listenerName = 'PLAINTEXT') {
  const broker = await startMetadataBroker();
  const context = metadataContext(broker, { apiVersion: 2, listenerName });
  return answerOf(describeCluster(context, newDescribeClusterRequest(request)));
}

describe('describeCluster', () => {
  it('tells cluster, controller and brokers', async () => {
    expect(await describe1({ includeClusterAuthorizedOperations: true })).toMatchObject({
      errorCode: 0,
      clusterId: TEST_CLUSTER_ID,
      controllerId: 1,
      brokers: [{ brokerId: 1, host: 'broker1', port: 9092, rack: 'r1', isFenced: false }],
      clusterAuthorizedOperations: 8096,
    });
    expect(await describe1({})).toMatchObject({ clusterAuthorizedOperations: -2147483648 });
  });

  it('names no controller that the client cannot reach', async () => {
    expect(await describe1({}, 'OTHER')).toMatchObject({ controllerId: -1, brokers: [] });
  });

  it('has no controllers to list', async () => {
    expect(await describe1({ endpointType: 2 })).toMatchObject({ errorCode: ErrorCode.MISMATCHED_ENDPOINT_TYPE });
    expect(await describe1({ endpointType: 9 })).toMatchObject({ errorCode: ErrorCode.UNSUPPORTED_ENDPOINT_TYPE });
  });
});
