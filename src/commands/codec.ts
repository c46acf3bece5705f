/** `odradek codec`: messages between bytes and JSON, one a line. */
import type { Command } from 'commander';
import { fail, say } from './command-line';

/** Answers each line of standard input with one line. */
async function translateMessages(): Promise<void> {
  const { answerMessageLine } = require('../codec/message-lines') as typeof import('../codec/message-lines');
  const { createInterface } = require('node:readline') as typeof import('node:readline');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') say(answerMessageLine(line));
  }
}

export function addCodecCommand(program: Command): void {
  program
    .command('codec')
    .description('translate messages between bytes and JSON, one a line, from standard input to standard output')
    .action(() => translateMessages().catch(fail));
}
