/** DescribeClientQuotas of a broker without quotas; filters and values are in alter-client-quotas.test.ts. */
import { newDescribeClientQuotasRequest } from '../codec/generated/48-describe-client-quotas';
import { answerOf } from '../testing/handler-answer';
import { startMetadataBroker } from '../testing/metadata-broker';
import { metadataContext } from '../testing/metadata-context';
import { describeClientQuotas } from './describe-client-quotas';

it('answers with an empty list, which is not null', async () => {
  const broker = await startMetadataBroker();
  const request = newDescribeClientQuotasRequest();
  const answer = await answerOf(describeClientQuotas(metadataContext(broker, { apiVersion: 1 }), request));
  expect(answer).toEqual({ throttleTimeMs: 0, errorCode: 0, errorMessage: '', entries: [] });
});
