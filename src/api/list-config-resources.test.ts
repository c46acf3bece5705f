/** ListConfigResources: types by version. */
import { newListConfigResourcesRequest } from '../codec/generated/74-list-config-resources';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { listConfigResources } from './list-config-resources';

async function list(apiVersion: number, resourceTypes: number[]) {
  const broker = await startMetadataBroker();
  await broker.controller.createTopics([newTopic('t')], { validateOnly: false });
  const request = newListConfigResourcesRequest({ resourceTypes });
  const response = await answerOf(listConfigResources(metadataContext(broker, { apiVersion }), request));
  return [response.errorCode, response.configResources.map((each) => [each.resourceType, each.resourceName])];
}

it.each<[number, number[], ErrorCode, [number, string][]]>([
  [0, [], 0, []],
  [
    1,
    [],
    0,
    [
      [8, '1'],
      [4, '1'],
      [2, 't'],
    ],
  ],
  [1, [2], 0, [[2, 't']]],
  [
    1,
    [4, 2],
    0,
    [
      [4, '1'],
      [2, 't'],
    ],
  ],
  [1, [16, 32], 0, []],
  [1, [2, 99], ErrorCode.UNSUPPORTED_VERSION, []],
])('version %d, types %j', async (version, types, ...answer) => {
  expect(await list(version, types)).toEqual(answer);
});
