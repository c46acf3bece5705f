/** Captures printed: a conversation, lone responses, JSON, and what is not understood. */
import { decodeCapture, parseAnswered } from './decode-capture';
import { ipv4Packet, pcapFile } from './testing/packet-file';

/** ApiVersions v0, correlation id 1, client `c`; its answer; Produce v3 of one record with acks=1, id 2. */
const CONVERSATION = `
  > 0000000b 0012 0000 00000001 0001 63
  < 00000010 00000001 0000 00000001 0012 0000 0004
  # one record
  > 0000006c 0000 0003 00000002 0001 63 ffff 0001 000005dc 00000001 0001 74 00000001 00000000 00000046
    0000000000000000 0000003a ffffffff 02 e99b8dd8 0000 00000000 0000018bcfe56800 0000018bcfe56800
    ffffffffffffffff ffff ffffffff 00000001 10 00 00 00 02 6b 02 76 00
`;

describe('decodeCapture', () => {
  it('prints a conversation', () => {
    const { lines, unknown } = decodeCapture(Buffer.from(CONVERSATION), {});
    expect(unknown).toBe(0);
    expect(lines.join('\n')).toBe(
      [
        '> ApiVersions v0 request, key 18, correlation id 1, client "c", 11 bytes',
        '',
        '< ApiVersions v0 response, key 18, correlation id 1, 16 bytes',
        '  errorCode: 0 NONE',
        '  apiKeys:',
        '    - apiKey: 18',
        '      minVersion: 0',
        '      maxVersion: 4',
        '',
        '> Produce v3 request, key 0, correlation id 2, client "c", 108 bytes',
        '  transactionalId: null',
        '  acks: 1',
        '  timeoutMs: 1500',
        '  topicData:',
        '    - name: "t"',
        '      partitionData:',
        '        - index: 0',
        '          records: 70 bytes',
        '            batch of format 2, none, 70 bytes, offsets 0 to 0, 1 records, leader epoch -1',
        '              0 at 1700000000000: key "k", value "v"',
        '',
        'no answer to Produce v3, correlation id 2',
      ].join('\n'),
    );
  });

  it('prints a line of JSON a frame', () => {
    const { lines } = decodeCapture(Buffer.from('> 0012 0000 00000001 0001 63\n< 00000001 0023 00000000\n< 00'), {
      json: true,
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { api: 'ApiVersions', version: 0, type: 'request', correlationId: 1, clientId: 'c', message: {} },
      {
        ...{ api: 'ApiVersions', version: 0, type: 'response', correlationId: 1, clientId: 'c' },
        message: { errorCode: 35, apiKeys: [] },
      },
      { hex: '00', error: 'as a response: 4 bytes needed, 1 left at byte 0 of 1' },
    ]);
  });

  it('prints a lone response', () => {
    const { lines } = decodeCapture(Buffer.from('00000009 0023'), { answersTo: 'Heartbeat:0' });
    expect(lines).toEqual([
      '< Heartbeat v0 response, key 12, correlation id 9, 6 bytes',
      '  errorCode: 35 UNSUPPORTED_VERSION',
      '',
    ]);
  });

  it('counts what is not understood', () => {
    const { lines, unknown } = decodeCapture(Buffer.from('ff'), {});
    expect([unknown, lines[0]]).toEqual([1, '1 bytes that are not understood: 0xff']);
  });

  it('refuses what is no capture', () => {
    expect(() => decodeCapture(Buffer.from('hello'), {})).toThrow('line 1 is not');
    expect(() => decodeCapture(Buffer.alloc(0), {})).toThrow('no frames');
  });
});

it('reads packet captures, each connection by itself', () => {
  const frame = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const request = frame('0000000b 0012 0000 00000001 0001 63');
  const answer = frame('0000000a 00000001 0023 00000000');
  const packets = [
    { from: 5000, to: 9092, sequence: 1, content: request.subarray(0, 6) },
    { from: 5001, to: 9092, sequence: 1, content: request },
    { from: 5000, to: 9092, sequence: 7, content: Buffer.concat([request.subarray(6), request]) },
    { from: 9092, to: 5000, sequence: 1, content: answer },
  ];
  const file = pcapFile(packets.map(ipv4Packet), { linkType: 101 });
  const { lines, unknown } = decodeCapture(file, {});
  expect(unknown).toBe(0);
  expect(lines.filter((line) => /^[<>n]/.test(line))).toEqual([
    '> ApiVersions v0 request, key 18, correlation id 1, client "c", 11 bytes, 127.0.0.1:5001 to 127.0.0.1:9092',
    '> ApiVersions v0 request, key 18, correlation id 1, client "c", 11 bytes, 127.0.0.1:5000 to 127.0.0.1:9092',
    '> ApiVersions v0 request, key 18, correlation id 1, client "c", 11 bytes, 127.0.0.1:5000 to 127.0.0.1:9092',
    '< ApiVersions v0 response, key 18, correlation id 1, 10 bytes, 127.0.0.1:9092 to 127.0.0.1:5000',
    'no answer to ApiVersions v0, correlation id 1',
    'no answer to ApiVersions v0, correlation id 1',
  ]);
  const [line] = decodeCapture(file, { json: true }).lines;
  expect(JSON.parse(line!)).toMatchObject({ from: '127.0.0.1:5001', to: '127.0.0.1:9092', api: 'ApiVersions' });
  expect(() => decodeCapture(pcapFile([], { linkType: 1 }), {})).toThrow('no TCP connections');
});

it('parses what responses answer', () => {
  expect(parseAnswered('Fetch:12')).toMatchObject({ api: { name: 'Fetch' }, version: 12 });
  expect(() => parseAnswered('Fetsch:1')).toThrow('no API is called Fetsch');
  expect(() => parseAnswered('Fetch')).toThrow('Fetch has versions 0 to 18, as in Fetch:18');
  expect(() => parseAnswered('Fetch:19')).toThrow('Fetch has versions 0 to 18');
});
