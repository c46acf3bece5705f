/**
 * DescribeAcls (key 29), versions 0 to 3: there is no authorizer, and the answer is Kafka's for a broker that has none.
 * Consoles and operators take SECURITY_DISABLED for "nothing to show", and a missing API for a broken broker.
 */
import {
  type DescribeAclsRequest,
  type DescribeAclsResponse,
  newDescribeAclsResponse,
} from '../codec/generated/29-describe-acls';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const describeAcls: Handler<DescribeAclsRequest, DescribeAclsResponse> = () =>
  newDescribeAclsResponse({
    errorCode: ErrorCode.SECURITY_DISABLED,
    errorMessage: 'No Authorizer is configured on the broker',
  });
