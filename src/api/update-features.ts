/**
 * UpdateFeatures (key 57), versions 0 to 2 (KIP-584, KIP-778): there are no features with versions to be chosen, so
 * that every update is refused, all of them where one is, with INVALID_UPDATE_VERSION and Kafka's sentence.
 */
import {
  type FeatureUpdateKey,
  newUpdateFeaturesResponse,
  type UpdateFeaturesRequest,
  type UpdateFeaturesResponse,
} from '../codec/generated/57-update-features';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

/** Upgrade, safe downgrade, unsafe downgrade. */
const UPGRADE_TYPES: readonly number[] = [1, 2, 3];

export const updateFeatures: Handler<UpdateFeaturesRequest, UpdateFeaturesResponse> = ({ broker }, request) => {
  const [first] = request.featureUpdates;
  if (!first) return newUpdateFeaturesResponse({ errorMessage: null });
  return newUpdateFeaturesResponse({
    errorCode: ErrorCode.INVALID_UPDATE_VERSION,
    errorMessage:
      'The update failed for all features since the following feature had an error: ' +
      `Invalid update version ${first.maxVersionLevel} for feature ${first.feature}. ${reason(first, broker.brokerId)}`,
  });
};

function reason({ feature, maxVersionLevel, upgradeType }: FeatureUpdateKey, brokerId: number): string {
  if (!UPGRADE_TYPES.includes(upgradeType)) return 'The controller does not support the given upgrade type.';
  if (maxVersionLevel < 0) return 'A feature version cannot be less than 0.';
  // Kafka takes 0 for the level of whatever it does not know, and then does not find it.
  if (maxVersionLevel === 0) return `Feature ${feature} not found.`;
  return `Local controller ${brokerId} does not support this feature.`;
}
