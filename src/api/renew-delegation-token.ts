/**
 * RenewDelegationToken (key 39), versions 0 to 2 (KIP-48): refused as by Kafka on a PLAINTEXT connection,
 * the only kind that there is.
 */
import {
  newRenewDelegationTokenResponse,
  type RenewDelegationTokenRequest,
  type RenewDelegationTokenResponse,
} from '../codec/generated/39-renew-delegation-token';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

const NEVER = -1;

export const renewDelegationToken: Handler<RenewDelegationTokenRequest, RenewDelegationTokenResponse> = () =>
  newRenewDelegationTokenResponse({
    errorCode: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    expiryTimestampMs: NEVER,
  });
