/**
 * The one table of metrics: a row each. Names and labels are those that the usual rules of Prometheus' JMX exporter
 * (its example for Kafka 2.0 and later, also Strimzi's) make of Kafka's beans, so that dashboards made for those show
 * data. What one broker cannot have (replication) is there with its true value, 0.
 */
import { clusterMetrics } from './cluster-metrics';
import { groupMetrics } from './group-metrics';
import { logMetrics } from './log-metrics';
import type { MetricRow } from './metric-row';
import { networkMetrics } from './network-metrics';
import { partitionMetrics } from './partition-metrics';
import { requestMetrics } from './request-metrics';
import { trafficMetrics } from './traffic-metrics';

export const metricsTable: readonly MetricRow[] = [
  ...trafficMetrics,
  ...requestMetrics,
  ...networkMetrics,
  ...partitionMetrics,
  ...clusterMetrics,
  ...groupMetrics,
  ...logMetrics,
];
