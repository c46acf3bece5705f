/**
 * Control records as the text that ends their line in a dump. Owns the form, which is Kafka's. (Kafka:
 * DumpLogSegments.printControlRecord.)
 */
import { recordMessages } from '../codec/generated/record-messages';
import { MalformedMessage } from '../codec/malformed';
import { messageToJson } from '../codec/message-json';
import { Reader } from '../codec/reader';
import { ControlType, parseControlKey } from '../records/control-record';

/** By control type: how the record is announced, and its schema. */
const DESCRIBED: Readonly<Record<number, readonly [label: string, message: string]>> = {
  2: ['LeaderChange:', 'LeaderChangeMessage'],
  3: ['SnapshotHeader', 'SnapshotHeaderRecord'],
  4: ['SnapshotFooter', 'SnapshotFooterRecord'],
  5: ['KRaftVersion', 'KRaftVersionRecord'],
  6: ['KRaftVoters', 'VotersRecord'],
};

export function controlRecordText({ key, value }: { key: Buffer | null; value: Buffer | null }): string {
  const type = parseControlKey(key)?.type;
  if (type === undefined) return 'controlType: UNKNOWN(-1)';
  try {
    const reader = new Reader(value ?? Buffer.alloc(0));
    if (type === ControlType.abort || type === ControlType.commit) {
      reader.int16();
      const name = type === ControlType.commit ? 'COMMIT' : 'ABORT';
      return `endTxnMarker: ${name} coordinatorEpoch: ${reader.int32()}`;
    }
    const described = DESCRIBED[type];
    if (!described) return `controlType: UNKNOWN(${type})`;
    const [label, name] = described;
    const { shape, decode } = recordMessages[name]!;
    // Each begins with its own version.
    const version = reader.int16();
    reader.position = 0;
    return `${label} ${JSON.stringify(messageToJson(decode(reader, version), shape, version))}`;
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return `controlType: ${type}, malformed: ${error.message}`;
  }
}
