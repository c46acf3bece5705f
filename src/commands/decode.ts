/** `odradek decode`: captured requests and responses, readably. Exit code 1 where a frame was not understood. */
import type { Command } from 'commander';
import type { DecodeOptions } from '../decode-capture';
import { fail, readFile, say } from './command-line';

const HELP = `
A file holds one frame or many, with the four bytes of length in front or, one a line, without. In hex, a line may
start with > (a request) or < (a response), and # starts a comment. A packet capture (tcpdump -w, also pcapng) will do
as well. Responses are read by the request with their correlation id; where the file does not tell requests and
responses apart, that is found out.

Examples:
  odradek decode frames.bin
  tcpdump -i lo -w - port 9092 | odradek decode -
  echo '00000011 00120003 0000002a 0001 63 00 0261 0262 00' | odradek decode -
  odradek decode --answers-to ApiVersions:3 response.hex
`;

async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Ends with 1 where a frame was not understood. */
async function decode(file: string, options: DecodeOptions): Promise<void> {
  const { decodeCapture } = require('../decode-capture') as typeof import('../decode-capture');
  const { lines, unknown } = decodeCapture(file === '-' ? await readInput() : readFile(file), options);
  for (const line of lines) say(line);
  if (unknown > 0) process.exitCode = 1;
}

export function addDecodeCommand(program: Command): void {
  program
    .command('decode')
    .description('print captured requests and responses readably')
    .argument('<file>', 'frames with their headers, as hex or raw bytes, or packets; - for standard input')
    .option('--answers-to <api:version>', 'what responses without a request answer, for instance Fetch:12')
    .option('--json', 'a line of JSON for each frame instead')
    .addHelpText('after', HELP)
    .action((file: string, options: DecodeOptions) => decode(file, options).catch(fail));
}
