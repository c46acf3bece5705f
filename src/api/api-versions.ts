/**
 * ApiVersions (key 18), versions 0–5.
 * Lists exactly the handler table. v3+ checks the names that the client gives itself (KIP-511). v5 carries the cluster
 * and broker that the client means to talk to; another one is told to bootstrap anew (KIP-1242). A version that is not
 * served is answered by the dispatcher with `unsupportedApiVersions` in the layout of v0.
 * No feature is supported or finalized (KIP-584): clients take that as "no transactions v2, no new group protocols".
 */
import type { Api } from '../codec/api';
import {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  newApiVersion,
  newApiVersionsResponse,
} from '../codec/generated/18-api-versions';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler, RequestContext } from './request-context';

/** Letters and digits, with dots and dashes inside. Source: KIP-511. */
const SOFTWARE = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;
const NO_NODE = -1;
const FIRST_WITH_SOFTWARE = 3;

export const apiVersions: Handler<ApiVersionsRequest, ApiVersionsResponse> = (context, request) => {
  const errorCode = check(context, request);
  if (errorCode !== ErrorCode.NONE) return newApiVersionsResponse({ errorCode });
  if (context.apiVersion >= FIRST_WITH_SOFTWARE) {
    const { clientSoftwareName: name, clientSoftwareVersion: version } = request;
    context.broker.clientSoftware.note(context.connection, { name, version });
  }
  return newApiVersionsResponse({ apiKeys: context.broker.servedApis.map(rangeOf) });
};

/** The answer to a version that is not served: how to ask again. */
export function unsupportedApiVersions(api: Api<unknown, unknown>): ApiVersionsResponse {
  return newApiVersionsResponse({ errorCode: ErrorCode.UNSUPPORTED_VERSION, apiKeys: [rangeOf(api)] });
}

function check(context: RequestContext, request: ApiVersionsRequest): ErrorCode {
  const { clientSoftwareName, clientSoftwareVersion, clusterId, nodeId } = request;
  if (
    context.apiVersion >= FIRST_WITH_SOFTWARE &&
    !(SOFTWARE.test(clientSoftwareName) && SOFTWARE.test(clientSoftwareVersion))
  ) {
    return ErrorCode.INVALID_REQUEST;
  }
  if ((clusterId === null) !== (nodeId === NO_NODE)) return ErrorCode.INVALID_REQUEST;
  if (clusterId === null) return ErrorCode.NONE;
  const { brokerId, metadata } = context.broker;
  const isMe = clusterId === metadata.image.clusterId && nodeId === brokerId;
  return isMe ? ErrorCode.NONE : ErrorCode.REBOOTSTRAP_REQUIRED;
}

function rangeOf(api: Api<unknown, unknown>): ReturnType<typeof newApiVersion> {
  return newApiVersion({ apiKey: api.key, minVersion: api.minVersion, maxVersion: api.maxVersion });
}
