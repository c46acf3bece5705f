/**
 * A producer from before record batches: message sets of formats 0 and 1 by turns, some of them compressed, each sent
 * again until it is acknowledged.
 */
import { WireClient } from '../../src/testing/wire-client';
import { gzippedSet, type LegacyMessage, legacySet } from '../scenarios/batches';
import { stored } from '../scenarios/data-calls';
import type { Acknowledged, Load } from './loads';

const BATCH = 10;
const PAUSE_MS = 5;
const ABSENCE_PAUSE_MS = 50;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function messageSet(first: number): { records: Buffer; version: number } {
  const magic = (first / BATCH) % 2 === 0 ? 0 : 1;
  const messages = Array.from({ length: BATCH }, (_, at): LegacyMessage => {
    return { magic, offset: at, key: null, value: String(first + at), ...(magic === 1 && { timestamp: Date.now() }) };
  });
  const isCompressed = (first / BATCH) % 3 === 0;
  return { records: isCompressed ? gzippedSet(messages) : legacySet(messages), version: magic === 0 ? 0 : 2 };
}

export function startLegacyLoad(port: number, topic: string): Load {
  const acknowledged: Acknowledged = new Map();
  let client: WireClient | undefined;
  let isRunning = true;
  const send = async (first: number): Promise<boolean> => {
    try {
      if (client === undefined || client.raw.closed) client = await WireClient.connect(port);
      const offset = await stored(client, { topic, ...messageSet(first), acks: 1 });
      for (let at = 0; at < BATCH; at++) acknowledged.set(first + at, offset + at);
      return true;
    } catch {
      // The broker is away, or not yet the leader again: it will be.
      client?.close();
      client = undefined;
      return false;
    }
  };
  const running = (async () => {
    for (let first = 0; isRunning; ) {
      const isSent = await send(first);
      if (isSent) first += BATCH;
      await pause(isSent ? PAUSE_MS : ABSENCE_PAUSE_MS);
    }
    client?.close();
  })();
  return {
    topic,
    acknowledged,
    stop: async () => {
      isRunning = false;
      await running;
    },
  };
}
