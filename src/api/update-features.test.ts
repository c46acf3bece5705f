/** UpdateFeatures: nothing to update, and why. */
import { newFeatureUpdateKey, newUpdateFeaturesRequest } from '../codec/generated/57-update-features';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { updateFeatures } from './update-features';

async function update(...updates: Parameters<typeof newFeatureUpdateKey>[0][]) {
  const request = newUpdateFeaturesRequest({ featureUpdates: updates.map((each) => newFeatureUpdateKey(each)) });
  return answerOf(updateFeatures(handlerContext({ apiVersion: 2 }), request));
}

it('does nothing where nothing is asked for', async () => {
  expect(await update()).toMatchObject({ errorCode: ErrorCode.NONE, errorMessage: null, results: [] });
});

it.each<[number, number, string]>([
  [1, 1, 'version 1 for feature f. Local controller 1 does not support this feature.'],
  [-1, 1, 'version -1 for feature f. A feature version cannot be less than 0.'],
  [1, 7, 'version 1 for feature f. The controller does not support the given upgrade type.'],
])('level %d, type %d', async (maxVersionLevel, upgradeType, message) => {
  const answer = await update({ feature: 'f', maxVersionLevel, upgradeType }, { feature: 'g' });
  expect(answer).toMatchObject({ errorCode: ErrorCode.INVALID_UPDATE_VERSION, results: [] });
  expect(answer.errorMessage).toContain(message);
});
