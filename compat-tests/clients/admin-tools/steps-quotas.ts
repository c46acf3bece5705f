/** kafka-configs: quotas of users, client ids, both together and addresses; producers that they slow down. */
import { type Step, tool } from './step';

const topics = tool('TopicCommand');

/** `configs`: the class, which moved after 4.0. */
export function quotaSteps(configs: string): readonly Step[] {
  const config = tool(configs);
  const perf = tool('ProducerPerformance');
  return [
    config('--describe --entity-type users'),
    config('--describe --entity-type clients'),
    config('--describe --entity-type ips'),
    config('--alter --entity-type users --entity-name u --add-config producer_byte_rate=1024,request_percentage=12.5'),
    config('--alter --user u --client c --add-config consumer_byte_rate=2048'),
    config('--alter --user-defaults --client-defaults --add-config controller_mutation_rate=3'),
    config('--alter --entity-type users --entity-default --add-config request_percentage=200'),
    config('--alter --entity-type clients --entity-name c --add-config producer_byte_rate=4096'),
    config('--alter --client-defaults --add-config consumer_byte_rate=8192'),
    config('--alter --ip 10.0.0.1 --add-config connection_creation_rate=7'),
    config('--alter --ip-defaults --add-config connection_creation_rate=70'),
    config('--describe --entity-type users'),
    config('--describe --entity-type clients'),
    config('--describe --entity-type ips'),
    config('--describe --user u'),
    config('--describe --user-defaults'),
    config('--describe --user u --client c'),
    config('--describe --entity-type users --entity-type clients'),
    config('--describe --user-defaults --client-defaults'),
    config('--describe --client c'),
    config('--describe --client-defaults'),
    config('--describe --ip 10.0.0.1'),
    config('--describe --ip-defaults'),
    config('--describe --user nobody'),
    config('--alter --user u --add-config no.such.key=1'),
    config('--alter --user u --add-config producer_byte_rate=abc'),
    config('--alter --user u --add-config producer_byte_rate=0'),
    config('--alter --user u --add-config producer_byte_rate=-5'),
    config('--alter --user u --add-config producer_byte_rate=1.5'),
    config('--alter --user u --add-config connection_creation_rate=5'),
    config('--alter --ip 10.0.0.1 --add-config producer_byte_rate=5'),
    config('--alter --ip no.such.host.invalid --add-config connection_creation_rate=5'),
    config('--alter --user u --delete-config consumer_byte_rate'),
    config('--alter --user u --add-config producer_byte_rate=2048 --delete-config request_percentage'),
    config('--describe --user u'),
    config('--alter --user u --delete-config producer_byte_rate'),
    config('--alter --user u --client c --delete-config consumer_byte_rate'),
    config('--alter --user-defaults --client-defaults --delete-config controller_mutation_rate'),
    config('--alter --user-defaults --delete-config request_percentage'),
    config('--alter --client c --delete-config producer_byte_rate'),
    config('--alter --client-defaults --delete-config consumer_byte_rate'),
    config('--alter --ip 10.0.0.1 --delete-config connection_creation_rate'),
    config('--alter --ip-defaults --delete-config connection_creation_rate'),
    config('--describe --entity-type users'),
    config('--describe --entity-type clients'),
    topics('--create --topic throttled --partitions 1'),
    config('--alter --client slow --add-config producer_byte_rate=100000'),
    config('--describe --client slow'),
    // 1.4 MB where one is free.
    perf(
      '--topic throttled --num-records 1400 --record-size 1000 --throughput -1 --producer-props client.id=slow ' +
        'bootstrap.servers=BOOTSTRAP batch.size=65536 --print-metrics',
      { instead: /produce-throttle-time-max:\{client-id=slow\} +: [1-9]\d\d/ },
    ),
    config('--alter --client slow --delete-config producer_byte_rate'),
  ];
}
