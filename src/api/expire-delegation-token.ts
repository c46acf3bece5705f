/**
 * ExpireDelegationToken (key 40), versions 0 to 2 (KIP-48): refused as by Kafka on a PLAINTEXT connection,
 * the only kind that there is.
 */
import {
  type ExpireDelegationTokenRequest,
  type ExpireDelegationTokenResponse,
  newExpireDelegationTokenResponse,
} from '../codec/generated/40-expire-delegation-token';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

const NEVER = -1;

export const expireDelegationToken: Handler<ExpireDelegationTokenRequest, ExpireDelegationTokenResponse> = () =>
  newExpireDelegationTokenResponse({
    errorCode: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    expiryTimestampMs: NEVER,
  });
