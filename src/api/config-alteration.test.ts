/** What both APIs of settings have in common, as far as neither of their tests looks at it: levels of loggers. */
import { silentLogger } from '../base/logger';
import { ErrorCode } from '../codec/generated/errors';
import { startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { alterResources } from './config-alteration';

it('sets the level of the logger beside other changes, each for itself', async () => {
  const { broker } = metadataContext(await startMetadataBroker(), { apiVersion: 1 });
  const levels = { level: 'info' as const };
  const set = (...[resourceType, resourceName, name, value]: [number, string, string, string]) => {
    return { resourceType, resourceName, settings: [{ name, operation: 0, value }] };
  };
  const outcomes = await alterResources(
    { ...broker, logger: { ...silentLogger, levels } },
    {
      resources: [
        set(8, '1', 'root', 'ERROR'),
        set(4, '', 'log.retention.ms', '5'),
        set(8, '7', 'root', 'WARN'),
        set(4, '1', 'node.id', '5'),
      ],
      validateOnly: false,
      replacesAll: false,
    },
  );
  expect(outcomes.map((outcome) => (outcome.ok ? 0 : outcome.error))).toEqual([
    0,
    0,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_REQUEST,
  ]);
  expect([levels.level, broker.config.get('log.retention.ms')]).toEqual(['error', 5]);
});
