/**
 * The container image without a container: what its Dockerfile says, and its start command run as it stands there, with
 * the environment of the compose examples that come with Kafka's own image.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { freePort } from '../free-port';

const ROOT = path.join(__dirname, '..', '..');
const DOCKERFILE = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
const READY = /^odradek \S+ ready (\S+) broker\.id=(\d+) cluster\.id=(\S+) in/m;
const CLUSTER_ID = '4L6g3nShT-eMCtK--X86sw';

/** Where the image keeps what is here at `ROOT`. */
const HOME = '/opt/odradek';

/** The words of an instruction in exec form, with the image's paths turned into this repository's. */
function execForm(instruction: string): string[] {
  const match = new RegExp(`^\\s*${instruction} (\\[.*\\])$`, 'm').exec(DOCKERFILE);
  if (!match) throw new Error(`the Dockerfile has no ${instruction} in exec form`);
  const words = JSON.parse(match[1]!) as string[];
  return words.map((word) => (word === 'node' ? process.execPath : word.replace(HOME, ROOT)));
}

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'odradek-docker-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Container {
  readonly child: ChildProcess;
  readonly environment: Readonly<Record<string, string>>;
  readonly brokerId: string;
  readonly clusterId: string;
  readonly listeners: string;
}

/** Starts the image's entry point in its working folder; resolves when the broker is ready. */
function startContainer(variables: Record<string, string>, args: readonly string[] = []): Promise<Container> {
  const [node, ...words] = execForm('ENTRYPOINT');
  const environment = {
    PATH: process.env.PATH ?? '',
    ODRADEK_CONFIG_FOLDER: path.join(folder, 'config'),
    ...variables,
  };
  const child = spawn(node!, [...words, ...args], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let output = '';
    const onData = (data: Buffer): void => {
      output += data.toString();
      const ready = READY.exec(output);
      if (!ready) return;
      const [, listeners, brokerId, clusterId] = ready as unknown as [string, string, string, string];
      resolve({ child, environment, listeners, brokerId, clusterId });
    };
    child.stdout!.on('data', onData);
    child.stderr!.on('data', onData);
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
}

function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  return ended;
}

function isHealthy({ environment }: Pick<Container, 'environment'>): boolean {
  const [node, ...words] = execForm('CMD');
  return spawnSync(node!, words, { env: environment, timeout: 10_000 }).status === 0;
}

async function send(port: number): Promise<string[]> {
  const brokers = [`localhost:${port}`];
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 2 } });
  const [producer, admin] = [kafka.producer(), kafka.admin()];
  await Promise.all([producer.connect(), admin.connect()]);
  await producer.send({ topic: 'greetings', messages: [{ value: 'hello' }] });
  const topics = await admin.listTopics();
  await Promise.all([producer.disconnect(), admin.disconnect()]);
  return topics;
}

describe('the Dockerfile', () => {
  it('copies what is there, and builds in a stage of its own', () => {
    const copies = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
      sources!.split(' '),
    );
    expect(copies).toEqual(expect.arrayContaining(['package.json', 'src', 'tools/build.js', 'docker']));
    expect(copies.filter((source) => !existsSync(path.join(ROOT, source)))).toEqual([]);
    expect(DOCKERFILE.match(/^FROM node:\d+-slim/gm)).toHaveLength(2);
    const ignored = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8');
    expect(copies.filter((source) => !ignored.includes(`!${source}\n`))).toEqual([]);
  });

  it('runs as an ordinary user whose process gets the signals, on a volume, with a health check', () => {
    const [before, after] = DOCKERFILE.split(/^USER node$/m);
    expect(before).toContain('chown -R node:node /var/lib/kafka');
    expect(after).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(DOCKERFILE).toMatch(/^VOLUME \["\/var\/lib\/kafka\/data", "\/mnt\/shared\/config"\]$/m);
    expect(DOCKERFILE).toMatch(/^WORKDIR \/var\/lib\/kafka$/m);
    expect(DOCKERFILE).toMatch(/^EXPOSE 9092 9404$/m);
    for (const words of [execForm('ENTRYPOINT'), execForm('CMD')]) expect(existsSync(words[1]!)).toBe(true);
  });
});

describe('the entry point', () => {
  it("serves with the environment of Kafka's compose example, is healthy, and stops on SIGTERM", async () => {
    const [host, inner, controller, metrics] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const container = await startContainer({
      KAFKA_NODE_ID: '7',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PLAINTEXT_HOST:PLAINTEXT',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT_HOST://localhost:${host},PLAINTEXT://localhost:${inner}`,
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: `1@broker:${controller}`,
      KAFKA_LISTENERS: `CONTROLLER://:${controller},PLAINTEXT_HOST://:${host},PLAINTEXT://:${inner}`,
      KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      CLUSTER_ID,
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
      KAFKA_LOG_DIRS: path.join(folder, 'kraft-combined-logs'),
      KAFKA_HEAP_OPTS: '-Xmx1g',
      KAFKA_LOG4J_ROOT_LOGLEVEL: 'WARN',
      KAFKA_ODRADEK_METRICS_LISTENER: `:${metrics}`,
    });
    expect(container).toMatchObject({ brokerId: '7', clusterId: CLUSTER_ID });
    expect(await send(host)).toEqual(['greetings']);
    expect(existsSync(path.join(folder, 'kraft-combined-logs', 'greetings-0'))).toBe(true);
    expect(isHealthy(container)).toBe(true);
    expect(await stop(container.child)).toBe(0);
    expect(existsSync(path.join(folder, 'kraft-combined-logs', '.kafka_cleanshutdown'))).toBe(true);
    expect(isHealthy(container)).toBe(false);
    expect(isHealthy({ environment: { KAFKA_ODRADEK_METRICS_LISTENER: '' } })).toBe(true);
  });

  it('takes a mounted file, stronger variables, and arguments KEY=VALUE; data go to ./data', async () => {
    const port = await freePort();
    mkdirSync(path.join(folder, 'config'));
    const file = `listeners=PLAINTEXT://:1\nadvertised.listeners=PLAINTEXT://localhost:${port}\nnum.partitions=5\n`;
    writeFileSync(path.join(folder, 'config', 'server.properties'), file);
    const variables = { KAFKA_LISTENERS: `PLAINTEXT://:${port}` };
    const container = await startContainer(variables, [
      'KAFKA_NODE_ID=3',
      '--override',
      'auto.create.topics.enable=true',
    ]);
    expect(container).toMatchObject({ brokerId: '3', listeners: `PLAINTEXT://localhost:${port}` });
    expect(await send(port)).toEqual(['greetings']);
    expect(existsSync(path.join(folder, 'data', 'greetings-4'))).toBe(true);
    expect(await stop(container.child)).toBe(0);
  });
});
