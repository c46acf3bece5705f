/** What the group coordinator has to know about a request's sender. */
import type { GroupRequestContext } from '../coordinator/group/group-operation';
import type { RequestContext } from './request-context';

export function groupRequestContext({ apiVersion, clientId, connection }: RequestContext): GroupRequestContext {
  // A host without a name, a slash, its address: Java's form of an address, which tools show and cut.
  return { apiVersion, clientId, clientHost: `/${connection.peerAddress}` };
}
