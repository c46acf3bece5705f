/** PushTelemetry: what is answered; the rules are tested in telemetry/client-telemetry.test.ts. */
import { systemRandom, ZERO_UUID } from '../base/random';
import { newPushTelemetryRequest } from '../codec/generated/72-push-telemetry';
import { ErrorCode } from '../codec/generated/errors';
import { ClientSoftware } from '../telemetry/client-software';
import { ClientTelemetry } from '../telemetry/client-telemetry';
import { answerOf } from '../testing/handler-answer';
import { handlerContext } from '../testing/handler-context';
import { ManualClock } from '../testing/manual-clock';
import { otlpMetrics } from '../testing/otlp';
import { pushTelemetry } from './push-telemetry';

it('keeps what is pushed under the name of the client, and answers errors', async () => {
  const software = new ClientSoftware();
  const clock = new ManualClock();
  const telemetry = new ClientTelemetry({ clock, random: systemRandom, software, maxBytes: () => 5000 });
  const context = handlerContext({ clientId: 'app', broker: { telemetry } });
  software.note(context.connection, { name: 'librdkafka', version: '2.5.0' });
  const asked = telemetry.ask(context, ZERO_UUID);
  if (!asked.ok) throw new Error('not asked');
  const { instanceId: clientInstanceId, subscriptionId } = asked.value;
  const metrics = otlpMetrics([{ name: 'org.apache.kafka.consumer.x', gauge: 2 }]);
  const push = (request: Parameters<typeof newPushTelemetryRequest>[0]) =>
    answerOf(pushTelemetry(context, newPushTelemetryRequest(request)));
  expect(await push({ clientInstanceId, subscriptionId, metrics })).toEqual({
    throttleTimeMs: 0,
    errorCode: ErrorCode.NONE,
  });
  const [series] = telemetry.pushed.series(0).get('org_apache_kafka_consumer_x')!;
  expect(series!.labels).toMatchObject({ client_id: 'app', client_software_name: 'librdkafka' });
  expect((await push({ metrics })).errorCode).toBe(ErrorCode.INVALID_REQUEST);
});
