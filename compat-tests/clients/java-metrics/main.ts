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
const ATTEMPTS = 4;

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

/** The series that a Java client pushed of one of its own names. */
const pushedBy = (client: string): string[] => [`client_id="${client}"`, 'client_software_name="apache-kafka-java"'];

/**
 * A client that is closed while a push of its is under way may leave out the last one, so what it tells is compared
 * again with another client where it is too little; never may it be more.
 */
async function untilAllPushed(run: (attempt: number) => Promise<number>): Promise<void> {
  const told: number[] = [];
  while (told.length < ATTEMPTS && told.at(-1) !== RECORDS) {
    told.push(await run(told.length));
    if (told.at(-1)! > RECORDS) break;
  }
  expectSame(`${told.at(-1)}`, `${RECORDS}`, `records, as told by ${told.length} clients (${told.join(', ')})`);
}

async function compare(checks: Checks, broker: BrokerProcess, o: { jars: string; port: number }): Promise<void> {
  const tool = (main: string, ...words: string[]): Promise<string> => {
    const address = ['--bootstrap-server', broker.bootstrap];
    const className = `org.apache.kafka.tools.${main}`;
    return run('java', [...JAVA_OPTIONS, '-cp', `${o.jars}/*`, className, ...address, ...words]);
  };
  const traffic = (samples: readonly Sample[], name: string, topic: string): number =>
    sum(samples, `kafka_server_brokertopicmetrics_${name}_total`, `topic="${topic}"`);
  await tool('ClientMetricsCommand', '--alter', '--name', 'all', '--metrics', '*', '--interval', '500');

  await checks.check('a producer pushes what the broker counted', () =>
    untilAllPushed(async (attempt) => {
      const [topic, client] = [`${TOPIC}-${attempt}`, `producer-${attempt}`];
      const load = ['--num-records', `${RECORDS}`, '--record-size', '100', '--throughput', '10000'];
      await tool('ProducerPerformance', '--topic', topic, ...load, '--command-property', `client.id=${client}`);
      const samples = await scrape(o.port);
      expectSame(`${traffic(samples, 'messagesin', topic)}`, `${RECORDS}`, 'messages written');
      return sum(samples, 'org_apache_kafka_producer_record_send_total', ...pushedBy(client));
    }),
  );

  await checks.check('a consumer pushes what the broker counted', () =>
    untilAllPushed(async (attempt) => {
      const [topic, client] = [`${TOPIC}-0`, `consumer-${attempt}`];
      const load = ['--messages', `${RECORDS}`, '--command-property', `client.id=${client}`];
      await tool('ConsumerPerformance', '--topic', topic, ...load);
      const samples = await scrape(o.port);
      const bytes = (attempt + 1) * traffic(samples, 'bytesin', topic);
      expectSame(`${traffic(samples, 'bytesout', topic)}`, `${bytes}`, 'bytes read and written');
      const series = [...pushedBy(client), `topic="${topic}"`];
      return sum(samples, 'org_apache_kafka_consumer_fetch_manager_records_consumed_total', ...series);
    }),
  );
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
