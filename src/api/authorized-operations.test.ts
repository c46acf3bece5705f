/** The bit fields, as Kafka sends them. */
import { CLUSTER_OPERATIONS, OPERATIONS_NOT_ASKED, TOPIC_OPERATIONS } from './authorized-operations';

it('are those of Kafka', () => {
  expect([TOPIC_OPERATIONS, CLUSTER_OPERATIONS, OPERATIONS_NOT_ASKED]).toEqual([3576, 8096, -(2 ** 31)]);
});
