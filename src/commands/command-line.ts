/**
 * What all commands share: the version, lines on standard output, failure on standard error, and
 * reading a file that the command line names.
 */
import { resolve } from 'node:path';
import { StartFailure } from '../base/start-failure';
import { FileSystemError } from '../log/file-system';

export function version(): string {
  return (require('../../package.json') as { version: string }).version;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Ends the process with `exitCode`, and the message alone where the operator can mend it, else where it happened. */
export function fail(error: unknown, exitCode = 1): never {
  const text = error instanceof StartFailure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}

export function readFile(path: string): Buffer {
  const { nodeFileSystem } = require('../log/node-file-system') as typeof import('../log/node-file-system');
  try {
    return nodeFileSystem.readFile(resolve(path));
  } catch (error) {
    if (error instanceof FileSystemError) throw new StartFailure(`cannot read ${path}: ${error.message}`);
    throw error;
  }
}
