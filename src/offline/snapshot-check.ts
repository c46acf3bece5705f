/** Compares a producer snapshot with what the batches before its offset tell of producers. Pure. */
import { decodeSnapshot } from '../log/producer-snapshot';
import type { LogFacts } from './segment-facts';

export interface SnapshotDamage {
  readonly what: string;
  readonly isReadable: boolean;
}

/**
 * What is wrong with it, undefined when nothing is. Producers that only it knows are right where their batches are gone
 * (retention), those that it does not know where they had expired. Where compaction took markers away, the log no
 * longer tells which transactions are open.
 */
export function snapshotDamage(
  content: Buffer,
  { facts, offset, mayHaveGaps }: { facts: LogFacts; offset: number; mayHaveGaps: boolean },
): SnapshotDamage | undefined {
  const entries = decodeSnapshot(content);
  if (!entries) return { what: 'cannot be read: damaged', isReadable: false };
  const wrong = (what: string): SnapshotDamage => ({ what, isReadable: true });
  for (const stored of entries) {
    const { producerId, producerEpoch, transactionFirstOffset } = stored;
    const last = stored.batches.at(-1);
    if (last && last.lastOffset >= offset)
      return wrong(`producer ${producerId} has a batch at offset ${last.lastOffset}, behind the snapshot`);
    const known = facts.producers.get(producerId);
    if (!known) {
      if (last && last.lastOffset >= facts.firstOffset)
        return wrong(`producer ${producerId} has a batch at offset ${last.lastOffset} that the log does not have`);
      continue;
    }
    const knownLast = known.batches.at(-1);
    if (producerEpoch !== known.producerEpoch)
      return wrong(`producer ${producerId} has epoch ${producerEpoch}, and ${known.producerEpoch} by the log`);
    if (knownLast && last && (last.lastSequence !== knownLast.lastSequence || last.lastOffset !== knownLast.lastOffset))
      return wrong(
        `producer ${producerId} ends with sequence ${last.lastSequence} at offset ${last.lastOffset}, and by the log ` +
          `with ${knownLast.lastSequence} at ${knownLast.lastOffset}`,
      );
    const began = known.transactionFirstOffset;
    if (!mayHaveGaps && transactionFirstOffset !== began && transactionFirstOffset >= facts.firstOffset)
      return wrong(
        `producer ${producerId} has a transaction open from ${transactionFirstOffset}, and ${began} by the log`,
      );
  }
  return undefined;
}
