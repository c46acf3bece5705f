/**
 * A real Apache Kafka, one KRaft node, to compare with: started from Maven's jars with the JVM flags of Kafka's own
 * start script. Owns its process and, unless one is given, its data directory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from './checks';
import { kafkaJars } from './clients/java/jars';
import { freePort } from './free-port';

const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qg';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** What kafka-run-class and kafka-server-start give the broker when nothing else is said. */
const JVM_FLAGS = [
  '-Xmx1G',
  '-Xms1G',
  '-server',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-Djava.awt.headless=true',
];

const LOG4J = [
  'log4j.rootLogger=INFO, out',
  'log4j.appender.out=org.apache.log4j.ConsoleAppender',
  'log4j.appender.out.layout=org.apache.log4j.PatternLayout',
  'log4j.appender.out.layout.ConversionPattern=%p %m (%c)%n',
];

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ReferenceOptions {
  readonly version: string;
  /** Kept when the broker ends; it is formatted if it is empty. */
  readonly dataDir?: string;
  /** `key=value` of server.properties. */
  readonly overrides?: readonly string[];
  /** More words for the formatting of its storage. */
  readonly formatWords?: readonly string[];
}

export interface ReferenceKafka {
  readonly bootstrap: string;
  readonly pid: number;
  readonly dataDir: string;
  /** From the command to the line that says it has started. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

function serverProperties(at: { dataDir: string; port: number; controllerPort: number }): string[] {
  const { dataDir, port, controllerPort } = at;
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'controller.listener.names=CONTROLLER',
    `log.dirs=${dataDir}`,
    'offsets.topic.replication.factor=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
  ];
}

/** Starts it and resolves when it serves. */
export async function startReferenceKafka(options: ReferenceOptions): Promise<ReferenceKafka> {
  const jars = await kafkaJars(options.version);
  const home = mkdtempSync(path.join(tmpdir(), 'kafka-reference-'));
  const dataDir = options.dataDir ?? path.join(home, 'data');
  const [port, controllerPort] = [await freePort(), await freePort()];
  const file = path.join(home, 'server.properties');
  const properties = [...serverProperties({ dataDir, port, controllerPort }), ...(options.overrides ?? [])];
  writeFileSync(file, `${properties.join('\n')}\n`);
  // Kafka before 4.0 logs through log4j, which says nothing unless it is told where.
  const log4j = path.join(home, 'log4j.properties');
  writeFileSync(log4j, LOG4J.join('\n'));
  const logging = [
    `-Dlog4j.configuration=file:${log4j}`,
    '-Dorg.slf4j.simpleLogger.logFile=System.out',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=info',
  ];
  const classPath = ['-cp', `${jars}/*`];
  await run('java', [
    ...classPath,
    'kafka.tools.StorageTool',
    'format',
    '-t',
    CLUSTER_ID,
    '-c',
    file,
    '--ignore-formatted',
    ...(options.formatWords ?? []),
  ]);
  const startedMs = performance.now();
  const child = spawn('java', [...JVM_FLAGS, ...logging, ...classPath, 'kafka.Kafka', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void ended.then(() => running.delete(child));
  await untilStarted(child, ended);
  return {
    bootstrap: `127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    dataDir,
    readyMs: performance.now() - startedMs,
    stop: async () => {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function untilStarted(child: ChildProcess, ended: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`Kafka did not start in ${START_TIMEOUT_MS} ms\n${said.slice(-3000)}`));
    }, START_TIMEOUT_MS);
    const onOutput = (data: Buffer): void => {
      said = (said + data.toString()).slice(-20_000);
      if (!/Kafka Server started/.test(said)) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    void ended.then(() => {
      clearTimeout(late);
      reject(new Error(`Kafka ended before it had started\n${said.slice(-3000)}`));
    });
  });
}
