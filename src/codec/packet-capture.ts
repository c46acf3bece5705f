/**
 * Streams of bytes out of a packet capture (`tcpdump -w`): the files pcap and pcapng, Ethernet, Linux "any" and
 * loopback devices, IPv4 and IPv6, TCP. Owns putting segments in order; what the bytes mean is for others. Only what
 * was captured whole counts: a stream ends at its first gap, and one that begins in the middle of a connection is
 * taken from its first segment on.
 */

/** One direction of a connection. */
export interface CapturedStream {
  /** `address:port` of who sends, and of who receives. */
  readonly from: string;
  readonly to: string;
  /** Pieces in order, each with the place of its packet in the capture. */
  readonly pieces: readonly { readonly bytes: Buffer; readonly packet: number }[];
}

interface Segment {
  readonly sequence: number;
  readonly isStart: boolean;
  readonly bytes: Buffer;
  readonly packet: number;
}

interface Packet {
  readonly linkType: number;
  readonly bytes: Buffer;
}

const PCAP_MAGICS = new Set([0xa1b2c3d4, 0xa1b23c4d]);
const PCAPNG_SECTION = 0x0a0d0d0a;
const PCAPNG_ORDER = 0x1a2b3c4d;
const INTERFACE_BLOCK = 1;
const SIMPLE_PACKET_BLOCK = 3;
const ENHANCED_PACKET_BLOCK = 6;

const TCP = 6;
const ETHER_IPV4 = 0x0800;
const ETHER_IPV6 = 0x86dd;
const ETHER_VLANS: ReadonlySet<number> = new Set([0x8100, 0x88a8]);
const FIN = 1;
const SYN = 2;
const TWO_32 = 4294967296;

/** Whether the file says that it is a packet capture. */
export function isPacketCapture(file: Buffer): boolean {
  if (file.length < 24) return false;
  const first = file.readUInt32BE(0);
  return first === PCAPNG_SECTION || PCAP_MAGICS.has(first) || PCAP_MAGICS.has(file.readUInt32LE(0));
}

/** All TCP streams with content, in the order of their first packets. */
export function capturedStreams(file: Buffer): CapturedStream[] {
  const packets = file.readUInt32BE(0) === PCAPNG_SECTION ? pcapngPackets(file) : pcapPackets(file);
  const streams = new Map<string, { from: string; to: string; segments: Segment[] }>();
  for (const [index, packet] of packets.entries()) {
    const found = segmentOf(packet, index);
    if (found === undefined) continue;
    const { from, to, segment } = found;
    const stream = streams.get(`${from} ${to}`) ?? { from, to, segments: [] };
    streams.set(`${from} ${to}`, stream);
    stream.segments.push(segment);
  }
  return [...streams.values()]
    .map(({ from, to, segments }) => ({ from, to, pieces: inOrder(segments) }))
    .filter(({ pieces }) => pieces.length > 0);
}

function pcapPackets(file: Buffer): Packet[] {
  const isLittle = PCAP_MAGICS.has(file.readUInt32LE(0));
  const uint32 = (at: number): number => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  // The upper bits of the link type are flags.
  const linkType = uint32(20) & 0xffff;
  const packets: Packet[] = [];
  for (let at = 24; at + 16 <= file.length; ) {
    const size = uint32(at + 8);
    packets.push({ linkType, bytes: file.subarray(at + 16, at + 16 + size) });
    at += 16 + size;
  }
  return packets;
}

function pcapngPackets(file: Buffer): Packet[] {
  const packets: Packet[] = [];
  let linkTypes: number[] = [];
  let isLittle = true;
  const uint32 = (at: number): number => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  for (let at = 0; at + 12 <= file.length; ) {
    if (file.readUInt32BE(at) === PCAPNG_SECTION) {
      isLittle = file.readUInt32LE(at + 8) === PCAPNG_ORDER;
      linkTypes = [];
    }
    const type = uint32(at);
    const size = uint32(at + 4);
    if (size < 12 || at + size > file.length) break;
    if (type === INTERFACE_BLOCK) linkTypes.push(isLittle ? file.readUInt16LE(at + 8) : file.readUInt16BE(at + 8));
    const isEnhanced = type === ENHANCED_PACKET_BLOCK && size >= 32;
    if (isEnhanced || (type === SIMPLE_PACKET_BLOCK && size >= 16)) {
      const start = at + (isEnhanced ? 28 : 12);
      const kept = isEnhanced ? uint32(at + 20) : Math.min(uint32(at + 8), size - 16);
      const linkType = linkTypes[isEnhanced ? uint32(at + 8) : 0] ?? 1;
      packets.push({ linkType, bytes: file.subarray(start, Math.min(start + kept, at + size - 4)) });
    }
    at += size;
  }
  return packets;
}

/** The bytes from the IP header on; undefined where there is none. */
function networkLayer({ linkType, bytes }: Packet): Buffer | undefined {
  switch (linkType) {
    case 0:
    case 108:
      return bytes.subarray(4);
    case 1: {
      let at = 12;
      while (at + 2 <= bytes.length && ETHER_VLANS.has(bytes.readUInt16BE(at))) at += 4;
      const type = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0;
      return type === ETHER_IPV4 || type === ETHER_IPV6 ? bytes.subarray(at + 2) : undefined;
    }
    case 12:
    case 101:
    case 228:
    case 229:
      return bytes;
    case 113:
      return bytes.subarray(16);
    case 276:
      return bytes.subarray(20);
    default:
      return undefined;
  }
}

interface Transport {
  readonly source: string;
  readonly target: string;
  readonly bytes: Buffer;
}

function transportLayer(bytes: Buffer): Transport | undefined {
  const version = (bytes[0] ?? 0) >> 4;
  if (version === 4 && bytes.length >= 20) {
    const size = bytes.readUInt16BE(2);
    // 0 where the network card cuts large packets itself.
    const end = size === 0 ? bytes.length : Math.min(size, bytes.length);
    if (bytes[9] !== TCP || (bytes.readUInt16BE(6) & 0x1fff) !== 0) return undefined;
    const [source, target] = [bytes.subarray(12, 16).join('.'), bytes.subarray(16, 20).join('.')];
    return { source, target, bytes: bytes.subarray((bytes[0]! & 15) * 4, end) };
  }
  if (version !== 6 || bytes.length < 40 || bytes[6] !== TCP) return undefined;
  const address = (at: number): string => `[${(bytes.toString('hex', at, at + 16).match(/..../g) ?? []).join(':')}]`;
  const size = bytes.readUInt16BE(4);
  const end = size === 0 ? bytes.length : Math.min(40 + size, bytes.length);
  return { source: address(8), target: address(24), bytes: bytes.subarray(40, end) };
}

function segmentOf(packet: Packet, index: number): { from: string; to: string; segment: Segment } | undefined {
  const network = networkLayer(packet);
  const transport = network && transportLayer(network);
  if (transport === undefined || transport.bytes.length < 20) return undefined;
  const { source, target, bytes } = transport;
  const flags = bytes[13]!;
  const isStart = (flags & SYN) !== 0;
  const content = bytes.subarray((bytes[12]! >> 4) * 4);
  if (content.length === 0 && !isStart && (flags & FIN) === 0) return undefined;
  return {
    from: `${source}:${bytes.readUInt16BE(0)}`,
    to: `${target}:${bytes.readUInt16BE(2)}`,
    segment: { sequence: bytes.readUInt32BE(4), isStart, bytes: isStart ? Buffer.alloc(0) : content, packet: index },
  };
}

/** Content without what came twice, up to the first gap. */
function inOrder(segments: readonly Segment[]): { bytes: Buffer; packet: number }[] {
  const first = segments.find((segment) => segment.isStart);
  const origin = first === undefined ? segments[0]!.sequence : (first.sequence + 1) % TWO_32;
  const placed = segments
    .filter((segment) => segment.bytes.length > 0)
    // Numbers wrap around; what seems far ahead came before the first.
    .map((segment) => ({ ...segment, at: ((segment.sequence - origin + 1.5 * TWO_32) % TWO_32) - TWO_32 / 2 }))
    .sort((a, b) => a.at - b.at || a.packet - b.packet);
  const pieces: { bytes: Buffer; packet: number }[] = [];
  let next = first === undefined ? (placed[0]?.at ?? 0) : 0;
  for (const { at, bytes, packet } of placed) {
    if (at > next) break;
    if (at + bytes.length <= next) continue;
    // A piece is known when all before it is.
    const known = Math.max(packet, pieces.at(-1)?.packet ?? 0);
    pieces.push({ bytes: bytes.subarray(next - at), packet: known });
    next = at + bytes.length;
  }
  return pieces;
}
