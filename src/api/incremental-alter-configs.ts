/**
 * IncrementalAlterConfigs (key 44), versions 0 and 1 (KIP-339): sets and deletes single settings of topics and brokers,
 * appends to and subtracts from those that are lists, and sets levels of loggers (KIP-412).
 *
 * - Each resource succeeds or fails for itself, and whole. One that occurs twice is refused both times, also one whose
 *   keys occur twice.
 * - A list that has no value of its own begins with the default. What is there already is not appended again.
 * - A setting counts when it is answered, and still after a restart; the level of a logger until the broker stops.
 * - Broker "": the defaults of all brokers; else only the asked broker's own id.
 */
import {
  type IncrementalAlterConfigsRequest,
  type IncrementalAlterConfigsResponse,
  newAlterConfigsResourceResponse,
  newIncrementalAlterConfigsResponse,
} from '../codec/generated/44-incremental-alter-configs';
import { alterResources, describeOutcome } from './config-alteration';
import type { Handler } from './request-context';

export const incrementalAlterConfigs: Handler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> = async (
  { broker },
  request,
) => {
  const { validateOnly } = request;
  const resources = request.resources.map(({ resourceType, resourceName, configs }) => ({
    resourceType,
    resourceName,
    settings: configs.map(({ name, value, configOperation }) => ({ name, value, operation: configOperation })),
  }));
  const outcomes = await alterResources(broker, { resources, validateOnly, replacesAll: false });
  return newIncrementalAlterConfigsResponse({
    responses: outcomes.map((outcome, i) => newAlterConfigsResourceResponse(describeOutcome(resources[i]!, outcome))),
  });
};
