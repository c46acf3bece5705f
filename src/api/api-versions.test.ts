/** ApiVersions: the handler table and nothing else, names checked, strangers sent away. */

import { ImagePublisher } from '../cluster/image-publisher';
import { MetadataImage } from '../cluster/metadata-image';
import type { Api } from '../codec/api';
import { newApiVersionsRequest } from '../codec/generated/18-api-versions';
import { apis } from '../codec/generated/apis';
import { ErrorCode } from '../codec/generated/errors';
import { ClientSoftware } from '../telemetry/client-software';
import { handlerContext, testConnection } from '../testing/handler-context';
import { apiVersions, unsupportedApiVersions } from './api-versions';

const servedApis = [apis.Produce, apis.ApiVersions, apis.DescribeCluster] as unknown as Api<unknown, unknown>[];
const metadata = new ImagePublisher(MetadataImage.empty('cluster-1'));

const clientSoftware = new ClientSoftware();

async function ask(
  apiVersion: number,
  request: Parameters<typeof newApiVersionsRequest>[0],
  connection = testConnection,
) {
  const context = handlerContext({ apiVersion, broker: { brokerId: 7, servedApis, metadata, clientSoftware } });
  Object.assign(context, { connection });
  return apiVersions(context, newApiVersionsRequest(request));
}

const client = { clientSoftwareName: 'apache-kafka-java', clientSoftwareVersion: '4.1.0' };

describe('ApiVersions', () => {
  it('remembers what the client says that it is, for as long as its connection lasts', async () => {
    const [named, unnamed, old] = [1, 2, 3].map((id) => ({ ...testConnection, id }));
    await ask(3, client, named);
    await ask(3, { clientSoftwareName: '-', clientSoftwareVersion: '1' }, unnamed);
    await ask(2, client, old);
    expect(clientSoftware.of(named!)).toEqual({ name: 'apache-kafka-java', version: '4.1.0' });
    for (const other of [unnamed, old])
      expect(clientSoftware.of(other!)).toEqual({ name: 'unknown', version: 'unknown' });
  });

  it('lists what is served, and no feature', async () => {
    expect(await ask(4, client)).toEqual({
      errorCode: ErrorCode.NONE,
      throttleTimeMs: 0,
      apiKeys: [
        { apiKey: 0, minVersion: 0, maxVersion: apis.Produce.maxVersion },
        { apiKey: 18, minVersion: 0, maxVersion: apis.ApiVersions.maxVersion },
        { apiKey: 60, minVersion: 0, maxVersion: apis.DescribeCluster.maxVersion },
      ],
      supportedFeatures: [],
      finalizedFeaturesEpoch: -1,
      finalizedFeatures: [],
      zkMigrationReady: false,
    });
  });

  it.each([
    ['', '1.0', ErrorCode.INVALID_REQUEST],
    ['kit', '', ErrorCode.INVALID_REQUEST],
    ['-kit', '1.0', ErrorCode.INVALID_REQUEST],
    ['kit.', '1.0', ErrorCode.INVALID_REQUEST],
    ['k t', '1.0', ErrorCode.INVALID_REQUEST],
    ['k', '1', ErrorCode.NONE],
    ['a-b.c', '1.0.0-rc.1', ErrorCode.NONE],
  ])('from v3 on checks the name %p and version %p', async (clientSoftwareName, clientSoftwareVersion, errorCode) => {
    expect(await ask(3, { clientSoftwareName, clientSoftwareVersion })).toMatchObject({ errorCode });
    expect(await ask(2, {})).toMatchObject({ errorCode: ErrorCode.NONE });
  });

  it.each([
    ['cluster-1', 7, ErrorCode.NONE],
    [null, -1, ErrorCode.NONE],
    ['cluster-2', 7, ErrorCode.REBOOTSTRAP_REQUIRED],
    ['cluster-1', 8, ErrorCode.REBOOTSTRAP_REQUIRED],
    ['cluster-1', -1, ErrorCode.INVALID_REQUEST],
    [null, 7, ErrorCode.INVALID_REQUEST],
  ])('v5 for cluster %p and node %p', async (clusterId, nodeId, errorCode) => {
    expect(await ask(5, { ...client, clusterId, nodeId })).toMatchObject({ errorCode });
  });

  it('tells a client with an unknown version which ones there are', () => {
    expect(unsupportedApiVersions(apis.ApiVersions as unknown as Api<unknown, unknown>)).toMatchObject({
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: apis.ApiVersions.maxVersion }],
    });
  });
});
