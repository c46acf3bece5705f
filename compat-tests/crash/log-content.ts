/** What a topic's only partition holds, read with plain requests: every batch with its checksum, from the log start. */
import { WireClient } from '../../src/testing/wire-client';
import { recordsIn } from '../scenarios/batches';
import { EARLIEST, fetchAll, listOffset } from '../scenarios/data-calls';

export interface StoredNumber {
  readonly number: number;
  readonly offset: number;
  readonly key: string | null;
  readonly isTombstone: boolean;
}

export interface LogContent {
  readonly startOffset: number;
  readonly records: readonly StoredNumber[];
}

/** The header that tells the number of a record, so that one without a value has one too. */
export const NUMBER_HEADER = 'n';

export async function withClient<T>(port: number, run: (client: WireClient) => Promise<T>): Promise<T> {
  const client = await WireClient.connect(port);
  try {
    return await run(client);
  } finally {
    client.close();
  }
}

export async function startOffsetOf(client: WireClient, topic: string): Promise<number> {
  return (await listOffset(client, { topic, timestamp: EARLIEST })).offset;
}

/** Throws for a batch that cannot be read, and where offsets do not rise. */
export function readLog(port: number, topic: string): Promise<LogContent> {
  return withClient(port, async (client) => {
    const startOffset = await startOffsetOf(client, topic);
    const records = recordsIn(await fetchAll(client, { topic, offset: startOffset })).map((record): StoredNumber => {
      const header = record.headers.find(({ key }) => key === NUMBER_HEADER)?.value;
      return {
        number: Number((header ?? record.value)?.toString()),
        offset: record.offset,
        key: record.key?.toString() ?? null,
        isTombstone: record.value === null,
      };
    });
    records.forEach(({ offset }, at) => {
      if (at > 0 && offset <= records[at - 1]!.offset) throw new Error(`${topic}: offset ${offset} does not rise`);
    });
    return { startOffset, records: records.filter(({ offset }) => offset >= startOffset) };
  });
}
