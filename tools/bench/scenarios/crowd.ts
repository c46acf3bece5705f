/**
 * Many of something: connections that do nothing, groups that heartbeat, partitions that clients ask for.
 * What each costs the broker in memory and CPU.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { newMetadataRequest, newMetadataRequestTopic } from '../../../src/codec/generated/03-metadata';
import { newApiVersionsRequest } from '../../../src/codec/generated/18-api-versions';
import { apis } from '../../../src/codec/generated/apis';
import { requestFrame, WireClient } from '../../../src/testing/wire-client';
import { cpuSeconds, residentMegabytes } from '../candidates';
import type { Figures } from '../figures';
import { joinGroups } from '../loads/joined-groups';
import { idle, requests } from '../loads/own-load';
import { type Broker, cost, type Scenario } from '../scenario';
import { createTopic, deleteTopic } from '../topic';

const MEGABYTE = 2 ** 20;
const SECONDS = 2;
const CLIENT_ID = 'load';

const IDLE_CONNECTIONS = 5000;
const IDLE_SECONDS = 3;
const SPARE_DESCRIPTORS = 500;

/** The broker inherits the limit of this process. */
function needDescriptors(pid: number, count: number): void {
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  const needed = count + SPARE_DESCRIPTORS;
  if (most < needed) throw new Error(`${needed} descriptors are needed, ulimit -n gives the broker ${most}`);
}

async function idleConnections(broker: Broker): Promise<Figures> {
  needDescriptors(broker.pid, IDLE_CONNECTIONS);
  const figures: Figures = new Map();
  const request = newApiVersionsRequest({ clientSoftwareName: 'load', clientSoftwareVersion: '1' });
  const frame = requestFrame({ api: apis.ApiVersions, version: 3, request }, 1, CLIENT_ID);
  const idleSeconds = Math.max(1, IDLE_SECONDS * broker.scale);
  const load = { port: broker.port, frame, connections: IDLE_CONNECTIONS, seconds: idleSeconds + 1 };
  const before = residentMegabytes(broker.pid);
  const { requests: answered, closed } = await idle(load, async () => {
    const used = cpuSeconds(broker.pid);
    const start = performance.now();
    await sleep(1000 * idleSeconds);
    const minutes = (performance.now() - start) / 60_000;
    figures.set('KB of memory for each', ((residentMegabytes(broker.pid) - before) * 1024) / IDLE_CONNECTIONS);
    figures.set('broker CPU-s/minute, idle', (cpuSeconds(broker.pid) - used) / minutes);
  });
  if (answered !== IDLE_CONNECTIONS) throw new Error(`${answered} of ${IDLE_CONNECTIONS} connections had an answer`);
  if (closed > 0) throw new Error(`the broker closed ${closed} of ${IDLE_CONNECTIONS} connections`);
  return figures;
}

const GROUPS = 1000;
/** Of each, which sends one each half second. */
const HEARTBEATS_PER_SECOND = 2;

async function heartbeats(broker: Broker): Promise<Figures> {
  needDescriptors(broker.pid, GROUPS);
  const figures: Figures = new Map();
  const groups = await joinGroups(broker.port, GROUPS);
  try {
    const { done } = await cost(broker, figures, async () => {
      const result = await requests({
        port: broker.port,
        frames: groups.heartbeats,
        isOwnFrame: true,
        connections: GROUPS,
        depth: 1,
        rate: GROUPS * HEARTBEATS_PER_SECOND,
        errorAt: groups.errorAt,
        seconds: SECONDS * broker.scale,
      });
      return { done: result, requests: result.requests };
    });
    figures.set('heartbeat p50, ms', done.latency.p50Us / 1000);
    figures.set('heartbeat p99, ms', done.latency.p99Us / 1000);
  } finally {
    await groups.leave();
  }
  return figures;
}

const METADATA = { topics: 50, partitions: 200, version: 12, connections: 4 };
const METADATA_TOPICS = Array.from({ length: METADATA.topics }, (_, at) => `crowd-metadata-${at}`);

async function metadata(broker: Broker): Promise<Figures> {
  const figures: Figures = new Map();
  const { partitions } = METADATA;
  for (const name of METADATA_TOPICS) await createTopic(broker.port, { name, partitions });
  const topics = METADATA_TOPICS.map((name) => newMetadataRequestTopic({ name }));
  const call = {
    api: apis.Metadata,
    version: METADATA.version,
    request: newMetadataRequest({ topics, allowAutoTopicCreation: false }),
  };
  const client = await WireClient.connect(broker.port);
  const answer = await client.call(call);
  client.close();
  const led = answer.topics.flatMap((topic) => topic.partitions.filter(({ errorCode }) => errorCode === 0)).length;
  const wanted = METADATA.topics * METADATA.partitions;
  if (led !== wanted) throw new Error(`the metadata tells of ${led} led partitions, not ${wanted}`);
  const { done } = await cost(broker, figures, async () => {
    const result = await requests({
      port: broker.port,
      frames: [requestFrame(call, 1, CLIENT_ID)],
      connections: METADATA.connections,
      depth: 1,
      seconds: SECONDS * broker.scale,
      isSameLength: true,
    });
    return { done: result, requests: result.requests };
  });
  figures.set('requests/s', done.requests / done.seconds);
  figures.set('MB/s', done.receivedBytes / MEGABYTE / done.seconds);
  figures.set('p99, ms', done.latency.p99Us / 1000);
  await Promise.all(METADATA_TOPICS.map((name) => deleteTopic(broker.port, name)));
  return figures;
}

export const crowd: readonly Scenario[] = [
  { group: 'crowd', name: '5,000 idle connections', needs: ['cc'], run: idleConnections },
  { group: 'crowd', name: '1,000 groups heartbeating', needs: ['cc'], run: heartbeats },
  { group: 'crowd', name: 'metadata with 10,000 partitions', needs: ['cc'], run: metadata },
];
