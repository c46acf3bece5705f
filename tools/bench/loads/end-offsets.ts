/**
 * Where the partitions of a topic end, and thereby whether they are served: Kafka takes requests for a new partition
 * a moment after its metadata names a leader.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  newListOffsetsPartition,
  newListOffsetsRequest,
  newListOffsetsTopic,
} from '../../../src/codec/generated/02-list-offsets';
import { apis } from '../../../src/codec/generated/apis';
import { WireClient } from '../../../src/testing/wire-client';
import type { TopicPlan } from '../topic';

const VERSION = 1;
const END = -1;
const CONSUMER = -1;
const ATTEMPTS = 600;
const PAUSE_MS = 50;

/** Undefined when one of the partitions is not served. */
async function list(client: WireClient, { name, partitions }: TopicPlan): Promise<number[] | undefined> {
  const wanted = Array.from({ length: partitions }, (_, partitionIndex) =>
    newListOffsetsPartition({ partitionIndex, timestamp: END }),
  );
  const topics = [newListOffsetsTopic({ name, partitions: wanted })];
  const request = newListOffsetsRequest({ replicaId: CONSUMER, topics });
  const answer = await client.call({ api: apis.ListOffsets, version: VERSION, request });
  const ends = new Array<number>(partitions);
  for (const { partitionIndex, errorCode, offset } of answer.topics[0]?.partitions ?? []) {
    if (errorCode !== 0) return undefined;
    ends[partitionIndex] = offset;
  }
  return ends;
}

/** By partition; waits until all are served, at most half a minute. */
export async function endOffsets(port: number, topic: TopicPlan): Promise<number[]> {
  const client = await WireClient.connect(port);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const ends = await list(client, topic);
      if (ends !== undefined) return ends;
      await sleep(PAUSE_MS);
    }
    throw new Error(`not all partitions of ${topic.name} are served`);
  } finally {
    client.close();
  }
}
