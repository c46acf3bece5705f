/**
 * Compares a message with Kafka's JSON of it. Owns the differences of form: Kafka leaves out what the version lacks
 * and tagged fields at their default, writes bytes as base64 and records as nothing at all.
 */
import { MAX_INT64, MIN_INT64 } from '../../src/codec/field-values';
import type { AnyMessage } from '../codegen/message-codecs';
import type { Field, Struct } from '../codegen/schema-model';

/** Fields that an older release calls by another name; the bytes have been compared in any case. */
const formerNames: ReadonlySet<string> = new Set([
  'TxnOffsetCommitRequest.generationId',
  'PartitionData.candidateEpoch',
  'PartitionData.candidateId',
  'PartitionData.candidateDirectoryId',
]);

/** What differs, as a path with both values; null: nothing that Kafka's JSON states. */
export function matchesJson(message: AnyMessage, json: Record<string, unknown>, struct: Struct): string | null {
  for (const [name, theirs] of Object.entries(json)) {
    const field = struct.fields.find((candidate) => candidate.name === name);
    if (formerNames.has(`${struct.name}.${name}`)) continue;
    if (field === undefined) return `no field ${name} in ${struct.name}`;
    const problem = matchesValue(message[name], theirs, field);
    if (problem !== null) return `${struct.name}.${name}: ${problem}`;
  }
  return null;
}

function matchesValue(ours: unknown, theirs: unknown, field: Field): string | null {
  if (!Array.isArray(theirs) || !Array.isArray(ours)) return matchesElement(ours, theirs, field);
  if (ours.length !== theirs.length) return `${ours.length} elements, Kafka has ${theirs.length}`;
  for (const [index, element] of theirs.entries()) {
    const problem = matchesElement(ours[index], element, field);
    if (problem !== null) return `[${index}] ${problem}`;
  }
  return null;
}

function matchesElement(ours: unknown, theirs: unknown, field: Field): string | null {
  if (field.element.kind === 'primitive' && field.element.primitive === 'records') return null;
  if (field.element.kind === 'struct' && ours !== null && theirs !== null)
    return matchesJson(ours as AnyMessage, theirs as Record<string, unknown>, field.element.struct);
  const isInt64 = field.element.kind === 'primitive' && field.element.primitive === 'int64';
  return plain(ours) === (isInt64 ? saturated(theirs) : theirs)
    ? null
    : `${String(plain(ours))}, Kafka has ${String(theirs)}`;
}

function plain(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}

/** JSON.parse has rounded Long.MAX_VALUE and Long.MIN_VALUE to ±2^63. */
function saturated(value: unknown): unknown {
  if (typeof value !== 'number' || Math.abs(value) < 2 ** 63) return value;
  return value > 0 ? MAX_INT64 : MIN_INT64;
}
