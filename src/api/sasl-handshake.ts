/**
 * SaslHandshake (key 17), versions 0–1.
 * No listener has SASL: there is nothing to shake hands about, and no mechanism to offer. Kafka answers the same on a
 * listener without SASL.
 */
import {
  newSaslHandshakeResponse,
  type SaslHandshakeRequest,
  type SaslHandshakeResponse,
} from '../codec/generated/17-sasl-handshake';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const saslHandshake: Handler<SaslHandshakeRequest, SaslHandshakeResponse> = () =>
  newSaslHandshakeResponse({ errorCode: ErrorCode.ILLEGAL_SASL_STATE });
