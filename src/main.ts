#!/usr/bin/env node
/**
 * The command line. Owns the list of commands; each is a file of `commands/`, with its options, lines and exit codes.
 * What is costly to load is loaded when the options are known: here the one command that is named, and all of them
 * for a list or a word that is none.
 */
import { Command } from 'commander';
import type * as codec from './commands/codec';
import { version } from './commands/command-line';
import type * as decode from './commands/decode';
import type * as dumpLog from './commands/dump-log';
import type * as exporting from './commands/export';
import type * as start from './commands/start';
import type * as verify from './commands/verify';

type AddCommand = (program: Command) => void;

const COMMANDS: Readonly<Record<string, () => AddCommand>> = {
  start: () => (require('./commands/start') as typeof start).addStartCommand,
  codec: () => (require('./commands/codec') as typeof codec).addCodecCommand,
  decode: () => (require('./commands/decode') as typeof decode).addDecodeCommand,
  'dump-log': () => (require('./commands/dump-log') as typeof dumpLog).addDumpLogCommand,
  verify: () => (require('./commands/verify') as typeof verify).addVerifyCommand,
  export: () => (require('./commands/export') as typeof exporting).addExportCommand,
};

// A reader of our output that goes away must not take the broker with it.
process.stdout.on('error', () => undefined);
const program = new Command('odradek')
  .description('A message broker that speaks the Kafka protocol')
  .version(version(), '-v, --version')
  .showHelpAfterError('(odradek COMMAND --help tells the options)');
const named = process.argv[2] ?? '';
if (Object.hasOwn(COMMANDS, named)) COMMANDS[named]!()(program);
else for (const load of Object.values(COMMANDS)) load()(program);
program.parse();
