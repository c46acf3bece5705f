/** Families of decoders in `src/codec` and `src/net`: messages, internal records, headers, frames, captures. */

import { SlabMemory } from '../../src/base/slab-memory';
import { capturedFrames } from '../../src/codec/captured-frames';
import { Conversation } from '../../src/codec/conversation';
import { apis } from '../../src/codec/generated/apis';
import { decodeRequestHeader, decodeResponseHeader, encodeRequestHeader } from '../../src/codec/header';
import { MalformedMessage } from '../../src/codec/malformed';
import { capturedStreams, isPacketCapture } from '../../src/codec/packet-capture';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { FrameReader } from '../../src/net/frame-reader';
import { ipv4Packet, ipv6Packet, pcapFile, pcapngFile } from '../../src/testing/packet-file';
import { readVectors } from '../capture-vectors/message-vectors';
import { type MessageCodec, messageCodecs } from '../codegen/message-codecs';
import type { Family, Outcome, Target } from './family';
import { Noise } from './mutator';

/** Of well-formed inputs; longer ones only make the run slow. */
const LONGEST_ORIGINAL = 2000;
const KINDS: ReadonlySet<string> = new Set(['filled', 'nulls', 'maximal', 'random1', 'random2', 'tags']);
const LARGEST_FRAME = 100_000;

/** `decode` may throw the one error, nothing else, and must not read past the end. */
function attempt(bytes: Buffer, decode: (reader: Reader) => unknown): Outcome {
  const reader = new Reader(bytes);
  try {
    decode(reader);
  } catch (failure) {
    if (failure instanceof MalformedMessage) return 'refused';
    throw failure;
  }
  if (reader.remaining < 0) throw new Error('read past the end');
  return 'read';
}

function vectorTargets(codecs: readonly MessageCodec[]): Target[] {
  const byName = new Map(codecs.map((codec) => [codec.name, codec]));
  const targets: Target[] = [];
  for (const source of new Set(codecs.map((codec) => codec.source)))
    for (const { message, version, kind, hex } of readVectors(source)) {
      const codec = byName.get(message);
      const original = Buffer.from(hex, 'hex');
      if (codec === undefined || !KINDS.has(kind) || original.length > LONGEST_ORIGINAL) continue;
      targets.push({
        name: `${message} v${version}`,
        original,
        feed: (bytes) => attempt(bytes, (reader) => codec.decode(reader, version)),
      });
    }
  return targets;
}

function headerTargets(): Target[] {
  return Object.values(apis).flatMap((api) => {
    const versions = [api.minVersion, api.newestKnownVersion];
    return versions.map((apiVersion): Target => {
      const writer = new Writer();
      encodeRequestHeader(writer, { api, apiVersion, correlationId: 7 }, 'client');
      const feed = (bytes: Buffer): Outcome => {
        const request = attempt(bytes, () => decodeRequestHeader(bytes));
        return attempt(bytes, (reader) => decodeResponseHeader(reader, api, apiVersion)) === 'read'
          ? request
          : 'refused';
      };
      return { name: `header of ${api.name} v${apiVersion}`, original: writer.finishBuffer(), feed };
    });
  });
}

/** A stream of frames in pieces of any size: what comes out is what went in, and nothing waits for a false length. */
function frameTarget(): Target {
  const noise = new Noise(4);
  const sizes = [0, 5, 100, 900];
  const original = Buffer.concat(
    sizes.flatMap((size) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(size);
      return [length, Buffer.alloc(size, 7)];
    }),
  );
  const feed = (stream: Buffer): Outcome => {
    const reader = new FrameReader(LARGEST_FRAME, new SlabMemory());
    const bytes = Buffer.from(stream);
    let taken = 0;
    for (let at = 0; at < bytes.length && reader.invalidLength === undefined; ) {
      const end = Math.min(bytes.length, at + 1 + noise.below(400));
      reader.push(bytes.subarray(at, end));
      at = end;
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        const stated = bytes.readInt32BE(taken);
        if (stated !== frame.length || !frame.equals(bytes.subarray(taken + 4, taken + 4 + stated)))
          throw new Error(`another frame at ${taken}`);
        taken += 4 + stated;
      }
      if (reader.bufferedBytes > at) throw new Error('more bytes than came');
    }
    return reader.invalidLength === undefined ? 'read' : 'refused';
  };
  return { name: 'frames', original, feed };
}

/** Packet captures, of which everything may be damaged: file, headers, segments. */
function packetTargets(): Target[] {
  const content = Buffer.from('0000000b0012000000000001000163', 'hex');
  const segments = [1, 16, 31].map((sequence) => ({ from: 5000, to: 9092, sequence, content }));
  const files = [pcapFile, pcapngFile].flatMap((make) =>
    [ipv4Packet, ipv6Packet].map((packet) => make(segments.map(packet), { linkType: 101 })),
  );
  return files.map((original) => ({
    name: 'packets',
    original,
    feed: (bytes) => {
      if (!isPacketCapture(bytes)) return 'refused';
      return capturedStreams(bytes).length > 0 ? 'read' : 'refused';
    },
  }));
}

/** Frames of unknown direction, as `odradek decode` takes them. */
function captureTargets(targets: readonly Target[]): Target[] {
  return targets.map(({ name, original }) => ({
    name: `capture of ${name}`,
    original,
    feed: (bytes) => {
      // A copy: a capture of printable bytes alone is read as hex, which has an error of its own.
      const frames = bytes.includes(0) ? capturedFrames(Buffer.from(bytes)) : [];
      const conversation = new Conversation({ api: apis.Fetch as never, version: 12 });
      const understood = frames.map((frame) => conversation.add(frame).kind);
      return understood.includes('unknown') ? 'refused' : 'read';
    },
  }));
}

export function messageFamilies(): Family[] {
  const codecs = messageCodecs();
  const headers = headerTargets();
  return [
    { name: 'messages', targets: vectorTargets(codecs.filter((codec) => codec.api !== null)) },
    { name: 'internal-records', targets: vectorTargets(codecs.filter((codec) => codec.api === null)) },
    { name: 'headers', targets: headers },
    { name: 'frames', targets: [frameTarget()] },
    { name: 'captures', targets: captureTargets(headers) },
    { name: 'packets', targets: packetTargets() },
  ];
}
