/** GetTelemetrySubscriptions: what is answered; the rules are tested in telemetry/client-telemetry.test.ts. */
import { systemRandom, ZERO_UUID } from '../base/random';
import { newGetTelemetrySubscriptionsRequest } from '../codec/generated/71-get-telemetry-subscriptions';
import { ErrorCode } from '../codec/generated/errors';
import { BrokerConfig } from '../config/broker-config';
import { ClientSoftware } from '../telemetry/client-software';
import { ClientTelemetry } from '../telemetry/client-telemetry';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { ManualClock } from '../testing/manual-clock';
import { getTelemetrySubscriptions } from './get-telemetry-subscriptions';

it('answers what to push, how and how often, and an error to one that asks too early', async () => {
  const config = BrokerConfig.of({ 'telemetry.max.bytes': '5000' });
  const software = new ClientSoftware();
  const options = { clock: new ManualClock(), random: systemRandom, software, maxBytes: () => 5000 };
  const context = handlerContext({ broker: { config, telemetry: new ClientTelemetry(options) } });
  const ask = (clientInstanceId = ZERO_UUID) =>
    answerOf(getTelemetrySubscriptions(context, newGetTelemetrySubscriptionsRequest({ clientInstanceId })));
  const answer = await ask();
  expect(answer).toEqual({
    throttleTimeMs: 0,
    errorCode: ErrorCode.NONE,
    clientInstanceId: expect.stringMatching(/^[\w-]{22}$/),
    subscriptionId: expect.any(Number),
    acceptedCompressionTypes: [4, 3, 1, 2],
    pushIntervalMs: 300_000,
    telemetryMaxBytes: 5000,
    deltaTemporality: true,
    requestedMetrics: [],
  });
  expect(await ask(answer.clientInstanceId)).toMatchObject({
    errorCode: ErrorCode.THROTTLING_QUOTA_EXCEEDED,
    clientInstanceId: ZERO_UUID,
    acceptedCompressionTypes: [],
  });
});
