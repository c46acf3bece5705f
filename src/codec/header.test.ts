/** Request and response headers in every version, and the two exceptions. */
import { apis } from './generated/apis';
import { decodeRequestHeader, decodeResponseHeader, encodeRequestHeader, encodeResponseHeader } from './header';
import { MalformedMessage } from './malformed';
import { Reader } from './reader';
import { Writer } from './writer';

type AnyApi = (typeof apis)[keyof typeof apis];

function request(api: AnyApi, apiVersion: number, clientId: string | null): string {
  const writer = new Writer();
  encodeRequestHeader(writer, { api, apiVersion, correlationId: 7 }, clientId);
  return writer.finishBuffer().toString('hex');
}

function response(api: AnyApi, apiVersion: number): string {
  const writer = new Writer();
  encodeResponseHeader(writer, { api, apiVersion, correlationId: 7 });
  return writer.finishBuffer().toString('hex');
}

it('writes request headers v1 and v2 by the body', () => {
  expect(request(apis.Produce, 8, 'ab')).toBe('000000080000000700026162');
  expect(request(apis.Produce, 9, 'ab')).toBe('00000009000000070002616200');
  expect(request(apis.Produce, 9, null)).toBe('0000000900000007ffff00');
  expect(request(apis.SaslHandshake, 1, 'ab')).toBe('001100010000000700026162');
});

it('writes ControlledShutdown v0 without a client id', () => {
  expect(request(apis.ControlledShutdown, 0, 'ab')).toBe('0007000000000007');
  expect(request(apis.ControlledShutdown, 1, 'ab')).toBe('000700010000000700026162');
});

it('writes response headers v0 and v1, v0 always for ApiVersions', () => {
  expect(response(apis.Produce, 8)).toBe('00000007');
  expect(response(apis.Produce, 9)).toBe('0000000700');
  expect(response(apis.ApiVersions, 4)).toBe('00000007');
});

it('reads what it writes', () => {
  for (const api of Object.values(apis))
    for (const apiVersion of [api.minVersion, api.maxVersion]) {
      const header = decodeRequestHeader(Buffer.from(`${request(api, apiVersion, 'me')}2a`, 'hex'));
      const clientId = api.name === 'ControlledShutdown' && apiVersion === 0 ? '' : 'me';
      expect(header).toMatchObject({ apiKey: api.key, apiVersion, correlationId: 7, clientId });
      expect(header.api.name).toBe(api.name);
      expect(header.bodyReader.int8()).toBe(42);
      expect(header.bodyReader.remaining).toBe(0);
      const reader = new Reader(Buffer.from(response(api, apiVersion), 'hex'));
      expect(decodeResponseHeader(reader, api, apiVersion)).toBe(7);
      expect(reader.remaining).toBe(0);
    }
});

it('reads a null client id as the empty one and skips unknown tags', () => {
  const header = decodeRequestHeader(Buffer.from('0000000900000007ffff0105020102ff', 'hex'));
  expect(header.clientId).toBe('');
  expect(header.bodyReader.remaining).toBe(1);
});

it('reads the header of a version of ApiVersions that is not known yet', () => {
  const header = decodeRequestHeader(Buffer.from('0012 7fff 00000007 0002 6162 00'.replaceAll(' ', ''), 'hex'));
  expect(header).toMatchObject({ apiKey: 18, apiVersion: 0x7fff, clientId: 'ab' });
});

it('refuses unknown keys and short headers', () => {
  expect(() => decodeRequestHeader(Buffer.from('7fff00000000000700026162', 'hex'))).toThrow('no API has key 32767');
  expect(() => decodeRequestHeader(Buffer.from('ffff00000000000700026162', 'hex'))).toThrow(MalformedMessage);
  for (const size of [0, 1, 5, 8, 11])
    expect(() => decodeRequestHeader(Buffer.from('000000080000000700026162', 'hex').subarray(0, size))).toThrow(
      MalformedMessage,
    );
});
