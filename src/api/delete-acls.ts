/**
 * DeleteAcls (key 31), versions 0 to 3: there is no authorizer, and each filter is refused with SECURITY_DISABLED,
 * as by Kafka without one.
 */
import {
  type DeleteAclsRequest,
  type DeleteAclsResponse,
  newDeleteAclsFilterResult,
  newDeleteAclsResponse,
} from '../codec/generated/31-delete-acls';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const deleteAcls: Handler<DeleteAclsRequest, DeleteAclsResponse> = (_, { filters }) =>
  newDeleteAclsResponse({
    filterResults: filters.map(() =>
      newDeleteAclsFilterResult({
        errorCode: ErrorCode.SECURITY_DISABLED,
        errorMessage: 'No Authorizer is configured.',
      }),
    ),
  });
