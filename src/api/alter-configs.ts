/**
 * AlterConfigs (key 33), versions 0 to 2: makes the named settings all settings that a topic or broker has; what is not
 * named goes back to its default. Superseded by IncrementalAlterConfigs (KIP-339).
 *
 * - Each resource succeeds or fails for itself, and whole. One that occurs twice is refused both times.
 * - A setting counts when it is answered, and still after a restart.
 * - Broker "": the defaults of all brokers; else only the asked broker's own id.
 */
import {
  type AlterConfigsRequest,
  type AlterConfigsResponse,
  newAlterConfigsResourceResponse,
  newAlterConfigsResponse,
} from '../codec/generated/33-alter-configs';
import { alterResources, describeOutcome } from './config-alteration';
import type { Handler } from './request-context';

const SET = 0;

export const alterConfigs: Handler<AlterConfigsRequest, AlterConfigsResponse> = async ({ broker }, request) => {
  const { validateOnly } = request;
  const resources = request.resources.map(({ resourceType, resourceName, configs }) => ({
    resourceType,
    resourceName,
    settings: configs.map(({ name, value }) => ({ name, value, operation: SET })),
  }));
  const outcomes = await alterResources(broker, { resources, validateOnly, replacesAll: true });
  return newAlterConfigsResponse({
    responses: outcomes.map((outcome, i) => newAlterConfigsResourceResponse(describeOutcome(resources[i]!, outcome))),
  });
};
