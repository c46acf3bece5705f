/**
 * Kafka's own Java tools, of the newest 4.x and of 4.0, unchanged against one broker: topics, producing and consuming
 * with a group, groups, offsets; and its dump tool over every file that the broker wrote, line by line the same as
 * `odradek dump-log`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrokerProcess, startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, expectMatch, expectSame, run, runChecks } from '../../checks';
import { dumpComplaints, segmentFiles } from './dump';
import { kafkaJars } from './jars';

interface Tools {
  readonly version: string;
  readonly dumpClass: string;
}

const TOOLS: readonly Tools[] = [
  { version: '4.4.0', dumpClass: 'org.apache.kafka.tools.DumpLogSegments' },
  { version: '4.0.2', dumpClass: 'kafka.tools.DumpLogSegments' },
];

const JAVA_OPTIONS = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
const COMMAND = path.join(__dirname, '..', '..', '..', 'dist', 'main.js');
const LINES = 2000;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

function numbered(count: number): string {
  return Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
}

/** One version's tools against one broker. */
class JavaTools {
  readonly #jars: string;
  readonly #broker: BrokerProcess;

  constructor(jars: string, broker: BrokerProcess) {
    this.#jars = jars;
    this.#broker = broker;
  }

  java(main: string, words: readonly string[], input?: string): Promise<string> {
    return run('java', [...JAVA_OPTIONS, '-cp', `${this.#jars}/*`, main, ...words], { input });
  }

  tool(main: string, words: readonly string[], input?: string): Promise<string> {
    return this.java(`org.apache.kafka.tools.${main}`, ['--bootstrap-server', this.#broker.bootstrap, ...words], input);
  }

  topics(...words: string[]): Promise<string> {
    return this.tool('TopicCommand', words);
  }

  groups(...words: string[]): Promise<string> {
    return this.tool('consumer.group.ConsumerGroupCommand', words);
  }

  consume(topic: string, ...words: string[]): Promise<string> {
    return this.tool('consumer.ConsoleConsumer', ['--topic', topic, ...words]);
  }

  produce(topic: string, input: string, ...words: string[]): Promise<string> {
    return this.tool('ConsoleProducer', ['--topic', topic, ...words], input);
  }
}

async function checkTopics(
  checks: Checks,
  tools: JavaTools,
  { topic, label }: { topic: string; label: string },
): Promise<void> {
  await checks.check(`${label} kafka-topics creates, lists and describes`, async () => {
    const made = await tools.topics(
      '--create',
      '--topic',
      topic,
      '--partitions',
      '3',
      '--config',
      'retention.ms=86400000',
    );
    expectMatch(made, new RegExp(`^Created topic ${topic}\\.$`, 'm'), 'create');
    expectMatch(await tools.topics('--list'), new RegExp(`^${topic}$`, 'm'), 'list');
    const described = await tools.topics('--describe', '--topic', topic);
    expectMatch(
      described,
      new RegExp(`Topic: ${topic}\\s+TopicId: \\S{22}\\s+PartitionCount: 3\\s+ReplicationFactor: 1`),
      'topic',
    );
    expectMatch(described, /Configs: (.*,)?retention\.ms=86400000/, 'config');
    expectMatch(described, /Partition: 2\s+Leader: (\d+)\s+Replicas: \1\s+Isr: \1/, 'partition');
  });
  await checks.check(`${label} kafka-topics adds partitions and deletes`, async () => {
    await tools.topics('--create', '--topic', `${topic}-gone`);
    await tools.topics('--alter', '--topic', `${topic}-gone`, '--partitions', '4');
    expectMatch(await tools.topics('--describe', '--topic', `${topic}-gone`), /PartitionCount: 4/, 'more partitions');
    await tools.topics('--delete', '--topic', `${topic}-gone`);
    if ((await tools.topics('--list')).includes(`${topic}-gone`)) throw new Error('the topic is still listed');
  });
}

async function checkRecords(
  checks: Checks,
  tools: JavaTools,
  { topic, label }: { topic: string; label: string },
): Promise<void> {
  const group = `${topic}-group`;
  await checks.check(`${label} kafka-console-producer sends with every compression`, async () => {
    for (const codec of CODECS) {
      await tools.produce(`${topic}-${codec}`, numbered(LINES), '--compression-codec', codec);
    }
  });
  await checks.check(`${label} kafka-console-consumer reads all of it in order`, async () => {
    for (const codec of CODECS) {
      const read = await tools.consume(`${topic}-${codec}`, '--from-beginning', '--max-messages', String(LINES));
      expectSame(read, numbered(LINES), codec);
    }
  });
  await checks.check(`${label} kafka-console-consumer --group goes on where it stopped`, async () => {
    const read = (count: number): Promise<string> =>
      tools.consume(`${topic}-none`, '--group', group, '--from-beginning', '--max-messages', String(count));
    const all = (await read(500)) + (await read(LINES - 500));
    expectSame(all, numbered(LINES), 'both parts');
  });
  await checks.check(`${label} kafka-consumer-groups lists and describes`, async () => {
    expectMatch(await tools.groups('--list'), new RegExp(`^${group}$`, 'm'), 'list');
    const described = await tools.groups('--describe', '--group', group);
    expectMatch(
      described,
      new RegExp(`^${group}\\s+${topic}-none\\s+0\\s+${LINES}\\s+${LINES}\\s+0\\s`, 'm'),
      'offsets',
    );
    const state = await tools.groups('--describe', '--group', group, '--state');
    expectMatch(state, /\bEmpty\b/, 'state');
  });
  await checks.check(`${label} kafka-consumer-groups resets and deletes`, async () => {
    const words = ['--group', group, '--topic', `${topic}-none`, '--reset-offsets', '--to-offset', '7', '--execute'];
    expectMatch(await tools.groups(...words), new RegExp(`${topic}-none\\s+0\\s+7`), 'reset');
    expectMatch(
      await tools.groups('--delete', '--group', group),
      /deletion of requested consumer groups .* was successful/i,
      'delete',
    );
    if ((await tools.groups('--list')).includes(group)) throw new Error('the group is still listed');
  });
  await checks.check(`${label} kafka-get-offsets: latest, earliest and by time`, async () => {
    expectSame(
      await tools.tool('GetOffsetShell', ['--topic', `${topic}-none`]),
      `${topic}-none:0:${LINES}\n`,
      'latest',
    );
    const earliest = await tools.tool('GetOffsetShell', ['--topic', `${topic}-none`, '--time', 'earliest']);
    expectSame(earliest, `${topic}-none:0:0\n`, 'earliest');
    const timed = await tools.tool('GetOffsetShell', ['--topic', `${topic}-none`, '--time', '1000']);
    expectSame(timed, `${topic}-none:0:0\n`, 'by time');
  });
}

async function checkFiles(checks: Checks, tools: JavaTools, one: Tools & { dataDir: string }): Promise<void> {
  const files = segmentFiles(one.dataDir);
  const dump = async (chosen: readonly string[], ...words: string[]): Promise<string> => {
    const said = await tools.java(one.dumpClass, ['--files', chosen.join(','), ...words]);
    const complaints = dumpComplaints(said);
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    const ours = await run(process.execPath, [COMMAND, 'dump-log', '--files', chosen.join(','), ...words]);
    expectSame(ours, said, 'odradek dump-log beside kafka-dump-log');
    return said;
  };
  await checks.check(`${one.version} kafka-dump-log reads all files without a complaint`, async () => {
    const said = await dump(files, '--deep-iteration');
    expectMatch(said, /^Dumping .*\/__consumer_offsets-\d+\/\d+\.log$/m, 'the offsets topic');
    for (const codec of CODECS) expectMatch(said, new RegExp(`compresscodec: ${codec} `), 'batches stay compressed');
  });
  await checks.check(`${one.version} kafka-dump-log prints records`, async () => {
    const logs = files.filter((file) => /java-[^/]+-\d+\/\d+\.log$/.test(file));
    expectMatch(await dump(logs, '--print-data-log'), /^\| offset: 1999 .* payload: line 1999$/m, 'the last record');
  });
  await checks.check(`${one.version} kafka-dump-log decodes the offsets topic`, async () => {
    const logs = files.filter((file) => /__consumer_offsets-\d+\/\d+\.log$/.test(file));
    const said = await dump(logs, '--offsets-decoder');
    expectMatch(said, /key: \{"type":"1",.*payload: \{"version":"\d","data":\{"offset":\d+/, 'a commit');
    expectMatch(said, /key: \{"type":"2",.*payload: \{"version":"\d","data":\{"protocolType":"consumer"/, 'a group');
  });
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('java') || !commandExists('mvn')) {
    checks.skip('java tools', 'java or mvn is not installed');
    return;
  }
  const dataDir = mkdtempSync(path.join(tmpdir(), 'odradek-java-'));
  const broker = await startBrokerProcess({ dataDir });
  for (const one of TOOLS) {
    const tools = new JavaTools(await kafkaJars(one.version), broker);
    const names = { topic: `java-${one.version}`, label: one.version };
    await checkTopics(checks, tools, names);
    await checkRecords(checks, tools, names);
  }
  await checks.check('the broker ends cleanly', async () => {
    const code = await broker.stop();
    if (code !== 0) throw new Error(`exit code ${code}\n${broker.log()}`);
  });
  for (const one of TOOLS) {
    const tools = new JavaTools(await kafkaJars(one.version), broker);
    await checkFiles(checks, tools, { ...one, dataDir });
  }
  rmSync(dataDir, { recursive: true, force: true });
}

runChecks(suite);
