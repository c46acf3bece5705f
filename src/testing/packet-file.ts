/** Packet captures made by hand: TCP segments in IP packets in the file formats of capturing tools. */

export interface TcpSegment {
  readonly from: number;
  readonly to: number;
  readonly sequence: number;
  readonly content?: Buffer;
  readonly isStart?: boolean;
}

/** An IPv4 packet between ports of 127.0.0.1. */
export function ipv4Packet(segment: TcpSegment): Buffer {
  const tcp = tcpSegment(segment);
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(20 + tcp.length, 2);
  header[9] = 6;
  header.set([127, 0, 0, 1, 127, 0, 0, 1], 12);
  return Buffer.concat([header, tcp]);
}

/** The same between `::1` and `::1`. */
export function ipv6Packet(segment: TcpSegment): Buffer {
  const tcp = tcpSegment(segment);
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header.writeUInt16BE(tcp.length, 4);
  header[6] = 6;
  header[23] = 1;
  header[39] = 1;
  return Buffer.concat([header, tcp]);
}

function tcpSegment({ from, to, sequence, content = Buffer.alloc(0), isStart = false }: TcpSegment): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(from, 0);
  header.writeUInt16BE(to, 2);
  header.writeUInt32BE(sequence, 4);
  header[12] = 0x50;
  header[13] = isStart ? 0x02 : 0x18;
  return Buffer.concat([header, content]);
}

export interface PacketFileOptions {
  readonly linkType: number;
  readonly isBigEndian?: boolean;
}

/** The older format; times are left at zero. */
export function pcapFile(packets: readonly Buffer[], { linkType, isBigEndian = false }: PacketFileOptions): Buffer {
  const words = (...values: number[]): Buffer => wordsOf(values, isBigEndian);
  const parts = packets.map((packet) => Buffer.concat([words(0, 0, packet.length, packet.length), packet]));
  return Buffer.concat([words(0xa1b2c3d4, 0x40002, 0, 0, 0x40000, linkType), ...parts]);
}

/** The newer format: a section, an interface, packets. */
export function pcapngFile(packets: readonly Buffer[], { linkType, isBigEndian = false }: PacketFileOptions): Buffer {
  const words = (...values: number[]): Buffer => wordsOf(values, isBigEndian);
  const link = isBigEndian ? linkType << 16 : linkType;
  const parts = packets.map((packet) => {
    const padding = Buffer.alloc(-packet.length & 3);
    const size = 32 + packet.length + padding.length;
    return Buffer.concat([words(6, size, 0, 0, 0, packet.length, packet.length), packet, padding, words(size)]);
  });
  const section = words(0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28);
  return Buffer.concat([section, words(1, 20, link, 0, 20), ...parts]);
}

function wordsOf(values: readonly number[], isBigEndian: boolean): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries())
    if (isBigEndian) bytes.writeUInt32BE(value, 4 * index);
    else bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}
