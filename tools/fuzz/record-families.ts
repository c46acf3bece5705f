/**
 * Families of decoders in `src/records` and `src/log`: batches, message sets, decompressors. Checksums that the broker
 * tests first are put right in half of the inputs, or nothing behind them would ever be reached.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { checkAppend } from '../../src/log/append-check';
import * as batchHeader from '../../src/records/batch-header';
import { batchesText } from '../../src/records/batch-text';
import { crc32 } from '../../src/records/checksum';
import { Codec, compress, decompress, decompressFormat0 } from '../../src/records/compression';
import { decompressLz4, portableLz4 } from '../../src/records/compression-lz4';
import { decompressSnappy, portableSnappy } from '../../src/records/compression-snappy';
import { decompressZstd, loadWasmZstd, nodeZstd, portableZstd } from '../../src/records/compression-zstd';
import { libraryZstd } from '../../src/records/compression-zstd-library';
import { endTransactionMarkerOf } from '../../src/records/control-record';
import { convertDown } from '../../src/records/down-conversion';
import { convertUp } from '../../src/records/message-set';
import { decodeRecords } from '../../src/records/record-codec';
import { logConfig } from '../../src/testing/log-fixture';
import type { Family, Outcome, Target } from './family';

const LONGEST_ORIGINAL = 1200;
const MAX_INFLATED = 1 << 20;
const NOW_MS = 1_700_000_000_000;
const MESSAGE_SET_CRC = 12;
const CONVERSION_TURNS = 50;
const TEXT_TURNS = 20;

interface Vector {
  readonly name: string;
  readonly bytes: Buffer;
  readonly magic: number;
}

function vectors(): Vector[] {
  const file = path.resolve(__dirname, '../../protocol/vectors/batches.jsonl.gz');
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { name: string; hex: string; batches: { magic: number }[] })
    .map(({ name, hex, batches }) => ({ name, bytes: Buffer.from(hex, 'hex'), magic: batches[0]!.magic }))
    .filter(({ bytes }) => bytes.length <= LONGEST_ORIGINAL);
}

function outcome(result: { readonly ok: boolean }): Outcome {
  return result.ok ? 'read' : 'refused';
}

const context = { config: logConfig({ maxMessageBytes: 1 << 20 }), nowMs: NOW_MS, origin: 'client' } as const;

/** Every second input has the checksum of its first batch put right. */
function batchTarget({ name, bytes: original }: Vector): Target {
  let turn = 0;
  const feed = (bytes: Buffer): Outcome => {
    turn++;
    const isWhole = bytes.length >= batchHeader.HEADER_SIZE && batchHeader.sizeInBytes(bytes) === bytes.length;
    if (isWhole && turn % 2 === 0) batchHeader.recomputeCrc(bytes);
    if (!isWhole || turn % 2 === 0) return outcome(checkAppend(Buffer.from(bytes), context));
    // Conversions compress again, which takes most of the time there is.
    if (turn % CONVERSION_TURNS === 1) convertDown(bytes, { toMagic: (turn & 2) === 0 ? 0 : 1, firstOffset: 0 });
    if (turn % TEXT_TURNS === 1) batchesText(bytes);
    if (batchHeader.isControl(bytes)) endTransactionMarkerOf(bytes);
    return outcome(decodeRecords(bytes, 0, MAX_INFLATED));
  };
  return { name, original, feed };
}

function messageSetTarget({ name, bytes: original }: Vector): Target {
  let turn = 0;
  const feed = (bytes: Buffer): Outcome => {
    turn++;
    const size = bytes.length >= MESSAGE_SET_CRC + 4 ? bytes.readInt32BE(MESSAGE_SET_CRC - 4) : 0;
    if (turn % 2 === 0 && size > 4 && size <= bytes.length - MESSAGE_SET_CRC)
      bytes.writeUInt32BE(crc32(bytes.subarray(MESSAGE_SET_CRC + 4, MESSAGE_SET_CRC + size)), MESSAGE_SET_CRC);
    if (turn % TEXT_TURNS === 1) batchesText(bytes);
    const up = convertUp(bytes, MAX_INFLATED);
    if (up.ok && up.value.batch !== null) decodeRecords(up.value.batch, 0, MAX_INFLATED);
    return outcome(up);
  };
  return { name, original, feed };
}

type Decompress = (data: Buffer, maxBytes: number) => { readonly ok: boolean; readonly value?: Buffer };

function decompressorTargets(name: string, original: Buffer, inflate: Decompress): Target {
  const feed = (bytes: Buffer): Outcome => {
    const limit = bytes.length % 2 === 0 ? MAX_INFLATED : 100;
    const result = inflate(bytes, limit);
    if (result.value !== undefined && result.value.length > limit) throw new Error('more than is allowed');
    return outcome(result);
  };
  return { name, original, feed };
}

async function decompressors(): Promise<Target[]> {
  const content = Buffer.concat([
    Buffer.from('some words that come again, some words that come again'),
    Buffer.alloc(300),
  ]);
  const wasm = await loadWasmZstd();
  const zstds = [nodeZstd(), libraryZstd(), wasm, portableZstd()].filter((one) => one !== undefined);
  const implementations: [string, Codec, Decompress][] = [
    ['gzip', Codec.gzip, (data, most) => decompress(Codec.gzip, data, most)],
    ['snappy', Codec.snappy, (data, most) => decompress(Codec.snappy, data, most)],
    ['snappy, portable', Codec.snappy, (data, most) => decompressSnappy(data, most, portableSnappy)],
    ['lz4', Codec.lz4, (data, most) => decompress(Codec.lz4, data, most)],
    ['lz4 of format 0', Codec.lz4, (data, most) => decompressFormat0(Codec.lz4, data, most)],
    ['lz4, portable', Codec.lz4, (data, most) => decompressLz4(data, most, { implementation: portableLz4 })],
    ...zstds.map((one, index): [string, Codec, Decompress] => [
      `zstd ${index}`,
      Codec.zstd,
      (data, most) => decompressZstd(data, most, [one, portableZstd()]),
    ]),
  ];
  const kafka = vectors().filter((vector) => vector.magic === 2 && !vector.name.includes('none'));
  return implementations.flatMap(([name, codec, inflate]) => {
    const originals = kafka
      .filter(({ bytes }) => batchHeader.codec(bytes) === codec)
      .map(({ bytes }) => bytes.subarray(batchHeader.HEADER_SIZE, batchHeader.sizeInBytes(bytes)));
    const ours = codec === Codec.zstd ? wasm.compress(content, 3) : compress(codec, content);
    return [...originals, ours!].map((original) => decompressorTargets(name, original, inflate));
  });
}

export async function recordFamilies(): Promise<Family[]> {
  const all = vectors();
  return [
    { name: 'batches', targets: all.filter((vector) => vector.magic === 2).map(batchTarget) },
    { name: 'message-sets', targets: all.filter((vector) => vector.magic < 2).map(messageSetTarget) },
    { name: 'decompressors', targets: await decompressors() },
  ];
}
