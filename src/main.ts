#!/usr/bin/env node
/**
 * The command line. Owns the list of commands; each is a file of `commands/`, with its options, lines and exit codes.
 * What is costly to load is loaded when the options are known.
 */
import { Command } from 'commander';
import { addCodecCommand } from './commands/codec';
import { version } from './commands/command-line';
import { addDecodeCommand } from './commands/decode';
import { addDumpLogCommand } from './commands/dump-log';
import { addExportCommand } from './commands/export';
import { addStartCommand, EXAMPLES } from './commands/start';
import { addVerifyCommand } from './commands/verify';

// A reader of our output that goes away must not take the broker with it.
process.stdout.on('error', () => undefined);
const program = new Command('odradek')
  .description('A message broker that speaks the Kafka protocol')
  .version(version(), '-v, --version')
  .showHelpAfterError('(odradek COMMAND --help tells the options)')
  .addHelpText('after', EXAMPLES);
addStartCommand(program);
addCodecCommand(program);
addDecodeCommand(program);
addDumpLogCommand(program);
addVerifyCommand(program);
addExportCommand(program);
program.parse();
