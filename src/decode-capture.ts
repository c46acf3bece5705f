/**
 * `odradek decode`: captured frames, printed. Owns what a frame looks like on the screen and the totals at the end;
 * frames, pairing, messages and batches are read by the layers below.
 */
import { StartFailure } from './base/start-failure';
import type { Api } from './codec/api';
import { type CapturedFrame, capturedFrames, framesOfStream } from './codec/captured-frames';
import { type AnsweredVersion, Conversation, type UnderstoodFrame, type UnknownFrame } from './codec/conversation';
import { apis } from './codec/generated/apis';
import { messageShape, messageToJson } from './codec/message-json';
import { bytesText, messageText } from './codec/message-text';
import { capturedStreams, isPacketCapture } from './codec/packet-capture';
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
  const answered = options.answersTo === undefined ? undefined : parseAnswered(options.answersTo);
  const printer = new Printer(options, answered);
  if (isPacketCapture(input)) {
    const frames = framesOfPackets(input);
    if (frames.length === 0) throw new StartFailure('there are no TCP connections in it');
    for (const frame of frames) printer.add(frame, frame.route);
  } else {
    const frames = capturedFrames(input);
    if (frames.length === 0) throw new StartFailure('there are no frames in it');
    for (const frame of frames) printer.add(frame, undefined);
  }
  return printer.end();
}

/** Both ends of a connection, from the view of one frame. */
interface Route {
  readonly from: string;
  readonly to: string;
}

interface PacketFrame extends CapturedFrame {
  readonly route: Route;
  /** Where its last byte came. */
  readonly packet: number;
}

/** The frames of all connections in the order in which they were whole. */
function framesOfPackets(input: Buffer): PacketFrame[] {
  const frames = capturedStreams(input).flatMap(({ from, to, pieces }) => {
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
    let at = 0;
    let piece = 0;
    let pieceEnd = pieces[0]!.bytes.length;
    return framesOfStream(bytes).map((frame): PacketFrame => {
      at = frame.byteOffset - bytes.byteOffset + frame.length;
      while (pieceEnd < at) pieceEnd += pieces[++piece]!.bytes.length;
      return { bytes: frame, direction: undefined, route: { from, to }, packet: pieces[piece]!.packet };
    });
  });
  return frames.sort((a, b) => a.packet - b.packet);
}

class Printer {
  private readonly lines: string[] = [];
  private unknown = 0;
  /** By connection; all frames without addresses are of one. */
  private readonly conversations = new Map<string, Conversation>();

  constructor(
    private readonly options: DecodeOptions,
    private readonly answered: AnsweredVersion | undefined,
  ) {}

  add(captured: CapturedFrame, route: Route | undefined): void {
    const name = route === undefined ? '' : [route.from, route.to].sort().join(' ');
    const conversation = this.conversations.get(name) ?? new Conversation(this.answered);
    this.conversations.set(name, conversation);
    const frame = conversation.add(captured);
    if (frame.kind === 'unknown') this.unknown++;
    if (this.options.json) this.lines.push(JSON.stringify({ ...route, ...frameJson(frame) }));
    else this.lines.push(...frameText(frame, route));
  }

  end(): DecodedCapture {
    if (!this.options.json)
      for (const { api, version, correlationId } of [...this.conversations.values()].flatMap((one) => one.unanswered))
        this.lines.push(`no answer to ${api.name} v${version}, correlation id ${correlationId}`);
    return { lines: this.lines, unknown: this.unknown };
  }
}

function frameText(frame: UnderstoodFrame | UnknownFrame, route: Route | undefined): string[] {
  const way = route === undefined ? [] : [`${route.from} to ${route.to}`];
  if (frame.kind === 'unknown') {
    const bytes = `${frame.bytes.length} bytes that are not understood: ${bytesText(frame.bytes)}`;
    return [[bytes, ...way].join(', '), `  ${frame.problem}`, ''];
  }
  const { kind, api, version, correlationId, clientId, sizeInBytes } = frame;
  const parts = [`key ${api.key}`, `correlation id ${correlationId}`];
  if (kind === 'request') parts.push(`client ${JSON.stringify(clientId)}`);
  const title = [`${kind === 'request' ? '>' : '<'} ${api.name} v${version} ${kind}`, ...parts, `${sizeInBytes} bytes`];
  const body = messageText(frame.message, messageShape(api, kind), { version, describeRecords: batchesText });
  return [[...title, ...way].join(', '), ...body.map((line) => `  ${line}`), ''];
}

function frameJson(frame: UnderstoodFrame | UnknownFrame): object {
  if (frame.kind === 'unknown') return { hex: frame.bytes.toString('hex'), error: frame.problem };
  const { kind, api, version, correlationId, clientId } = frame;
  const message = messageToJson(frame.message, messageShape(api, kind), version);
  return { api: api.name, version, type: kind, correlationId, clientId, message };
}
