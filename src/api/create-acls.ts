/**
 * CreateAcls (key 30), versions 0 to 3: there is no authorizer, and each creation is refused with SECURITY_DISABLED, as
 * by Kafka without one.
 */
import {
  type CreateAclsRequest,
  type CreateAclsResponse,
  newAclCreationResult,
  newCreateAclsResponse,
} from '../codec/generated/30-create-acls';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const createAcls: Handler<CreateAclsRequest, CreateAclsResponse> = (_, { creations }) =>
  newCreateAclsResponse({
    results: creations.map(() =>
      newAclCreationResult({
        errorCode: ErrorCode.SECURITY_DISABLED,
        errorMessage: 'No Authorizer is configured.',
      }),
    ),
  });
