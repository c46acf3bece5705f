/**
 * From what a person captured to frames: hexadecimal text or raw bytes, one frame or many, with the length in front
 * or without. Owns finding frames and the marks of direction; what is in a frame is for others.
 *
 * Text: hex digits, spaces and colons between them as one likes, `#` starts a comment. A line may start with `>` (a
 * request) or `<` (a response). Lines that together are whole frames with lengths belong together, so do lines of one
 * width; otherwise each line stands for itself.
 */
import { StartFailure } from '../base/start-failure';

export type Direction = 'request' | 'response';

export interface CapturedFrame {
  /** Without the length. */
  readonly bytes: Buffer;
  /** Undefined: the capture does not say it. */
  readonly direction: Direction | undefined;
}

interface TextLine {
  readonly direction: Direction | undefined;
  readonly digits: string;
}

const LENGTH_BYTES = 4;
const TEXT = /^[\t\r\n -~]*$/;
const DIGITS = /^(?:[0-9a-f]{2})*$/;
/** What a tool that wraps its output makes lines of, at the least. */
const SHORTEST_WRAPPED_DIGITS = 32;

/** Throws `StartFailure` where text is no hex. */
export function capturedFrames(input: Buffer): CapturedFrame[] {
  const text = input.toString('latin1');
  if (input.length > 0 && TEXT.test(text)) return framesOfText(text);
  return framesOfBytes(input, undefined);
}

function framesOfText(text: string): CapturedFrame[] {
  const frames: CapturedFrame[] = [];
  let block: TextLine[] = [];
  const endBlock = (): void => {
    frames.push(...framesOfBlock(block));
    block = [];
  };
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = textLine(raw, index + 1);
    if (line === undefined || line.direction !== undefined) endBlock();
    if (line !== undefined) block.push(line);
  }
  endBlock();
  return frames;
}

/** Undefined for a line without digits. */
function textLine(raw: string, number: number): TextLine | undefined {
  const content = raw.replace(/#.*$/, '').trim();
  const direction = content.startsWith('>') ? 'request' : content.startsWith('<') ? 'response' : undefined;
  const digits = content
    .replace(/^[<>]/, '')
    .replace(/\b0x/gi, '')
    .replace(/[\s:,]/g, '')
    .toLowerCase();
  if (!DIGITS.test(digits)) throw new StartFailure(`line ${number} is not an even number of hex digits`);
  return digits === '' ? undefined : { direction, digits };
}

/** Lines without a gap between them; only the first may have a mark. */
function framesOfBlock(lines: readonly TextLine[]): CapturedFrame[] {
  const first = lines[0];
  if (first === undefined) return [];
  const joined = Buffer.from(lines.map((line) => line.digits).join(''), 'hex');
  const whole = framesWithLengths(joined);
  if (whole.rest.length === 0 || isWrapped(lines)) return framesOfBytes(joined, first.direction);
  return lines.flatMap((line) => framesOfBytes(Buffer.from(line.digits, 'hex'), first.direction));
}

function isWrapped(lines: readonly TextLine[]): boolean {
  const widths = lines.map((line) => line.digits.length);
  const [width = 0] = widths;
  return (
    width >= SHORTEST_WRAPPED_DIGITS &&
    widths.every((one, i) => one === width || (one < width && i === widths.length - 1))
  );
}

/** Bytes that start with no whole frame are one without its length. */
function framesOfBytes(bytes: Buffer, direction: Direction | undefined): CapturedFrame[] {
  return framesOfStream(bytes).map((frame) => ({ bytes: frame, direction }));
}

/** Frames with lengths in front, as slices; what is left at the end is one more. */
export function framesOfStream(bytes: Buffer): Buffer[] {
  const { frames, rest } = framesWithLengths(bytes);
  return rest.length > 0 ? [...frames, rest] : frames;
}

/** As many whole frames as stand at the start, and what is left. */
function framesWithLengths(bytes: Buffer): { frames: Buffer[]; rest: Buffer } {
  const frames: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= LENGTH_BYTES) {
    const size = bytes.readInt32BE(at);
    if (size < LENGTH_BYTES || size > bytes.length - at - LENGTH_BYTES) break;
    frames.push(bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + size));
    at += LENGTH_BYTES + size;
  }
  return { frames, rest: bytes.subarray(at) };
}
