/**
 * Whether a stored batch is sound by itself: its checksum, and a walk over all of its records. Makes no object for a
 * record. (Kafka: DefaultRecordBatch.ensureValid, LogValidator.)
 */
import * as storedBatch from '../log/stored-batch';
import * as batchHeader from '../records/batch-header';
import { recordBytes, walkRecords } from '../records/batch-walk';
import { parseControlKey } from '../records/control-record';
import { keyAt } from '../records/record-codec';
import { isLegacyCrcValid, legacyRecords } from './legacy-records';

/** What is wrong with a whole batch, undefined when nothing is. */
export function batchDamage(batch: Buffer): string | undefined {
  return storedBatch.isV2(batch, 0) ? damageOfBatch(batch) : damageOfLegacy(batch);
}

function damageOfBatch(batch: Buffer): string | undefined {
  if (!batchHeader.isCrcValid(batch))
    return `wrong checksum: stored ${batchHeader.crc(batch)}, computed ${batchHeader.computeCrc(batch)}`;
  const bytes = recordBytes(batch);
  if (!bytes.ok) return `its records cannot be inflated: ${bytes.message ?? bytes.error}`;
  const span = batchHeader.lastOffsetDelta(batch);
  const baseTimestamp = batchHeader.baseTimestamp(batch);
  const isControl = batchHeader.isControl(batch);
  let lastDelta = -1;
  let largestMs = -1;
  let damage: string | undefined;
  const walked = walkRecords(bytes.value, batchHeader.recordCount(batch), (cursor) => {
    if (cursor.offsetDelta <= lastDelta || cursor.offsetDelta > span)
      damage ??= `record ${cursor.index} has offset delta ${cursor.offsetDelta}, after ${lastDelta}, within ${span}`;
    lastDelta = cursor.offsetDelta;
    largestMs = Math.max(largestMs, baseTimestamp + cursor.timestampDelta);
    if (isControl && parseControlKey(keyAt(cursor)) === undefined) damage ??= 'a control record without a type';
  });
  if (!walked.ok) return `its records are malformed: ${walked.error}`;
  const isCreateTime = batchHeader.timestampType(batch) === 'CreateTime';
  if (isCreateTime && largestMs > batchHeader.maxTimestamp(batch))
    damage ??= `a record has the time ${largestMs}, beyond the batch's largest, ${batchHeader.maxTimestamp(batch)}`;
  return damage;
}

function damageOfLegacy(batch: Buffer): string | undefined {
  if (!isLegacyCrcValid(batch)) return 'wrong checksum of a message of format 0 or 1';
  const records = legacyRecords(batch);
  if (!records.ok) return `its records are malformed: ${records.error}`;
  let last = -1;
  for (const { offset, isValid } of records.value) {
    if (!isValid) return `wrong checksum of the inner message at offset ${offset}`;
    if (offset <= last) return `inner messages out of order: ${offset} after ${last}`;
    last = offset;
  }
  return undefined;
}
