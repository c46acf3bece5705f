/**
 * Kafka's own administration tools, of the newest 4.x and of 4.0, side by side: the same commands against a real Kafka
 * of that version and against Odradek, and the same output from both. What may differ is named in `comparable`.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, expectSame, run, runChecks } from '../../checks';
import { startReferenceKafka } from '../../reference-kafka';
import { kafkaJars } from '../java/jars';

const VERSIONS = ['4.4.0', '4.0.2'];
/** That version answers for loggers only where log4j is set up, which the one of the comparison is not. */
const WITHOUT_LOGGERS = '4.0.2';
const JAVA_OPTIONS = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
const TOPIC = 'compared';

interface Side {
  readonly bootstrap: string;
  readonly dataDir: string;
}

/** Class and words; the address is put in front. */
type Command = readonly [main: string, ...words: string[]];

/** Files that commands name, by the word that stands for them. */
const FILES: Readonly<Record<string, unknown>> = {
  REASSIGN: { version: 1, partitions: [{ topic: TOPIC, partition: 0, replicas: [1], log_dirs: ['any'] }] },
  ELSEWHERE: { version: 1, partitions: [{ topic: TOPIC, partition: 0, replicas: [2], log_dirs: ['any'] }] },
  MOVE: { version: 1, topics: [{ topic: TOPIC }] },
};

/** In the order in which they run: later ones see what earlier ones did. */
function commands(configs: string): readonly Command[] {
  const tools = 'org.apache.kafka.tools';
  const topic = ['--entity-type', 'topics', '--entity-name', TOPIC];
  const broker = ['--entity-type', 'brokers', '--entity-name', '1'];
  const all = ['--entity-type', 'brokers', '--entity-default'];
  const loggers = ['--entity-type', 'broker-loggers', '--entity-name', '1'];
  const reassign = `${tools}.reassign.ReassignPartitionsCommand`;
  const elect = `${tools}.LeaderElectionCommand`;
  return [
    [`${tools}.TopicCommand`, '--create', '--topic', TOPIC, '--partitions', '2', '--config', 'retention.ms=123456'],
    [configs, '--alter', ...topic, '--add-config', 'max.message.bytes=5000,cleanup.policy=[compact,delete]'],
    [configs, '--describe', ...topic],
    [configs, '--alter', ...topic, '--delete-config', 'retention.ms,flush.ms'],
    [configs, '--describe', '--topic', TOPIC],
    [configs, '--alter', ...topic, '--add-config', 'no.such.key=1'],
    [configs, '--alter', ...topic, '--add-config', 'retention.ms=abc'],
    [configs, '--alter', '--topic', 'none', '--add-config', 'retention.ms=5'],
    [configs, '--alter', ...broker, '--add-config', 'log.retention.ms=8640000,log.cleaner.threads=2'],
    [configs, '--alter', ...all, '--add-config', 'log.retention.ms=7640000'],
    [configs, '--describe', ...broker],
    [configs, '--describe', ...all],
    [configs, '--alter', ...broker, '--add-config', 'node.id=7'],
    [configs, '--alter', ...broker, '--delete-config', 'log.retention.ms,log.cleaner.threads'],
    [configs, '--alter', ...all, '--delete-config', 'log.retention.ms'],
    [configs, '--alter', ...loggers, '--add-config', 'root=WARN'],
    [configs, '--alter', ...loggers, '--add-config', 'none=WARN'],
    [`${tools}.LogDirsCommand`, '--describe', '--topic-list', TOPIC],
    [`${tools}.LogDirsCommand`, '--describe', '--broker-list', '1,2'],
    [elect, '--election-type', 'preferred', '--topic', TOPIC, '--partition', '0'],
    [elect, '--election-type', 'unclean', '--topic', TOPIC, '--partition', '7'],
    [elect, '--election-type', 'preferred', '--all-topic-partitions'],
    [reassign, '--generate', '--topics-to-move-json-file', 'MOVE', '--broker-list', '1'],
    [reassign, '--execute', '--throttle', '1000000', '--reassignment-json-file', 'REASSIGN'],
    [reassign, '--verify', '--reassignment-json-file', 'REASSIGN'],
    [reassign, '--execute', '--reassignment-json-file', 'ELSEWHERE'],
    [reassign, '--list'],
    [`${tools}.FeatureCommand`, 'upgrade', '--feature', 'none=1'],
    [`${tools}.TransactionsCommand`, 'describe-producers', '--topic', TOPIC, '--partition', '0'],
    [`${tools}.TopicCommand`, '--describe', '--topic', TOPIC],
  ];
}

/** The class moved after 4.0. */
function configCommand(jars: string): string {
  const inCore = readdirSync(jars).some((name) => /^kafka-tools-4\.0\./.test(name));
  return inCore ? 'kafka.admin.ConfigCommand' : 'org.apache.kafka.tools.ConfigCommand';
}

/** Output without addresses, directories, ids, stack traces, and the one setting that KRaft makes for itself (ELR). */
function comparable(output: string, side: Side): string {
  return (
    output
      .replaceAll(side.bootstrap, 'BOOTSTRAP')
      .replaceAll(side.dataDir, 'DIRECTORY')
      .replace(/TopicId: \S+/g, 'TopicId: ID')
      // How Scala writes a set, before that code became Java.
      .replace(/Set\(([^)]*)\)/g, '[$1]')
      .replace(/min\.insync\.replicas=1,/g, '')
      .split('\n')
      .filter((line) => !/^\s+at |^\s*\.\.\. \d+ more|SLF4J|StatusLogger|^ {2}min\.insync\.replicas=1 /.test(line))
      .sort()
      .join('\n')
  );
}

async function compare(checks: Checks, version: string, folder: string): Promise<void> {
  const jars = await kafkaJars(version);
  const [kafka, odradek] = await Promise.all([
    startReferenceKafka({ version }),
    startBrokerProcess({ overrides: ['node.id=1'] }),
  ]);
  const output = async ([main, ...words]: Command, side: Side): Promise<string> => {
    const named = words.map((word) => (word in FILES ? path.join(folder, word) : word));
    const java = [...JAVA_OPTIONS, '-cp', `${jars}/*`, main, '--bootstrap-server', side.bootstrap, ...named];
    const said = await run('sh', ['-c', 'exec java "$@" 2>&1', 'sh', ...java], { anyExit: true });
    return comparable(said, side);
  };
  try {
    for (const command of commands(configCommand(jars))) {
      if (version === WITHOUT_LOGGERS && command.includes('broker-loggers')) continue;
      const [main, ...words] = command;
      await checks.check(`${version} ${main.split('.').at(-1)} ${words.join(' ')}`, async () => {
        const [theirs, ours] = await Promise.all([output(command, kafka), output(command, odradek)]);
        expectSame(ours, theirs, main);
      });
    }
  } finally {
    await Promise.all([kafka.stop(), odradek.stop()]);
  }
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('java') || !commandExists('mvn')) {
    checks.skip('admin tools', 'java or mvn is not installed');
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'admin-tools-'));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(path.join(folder, name), JSON.stringify(content));
  try {
    for (const version of VERSIONS) await compare(checks, version, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

runChecks(suite);
