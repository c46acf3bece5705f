/** Streams out of packet captures: file formats, link layers, segments in any order. */
import { ipv4Packet, ipv6Packet, pcapFile, pcapngFile, type TcpSegment } from '../testing/packet-file';
import { capturedStreams, isPacketCapture } from './packet-capture';

const segment = (text: string, sequence: number, isStart = false): TcpSegment => {
  return { from: 5000, to: 9092, sequence, content: Buffer.from(text), isStart };
};
const hello = ipv4Packet(segment('hello', 7));
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

function streams(file: Buffer): [string, string][] {
  return capturedStreams(file).map(({ from, to, pieces }) => [
    `${from} ${to}`,
    Buffer.concat(pieces.map((piece) => piece.bytes)).toString(),
  ]);
}

/** What comes out of segments of one stream, in IPv4 packets without a link layer. */
function textOf(...segments: readonly TcpSegment[]): string | undefined {
  return streams(pcapFile(segments.map(ipv4Packet), { linkType: 101 }))[0]?.[1];
}

describe('files', () => {
  it.each([pcapFile, pcapngFile])('%p of both orders of bytes', (make) => {
    for (const isBigEndian of [false, true]) {
      const file = make([hello, ipv4Packet(segment(' you', 12))], { linkType: 101, isBigEndian });
      expect(isPacketCapture(file)).toBe(true);
      expect(streams(file)).toEqual([['127.0.0.1:5000 127.0.0.1:9092', 'hello you']]);
    }
  });

  it('others are not taken for one', () => {
    expect(isPacketCapture(Buffer.alloc(100))).toBe(false);
    expect(isPacketCapture(bytes('a1b2c3d4'))).toBe(false);
  });

  it('may be cut off anywhere', () => {
    for (const make of [pcapFile, pcapngFile]) {
      const file = make([hello, hello], { linkType: 101 });
      for (let size = 24; size < file.length; size++) expect(streams(file.subarray(0, size)).length).toBeLessThan(2);
    }
  });
});

describe('link layers', () => {
  it.each([
    ['loopback', 0, '02000000'],
    ['Ethernet', 1, '010203040506 010203040506 0800'],
    ['Ethernet with a VLAN', 1, '010203040506 010203040506 8100 0005 0800'],
    ['Linux any', 113, '0000 0304 0006 0000000000000000 0800'],
    ['Linux any, the newer one', 276, '0800 0000 00000001 0304 00 06 0000000000000000'],
  ])('%s', (_, linkType, header) => {
    const file = pcapFile([Buffer.concat([bytes(header), hello])], { linkType });
    expect(streams(file)).toEqual([['127.0.0.1:5000 127.0.0.1:9092', 'hello']]);
  });

  it('IPv6', () => {
    const one = '[0000:0000:0000:0000:0000:0000:0000:0001]';
    const file = pcapFile([ipv6Packet(segment('six', 1))], { linkType: 229 });
    expect(streams(file)).toEqual([[`${one}:5000 ${one}:9092`, 'six']]);
  });

  it('what is not TCP is left out', () => {
    const udp = Buffer.from(hello);
    udp[9] = 17;
    const fragment = Buffer.from(hello);
    fragment.writeUInt16BE(5, 6);
    const arp = bytes('010203040506 010203040506 0806 0001');
    expect(streams(pcapFile([udp, fragment], { linkType: 101 }))).toEqual([]);
    expect(streams(pcapFile([arp], { linkType: 1 }))).toEqual([]);
    expect(streams(pcapFile([hello], { linkType: 9999 }))).toEqual([]);
  });
});

describe('segments', () => {
  it('are put in order, and count once', () => {
    const start = segment('', 99, true);
    expect(textOf(start, segment('abc', 100), segment('ghi', 106), segment('def', 103))).toBe('abcdefghi');
    expect(textOf(start, segment('abc', 100), segment('abc', 100), segment('bcde', 101))).toBe('abcde');
  });

  it('end at a gap', () => {
    expect(textOf(segment('', 99, true), segment('abc', 100), segment('ghi', 106))).toBe('abc');
    expect(textOf(segment('', 99, true), segment('ghi', 106))).toBeUndefined();
  });

  it('begin where the capture begins', () => {
    expect(textOf(segment('def', 103), segment('abc', 100))).toBe('abcdef');
  });

  it('have numbers that wrap around', () => {
    expect(textOf(segment('', 0xfffffffd, true), segment('abc', 0xfffffffe), segment('def', 1))).toBe('abcdef');
  });

  it('do not count before the start: a sign of life has a byte of before', () => {
    expect(textOf(segment('', 99, true), segment('x', 99), segment('abc', 100))).toBe('abc');
  });
});
