/**
 * Kafka's own tools, of the newest 4.x and of 4.0, side by side: the same commands against a real Kafka of that version
 * and against Odradek, and the same output and exit code from both. What may differ is named in `comparable.ts`.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, expectMatch, expectSame, runChecks } from '../../checks';
import { freePort } from '../../free-port';
import { startReferenceKafka } from '../../reference-kafka';
import { kafkaJars } from '../java/jars';
import { comparable } from './comparable';
import { Side } from './side';
import type { Step } from './step';
import { clientMetricsSteps } from './steps-client-metrics';
import { CLIENT_STEPS } from './steps-clients';
import { CONFIG_FILES, configSteps } from './steps-configs';
import { GROUP_STEPS } from './steps-groups';
import { PARTITION_FILES, PARTITION_STEPS } from './steps-partitions';
import { quotaSteps } from './steps-quotas';
import { TOPIC_STEPS } from './steps-topics';
import { ToolRunner } from './tool-runner';

const USAGE = `main.ts [--version V] [--only PART] [--all] [--show]
  V       4.4.0 or 4.0.2; both by default
  PART    topics, configs, quotas, client-metrics, groups, partitions or clients; all by default
  --all   also what waits for a minute
  --show  prints what was compared`;
const VERSIONS = ['4.4.0', '4.0.2'];
/**
 * A new KRaft cluster of 4.1 and later has eligible leader replicas, and for them sets `min.insync.replicas` of all
 * brokers when it is formatted. Without them it is like the others.
 */
const FORMAT_WORDS: Readonly<Record<string, readonly string[]>> = {
  '4.4.0': ['--feature', 'eligible.leader.replicas.version=0'],
};
/** How often steps that only look are tried: Kafka answers some changes before it shows them. */
const TRIES = 5;
const PAUSE_MS = 300;

const { values: options } = parseArgs({
  options: {
    version: { type: 'string' },
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The class moved after 4.0. */
function configCommand(jars: string): string {
  const inCore = readdirSync(jars).some((name) => /^kafka-tools-4\.0\./.test(name));
  return inCore ? 'kafka.admin.ConfigCommand' : 'ConfigCommand';
}

function looks({ words, start, stop }: Step): boolean {
  const changes = /^--(alter|create|delete|delete-offsets|reset-offsets|execute|max-messages)$/;
  return start === undefined && stop === undefined && !words.some((word) => changes.test(word));
}

async function compareStep(step: Step, kafka: Side, odradek: Side): Promise<void> {
  for (let tries = looks(step) ? TRIES : 1; ; tries--) {
    const [theirs, ours] = await Promise.all([kafka.perform(step), odradek.perform(step)]);
    const [expected, actual] = [comparable(theirs, kafka, step), comparable(ours, odradek, step)];
    if (options.show) console.log(`${actual}\n---- Kafka:\n${expected === actual ? 'the same' : expected}`);
    if (step.instead !== undefined) return expectMatch(actual, step.instead, step.main);
    if (expected === actual || tries === 1) return expectSame(actual, expected, step.main);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The parts of the comparison, by name, in the order in which they run. */
function parts(jars: string): Readonly<Record<string, readonly Step[]>> {
  return {
    topics: TOPIC_STEPS,
    configs: configSteps(configCommand(jars)),
    quotas: quotaSteps(configCommand(jars)),
    'client-metrics': clientMetricsSteps(configCommand(jars)),
    groups: GROUP_STEPS,
    partitions: PARTITION_STEPS,
    clients: CLIENT_STEPS,
  };
}

async function startBrokers(version: string) {
  const port = await freePort();
  // Told to clients as the other one is told; by itself Odradek tells the name of the address.
  const listener = `advertised.listeners=PLAINTEXT://127.0.0.1:${port}`;
  const kafka = await startReferenceKafka({ version, formatWords: FORMAT_WORDS[version] });
  return { kafka, odradek: await startBrokerProcess({ port, overrides: ['node.id=1', listener] }) };
}

async function compare(checks: Checks, version: string, folder: string): Promise<void> {
  const jars = await kafkaJars(version);
  const { kafka, odradek } = await startBrokers(version);
  const runners = [new ToolRunner(jars), new ToolRunner(jars)] as const;
  const side = (name: string, broker: { bootstrap: string; dataDir: string }, runner: ToolRunner): Side => {
    const files = path.join(folder, `${version}-${name}`);
    mkdirSync(files);
    const one = new Side({ bootstrap: broker.bootstrap, dataDir: broker.dataDir, runner, folder: files });
    one.writeFiles({ ...PARTITION_FILES, ...CONFIG_FILES });
    return one;
  };
  const sides = [side('kafka', kafka, runners[0]), side('odradek', odradek, runners[1])] as const;
  try {
    for (const [part, steps] of Object.entries(parts(jars))) {
      if (options.only !== undefined && options.only !== part) continue;
      for (const step of steps) {
        if (step.except?.includes(version) || (step.slow && !options.all)) continue;
        const name = `${step.start ?? ''}${step.stop ?? ''} ${step.main.split('.').at(-1)} ${step.words.join(' ')}`;
        await checks.check(`${version} ${name.trim().slice(0, 160)}`, () => compareStep(step, ...sides));
      }
    }
  } finally {
    for (const runner of runners) runner.close();
    await Promise.all([kafka.stop(), odradek.stop()]);
  }
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('javac') || !commandExists('mvn')) {
    checks.skip('admin tools', 'a Java development kit or mvn is not installed');
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'admin-tools-'));
  try {
    for (const version of VERSIONS) {
      if (options.version === undefined || options.version === version) await compare(checks, version, folder);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (options.help) console.log(USAGE);
else runChecks(suite);
