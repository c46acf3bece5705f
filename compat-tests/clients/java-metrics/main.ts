/**
 * Java's clients push their metrics where they are asked to (KIP-714), and what they say of themselves agrees with what
 * the broker counted: both as Prometheus would see it.
 */
import { type BrokerProcess, startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, expectSame, run, runChecks } from '../../checks';
import { freePort } from '../../free-port';
import { kafkaJars } from '../java/jars';

const VERSION = '4.4.0';
const JAVA_OPTIONS = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
const TOPIC = 'measured';
const RECORDS = 20_000;

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

async function scrape(port: number): Promise<Sample[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) => {
    return { name: name!, labels: labels ?? '', value: Number(value) };
  });
}

/** The sum over the series of this name whose labels hold all of these words. */
function sum(samples: readonly Sample[], name: string, ...words: readonly string[]): number {
  const found = samples.filter((each) => each.name === name && words.every((word) => each.labels.includes(word)));
  return found.reduce((total, { value }) => total + value, 0);
}

/** The series that Java's clients pushed of one of their own names. */
const pushedBy = (client: string): string[] => [`client_id="${client}"`, 'client_software_name="apache-kafka-java"'];

async function compare(checks: Checks, broker: BrokerProcess, o: { jars: string; port: number }): Promise<void> {
  const tool = (main: string, ...words: string[]): Promise<string> => {
    const address = ['--bootstrap-server', broker.bootstrap];
    const className = `org.apache.kafka.tools.${main}`;
    return run('java', [...JAVA_OPTIONS, '-cp', `${o.jars}/*`, className, ...address, ...words]);
  };
  const traffic = (samples: readonly Sample[], name: string): number =>
    sum(samples, `kafka_server_brokertopicmetrics_${name}_total`, `topic="${TOPIC}"`);
  await tool('ClientMetricsCommand', '--alter', '--name', 'all', '--metrics', '*', '--interval', '500');

  await checks.check('a producer pushes what the broker counted', async () => {
    const load = ['--num-records', `${RECORDS}`, '--record-size', '100', '--throughput', '10000'];
    await tool('ProducerPerformance', '--topic', TOPIC, ...load);
    const samples = await scrape(o.port);
    const sent = sum(samples, 'org_apache_kafka_producer_record_send_total', ...pushedBy('perf-producer-client'));
    expectSame(`${traffic(samples, 'messagesin')} ${sent}`, `${RECORDS} ${RECORDS}`, 'messages written');
  });

  await checks.check('a consumer pushes what the broker counted', async () => {
    await tool('ConsumerPerformance', '--topic', TOPIC, '--messages', `${RECORDS}`);
    const samples = await scrape(o.port);
    const client = [...pushedBy('perf-consumer-client'), `topic="${TOPIC}"`];
    const read = sum(samples, 'org_apache_kafka_consumer_fetch_manager_records_consumed_total', ...client);
    expectSame(`${read}`, `${RECORDS}`, 'messages read');
    expectSame(`${traffic(samples, 'bytesout')}`, `${traffic(samples, 'bytesin')}`, 'bytes read and written');
  });
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('java') || !commandExists('mvn')) {
    checks.skip('metrics of Java clients', 'java or mvn is not installed');
    return;
  }
  const jars = await kafkaJars(VERSION);
  const port = await freePort();
  const broker = await startBrokerProcess({ overrides: [`odradek.metrics.listener=127.0.0.1:${port}`] });
  try {
    await compare(checks, broker, { jars, port });
  } finally {
    await broker.stop();
  }
}

runChecks(suite);
