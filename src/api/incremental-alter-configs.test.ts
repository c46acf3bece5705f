/** IncrementalAlterConfigs over a real controller: resources, operations, partial failures, validation only. */
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from '../codec/generated/44-incremental-alter-configs';
import { ErrorCode } from '../codec/generated/errors';
import { answerOf } from '../testing/handler-answer';
import { type MetadataBroker, newTopic, startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { incrementalAlterConfigs } from './incremental-alter-configs';

const TOPIC = 2;
const BROKER = 4;
const [SET, DELETE, APPEND] = [0, 1, 2];

type Op = [name: string, operation: number, value?: string | null];
type Resource = [type: number, name: string, ops: Op[]];

let broker: MetadataBroker;

beforeEach(async () => {
  broker = await startMetadataBroker();
  await broker.controller.createTopics([newTopic('t'), newTopic('u')], { validateOnly: false });
});

async function alter(resources: Resource[], validateOnly = false) {
  const request = newIncrementalAlterConfigsRequest({
    resources: resources.map(([resourceType, resourceName, ops]) =>
      newAlterConfigsResource({
        resourceType,
        resourceName,
        configs: ops.map(([name, configOperation, value = null]) =>
          newAlterableConfig({ name, configOperation, value }),
        ),
      }),
    ),
    validateOnly,
  });
  const { responses } = await answerOf(incrementalAlterConfigs(metadataContext(broker, { apiVersion: 1 }), request));
  return responses;
}

const configsOf = (topic: string) => Object.fromEntries(broker.metadata.image.topic(topic)!.configs);

it('sets, deletes and appends', async () => {
  const first: Op[] = [
    ['retention.ms', SET, '5'],
    ['cleanup.policy', APPEND, 'compact'],
  ];
  expect(await alter([[TOPIC, 't', first]])).toEqual([
    { errorCode: ErrorCode.NONE, errorMessage: null, resourceType: TOPIC, resourceName: 't' },
  ]);
  expect(configsOf('t')).toEqual({ 'retention.ms': '5', 'cleanup.policy': 'delete,compact' });
  await alter([[TOPIC, 't', [['retention.ms', DELETE]]]]);
  expect(configsOf('t')).toEqual({ 'cleanup.policy': 'delete,compact' });
});

it('answers each resource for itself, in order; a failed one changes nothing', async () => {
  const responses = await alter([
    [
      TOPIC,
      't',
      [
        ['flush.ms', SET, '5'],
        ['retention.ms', SET, 'abc'],
      ],
    ],
    [TOPIC, 'u', [['retention.ms', SET, '6']]],
    [TOPIC, 'none', [['retention.ms', SET, '6']]],
    [BROKER, '1', [['log.retention.ms', SET, '7']]],
  ]);
  expect(responses.map(({ resourceName, errorCode }) => [resourceName, errorCode])).toEqual([
    ['t', ErrorCode.INVALID_CONFIG],
    ['u', ErrorCode.NONE],
    ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ['1', ErrorCode.NONE],
  ]);
  expect([configsOf('t'), configsOf('u')]).toEqual([{}, { 'retention.ms': '6' }]);
  expect(broker.config.get('log.retention.ms')).toBe(7);
});

it('changes nothing when it only validates', async () => {
  const responses = await alter(
    [
      [TOPIC, 't', [['retention.ms', SET, '5']]],
      [TOPIC, 'none', []],
    ],
    true,
  );
  expect(responses.map(({ errorCode }) => errorCode)).toEqual([0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]);
  expect(configsOf('t')).toEqual({});
});

it.each<[Resource[], string]>([
  [
    [
      [TOPIC, 't', []],
      [TOPIC, 't', []],
    ],
    'Each resource must appear at most once.',
  ],
  [
    [
      [
        TOPIC,
        't',
        [
          ['retention.ms', SET, '1'],
          ['retention.ms', DELETE],
        ],
      ],
    ],
    'Error due to duplicate config keys',
  ],
  [
    [
      [
        TOPIC,
        't',
        [
          ['retention.ms', SET, null],
          ['flush.ms', APPEND, null],
        ],
      ],
    ],
    'supported for : retention.ms, flush.ms',
  ],
  [[[TOPIC, 't', [['retention.ms', 9, '1']]]], 'Unknown operations type 9'],
  [[[1, 't', []]], 'Unknown resource type 1'],
  [[[BROKER, '2', []]], 'Unexpected broker id, expected 1, but received 2'],
  [[[BROKER, 'x', []]], 'Node id must be an integer, but it is: x'],
])('refuses %j', async (resources, message) => {
  for (const response of await alter(resources)) {
    expect(response.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    expect(response.errorMessage).toContain(message);
  }
});
