/** The sender of a request as the coordinator notes it. */
import { handlerContext } from '../testing/handler-context';
import { groupRequestContext } from './group-request-context';

describe('groupRequestContext', () => {
  it('has version, client id and address', () => {
    const context = handlerContext({ apiVersion: 7, clientId: 'c', connection: { peerAddress: '::1' } });
    expect(groupRequestContext(context)).toEqual({ apiVersion: 7, clientId: 'c', clientHost: '/::1' });
  });
});
