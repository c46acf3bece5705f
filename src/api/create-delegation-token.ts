/**
 * CreateDelegationToken (key 38), versions 0 to 3 (KIP-48, KIP-373): tokens are for connections with SASL, of which
 * there are none; the answer is the one that Kafka gives to a PLAINTEXT connection.
 */
import {
  type CreateDelegationTokenRequest,
  type CreateDelegationTokenResponse,
  newCreateDelegationTokenResponse,
} from '../codec/generated/38-create-delegation-token';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

const USER = 'User';
/** From here on the answer tells who asked. */
const REQUESTER_VERSION = 3;
const NEVER = -1;

export const createDelegationToken: Handler<CreateDelegationTokenRequest, CreateDelegationTokenResponse> = (
  { apiVersion, principalName },
  { ownerPrincipalType, ownerPrincipalName },
) => {
  const isOwnerNamed = ownerPrincipalName !== null && ownerPrincipalName !== '';
  return newCreateDelegationTokenResponse({
    errorCode: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    principalType: isOwnerNamed ? (ownerPrincipalType ?? '') : USER,
    principalName: isOwnerNamed ? ownerPrincipalName : principalName,
    ...(apiVersion >= REQUESTER_VERSION
      ? { tokenRequesterPrincipalType: USER, tokenRequesterPrincipalName: principalName }
      : {}),
    issueTimestampMs: NEVER,
    expiryTimestampMs: NEVER,
    maxTimestampMs: NEVER,
  });
};
