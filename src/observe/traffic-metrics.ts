/** Rows of the table of metrics: what went in and out. (Kafka: `kafka.server:type=BrokerTopicMetrics`.) */
import type { TrafficCounts } from '../replication/topic-traffic';
import { counter, type MetricRow, sample } from './metric-row';

const PREFIX = 'kafka_server_brokertopicmetrics_';

/** One series for each topic that was written or read, and one without a topic for all together. */
function byTopic(name: string, help: string, count: keyof TrafficCounts): MetricRow {
  return {
    name: `${PREFIX}${name}_total`,
    type: 'counter',
    help,
    labels: ['topic'],
    collect: function* ({ services }) {
      const { traffic } = services.replicaManager;
      yield sample(traffic.all[count]);
      for (const [topic, counts] of traffic.topics()) yield sample(counts[count], { topic });
    },
  };
}

export const trafficMetrics: readonly MetricRow[] = [
  byTopic('messagesin', 'Messages that were written', 'messagesIn'),
  byTopic('bytesin', 'Bytes of records that were written', 'bytesIn'),
  byTopic('bytesout', 'Bytes of records that were read', 'bytesOut'),
  byTopic('bytesrejected', 'Bytes of records that were too large', 'bytesRejected'),
  byTopic('totalproducerequests', 'Partitions of produce requests', 'produceRequests'),
  byTopic('failedproducerequests', 'Partitions of produce requests that failed', 'failedProduceRequests'),
  byTopic('totalfetchrequests', 'Partitions of fetch requests', 'fetchRequests'),
  byTopic('failedfetchrequests', 'Partitions of fetch requests that failed', 'failedFetchRequests'),
  byTopic(
    'producemessageconversions',
    'Messages of old formats that were written in the present one',
    'produceMessageConversions',
  ),
  byTopic('fetchmessageconversions', 'Messages that were read in an old format', 'fetchMessageConversions'),
  counter(`${PREFIX}replicationbytesin_total`, 'Bytes from other brokers: there are none', () => 0),
  counter(`${PREFIX}replicationbytesout_total`, 'Bytes to other brokers: there are none', () => 0),
];
