/**
 * `odradek decode`: captured frames, printed. Owns what a frame looks like on the screen and the totals at the end;
 * frames, pairing, messages and batches are read by the layers below.
 */
import { StartFailure } from './base/start-failure';
import type { Api } from './codec/api';
import { capturedFrames } from './codec/captured-frames';
import { type AnsweredVersion, Conversation, type UnderstoodFrame, type UnknownFrame } from './codec/conversation';
import { apis } from './codec/generated/apis';
import { messageShape, messageToJson } from './codec/message-json';
import { bytesText, messageText } from './codec/message-text';
import { batchesText } from './records/batch-text';

export interface DecodeOptions {
  /** What responses without a request answer, as `Fetch:12`. */
  readonly answersTo?: string;
  /** A line of JSON for each frame instead of text. */
  readonly json?: boolean;
}

export interface DecodedCapture {
  readonly lines: readonly string[];
  /** Frames that are neither request nor response. */
  readonly unknown: number;
}

/** `Fetch:12` as what it names; throws `StartFailure` with what is wrong. */
export function parseAnswered(text: string): AnsweredVersion {
  const [name = '', versionText = ''] = text.split(':');
  if (!Object.hasOwn(apis, name)) throw new StartFailure(`no API is called ${name}; for instance Fetch:12 is expected`);
  const api = apis[name as keyof typeof apis] as Api<unknown, unknown>;
  const version = /^\d+$/.test(versionText) ? Number(versionText) : Number.NaN;
  if (!(version >= api.minVersion && version <= api.newestKnownVersion))
    throw new StartFailure(
      `${name} has versions ${api.minVersion} to ${api.newestKnownVersion}, as in ${name}:${api.maxVersion}`,
    );
  return { api, version };
}

/** Throws `StartFailure` where the input is text and no hex, or empty. */
export function decodeCapture(input: Buffer, options: DecodeOptions): DecodedCapture {
  const conversation = new Conversation(options.answersTo === undefined ? undefined : parseAnswered(options.answersTo));
  const lines: string[] = [];
  let unknown = 0;
  const frames = capturedFrames(input);
  if (frames.length === 0) throw new StartFailure('there are no frames in it');
  for (const captured of frames) {
    const frame = conversation.add(captured);
    if (frame.kind === 'unknown') unknown++;
    lines.push(...(options.json ? [JSON.stringify(frameJson(frame))] : frameText(frame)));
  }
  if (!options.json)
    for (const { api, version, correlationId } of conversation.unanswered)
      lines.push(`no answer to ${api.name} v${version}, correlation id ${correlationId}`);
  return { lines, unknown };
}

function frameText(frame: UnderstoodFrame | UnknownFrame): string[] {
  if (frame.kind === 'unknown')
    return [`${frame.bytes.length} bytes that are not understood: ${bytesText(frame.bytes)}`, `  ${frame.problem}`, ''];
  const { kind, api, version, correlationId, clientId, sizeInBytes } = frame;
  const mark = kind === 'request' ? '>' : '<';
  const client = kind === 'request' ? `, client ${JSON.stringify(clientId)}` : '';
  const title = `${mark} ${api.name} v${version} ${kind}, key ${api.key}, correlation id ${correlationId}${client}`;
  const body = messageText(frame.message, messageShape(api, kind), { version, describeRecords: batchesText });
  return [`${title}, ${sizeInBytes} bytes`, ...body.map((line) => `  ${line}`), ''];
}

function frameJson(frame: UnderstoodFrame | UnknownFrame): object {
  if (frame.kind === 'unknown') return { hex: frame.bytes.toString('hex'), error: frame.problem };
  const { kind, api, version, correlationId, clientId } = frame;
  const message = messageToJson(frame.message, messageShape(api, kind), version);
  return { api: api.name, version, type: kind, correlationId, clientId, message };
}
