/**
 * DescribeDelegationToken (key 41), versions 0 to 3 (KIP-48): refused as by Kafka on a PLAINTEXT connection, the only
 * kind that there is.
 */
import {
  type DescribeDelegationTokenRequest,
  type DescribeDelegationTokenResponse,
  newDescribeDelegationTokenResponse,
} from '../codec/generated/41-describe-delegation-token';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const describeDelegationToken: Handler<DescribeDelegationTokenRequest, DescribeDelegationTokenResponse> = () =>
  newDescribeDelegationTokenResponse({ errorCode: ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED });
