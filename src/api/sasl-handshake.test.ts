/** SaslHandshake on a listener that has no SASL. */
import { newSaslHandshakeRequest } from '../codec/generated/17-sasl-handshake';
import { ErrorCode } from '../codec/generated/errors';
import { handlerContext } from '../testing/handler-context';
import { saslHandshake } from './sasl-handshake';

it('offers no mechanism', () => {
  const answer = saslHandshake(handlerContext(), newSaslHandshakeRequest({ mechanism: 'PLAIN' }));
  expect(answer).toEqual({ errorCode: ErrorCode.ILLEGAL_SASL_STATE, mechanisms: [] });
});
