/**
 * Short texts that arrive again and again (topic names, topic ids, member and client ids), remembered so that reading
 * one again costs a comparison and gives the same string object: no call into the engine, no new garbage, hash ready
 * for maps. Two fixed tables: what falls on a taken place replaces it, so memory is bounded whatever clients send.
 */
import { ZERO_UUID } from '../base/random';

const TEXT_PLACES = 4096;
/** Longer texts are not remembered: comparing them costs what reading them does. */
const LONGEST_TEXT_BYTES = 48;
const WORDS_PER_TEXT = LONGEST_TEXT_BYTES / 4;
const HASH_FACTOR = 0x9e3779b1;
const UUID_PLACES = 1024;

const texts: string[] = new Array<string>(TEXT_PLACES).fill('');
/** In bytes. */
const textSizes = new Uint8Array(TEXT_PLACES);
/** The bytes of each remembered text, four to a word; the last word may have fewer. */
const textWords = new Int32Array(TEXT_PLACES * WORDS_PER_TEXT);
/** The same of the text that is being read. */
const words = new Int32Array(WORDS_PER_TEXT);
const uuids: string[] = new Array<string>(UUID_PLACES).fill(ZERO_UUID);
/** The bytes of each remembered UUID as four words. */
const uuidWords = new Int32Array(4 * UUID_PLACES);

/** The UTF-8 text in `buffer` from `start` to `end`. */
export function readText(buffer: Buffer, start: number, end: number): string {
  const size = end - start;
  if (size > LONGEST_TEXT_BYTES) return buffer.toString('utf8', start, end);
  let hash = size;
  let count = 0;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const four = word(buffer, at);
    words[count++] = four;
    hash = Math.imul(hash ^ four, HASH_FACTOR);
    hash ^= hash >>> 15;
  }
  if (at < end) {
    let rest = 0;
    for (; at < end; at++) rest = (rest << 8) | buffer[at]!;
    words[count++] = rest;
    hash = Math.imul(hash ^ rest, HASH_FACTOR);
  }
  const place = (hash ^ (hash >>> 15)) & (TEXT_PLACES - 1);
  if (textSizes[place] === size && isText(place, count)) return texts[place]!;
  const text = buffer.toString('utf8', start, end);
  texts[place] = text;
  textSizes[place] = size;
  for (let index = 0; index < count; index++) textWords[place * WORDS_PER_TEXT + index] = words[index]!;
  return text;
}

/** Whether the text at `place` has the bytes in `words`. */
function isText(place: number, count: number): boolean {
  const first = place * WORDS_PER_TEXT;
  for (let index = 0; index < count; index++) if (textWords[first + index] !== words[index]) return false;
  return true;
}

/** The 16 bytes at `start` as 22 characters of URL-safe base64. */
export function readUuid(buffer: Buffer, start: number): string {
  const first = word(buffer, start);
  const second = word(buffer, start + 4);
  const third = word(buffer, start + 8);
  const fourth = word(buffer, start + 12);
  if ((first | second | third | fourth) === 0) return ZERO_UUID;
  const place = (first ^ (first >>> 16) ^ fourth) & (UUID_PLACES - 1);
  const at = 4 * place;
  if (
    uuidWords[at] === first &&
    uuidWords[at + 1] === second &&
    uuidWords[at + 2] === third &&
    uuidWords[at + 3] === fourth
  )
    return uuids[place]!;
  const text = buffer.toString('base64url', start, start + 16);
  uuids[place] = text;
  uuidWords[at] = first;
  uuidWords[at + 1] = second;
  uuidWords[at + 2] = third;
  uuidWords[at + 3] = fourth;
  return text;
}

function word(buffer: Buffer, at: number): number {
  return (buffer[at]! << 24) | (buffer[at + 1]! << 16) | (buffer[at + 2]! << 8) | buffer[at + 3]!;
}
