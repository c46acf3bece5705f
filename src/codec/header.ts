/**
 * Request and response headers in all their versions. Owns the exceptions to the rule "flexible body, flexible
 * header": the ApiVersions response always has header v0 (a client must read it before it knows what the broker
 * speaks), and ControlledShutdown v0 has a request header without a client id. The client id is never compact
 * (KIP-482).
 */
import type { Api } from './api';
import { ApiKey, apiOfKey } from './generated/apis';
import { MalformedMessage } from './malformed';
import { Reader } from './reader';
import type { Writer } from './writer';

export interface RequestHeader {
  /** What is known of `apiKey`; the version may still be one that we do not know. */
  readonly api: Api<unknown, unknown>;
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  /** Empty where the header has null or no client id: the two mean the same. */
  readonly clientId: string;
  /** Stands at the first byte of the body. */
  readonly bodyReader: Reader;
}

/** The part of a header that says which codec is meant. */
export interface ApiCall {
  readonly api: Pick<Api<never, unknown>, 'key' | 'firstFlexible'>;
  readonly apiVersion: number;
  readonly correlationId: number;
}

/** `frame` is a request without its length. A key that nobody knows is malformed: its header has no known form. */
export function decodeRequestHeader(frame: Buffer): RequestHeader {
  const bodyReader = new Reader(frame);
  const apiKey = bodyReader.int16();
  const apiVersion = bodyReader.int16();
  const correlationId = bodyReader.int32();
  const api = apiOfKey(apiKey);
  if (api === undefined) throw new MalformedMessage(`no API has key ${apiKey}`);
  const clientId = hasClientId(api, apiVersion) ? (bodyReader.nullableString() ?? '') : '';
  if (apiVersion >= api.firstFlexible) bodyReader.skipTags();
  return { api, apiKey, apiVersion, correlationId, clientId, bodyReader };
}

export function encodeRequestHeader(writer: Writer, call: ApiCall, clientId: string | null): void {
  writer.int16(call.api.key);
  writer.int16(call.apiVersion);
  writer.int32(call.correlationId);
  if (hasClientId(call.api, call.apiVersion)) writer.nullableString(clientId);
  if (call.apiVersion >= call.api.firstFlexible) writer.uvarint(0);
}

export function encodeResponseHeader(writer: Writer, call: ApiCall): void {
  writer.int32(call.correlationId);
  if (hasResponseTags(call.api, call.apiVersion)) writer.uvarint(0);
}

/** Reads the header of the answer to a request of this kind; returns the correlation id. */
export function decodeResponseHeader(reader: Reader, api: ApiCall['api'], apiVersion: number): number {
  const correlationId = reader.int32();
  if (hasResponseTags(api, apiVersion)) reader.skipTags();
  return correlationId;
}

function hasClientId(api: ApiCall['api'], apiVersion: number): boolean {
  return api.key !== ApiKey.ControlledShutdown || apiVersion > 0;
}

function hasResponseTags(api: ApiCall['api'], apiVersion: number): boolean {
  return apiVersion >= api.firstFlexible && api.key !== ApiKey.ApiVersions;
}
