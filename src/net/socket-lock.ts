/**
 * Ownership of a directory by a listening socket, for processes that cannot lock files. The kernel ends it with
 * the process. The socket lies in the directory, so that it works between containers that share it; its owner answers
 * a connection with its process number. Weaker than a file lock in one case: two starts at the same moment after a
 * kill may both think they clean up first.
 */
import { createHash } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StandInOutcome } from '../base/directory-lock';

/** Socket addresses hold about 104 bytes, on some systems 108. */
const LONGEST_PATH_BYTES = 100;

/** How long an owner may take to tell its number; it is an owner in any case. */
const ANSWER_TIMEOUT_MS = 1000;

/** The name by which every process knows the socket of this directory. */
function socketPath(directory: string): string {
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 32);
  if (process.platform === 'win32') return `\\\\.\\pipe\\odradek-${digest}`;
  const inside = join(directory, '.lock.socket');
  return Buffer.byteLength(inside) <= LONGEST_PATH_BYTES ? inside : join(tmpdir(), `odradek-${digest}.socket`);
}

/** Why there can be no such socket. */
interface Failure {
  readonly failure: string;
}

function listen(path: string): Promise<Server | 'taken' | Failure> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(`${process.pid}\n`, () => socket.destroy());
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? 'taken' : { failure: error.message });
    });
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** Asks the owner for its process number; 'gone' when nobody listens, 'unreachable' when there is no telling. */
function askOwner(path: string): Promise<number | 'unknown' | 'gone' | 'unreachable'> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ path, timeout: ANSWER_TIMEOUT_MS });
    socket.on('timeout', () => {
      resolve('unknown');
      socket.destroy();
    });
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'gone' : 'unreachable');
    });
    socket.on('close', () => resolve(Number.parseInt(answer, 10) || 'unknown'));
  });
}

function outcome(server: Server | Failure): StandInOutcome {
  if ('failure' in server) return { kind: 'failed', reason: server.failure };
  return { kind: 'locked', release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Who owns the socket of `directory`, if somebody seems to, asked by those who lock files instead. */
export async function socketOwner(directory: string): Promise<StandInOutcome | undefined> {
  const owner = await askOwner(socketPath(directory));
  if (owner === 'gone' || owner === 'unreachable') return undefined;
  return { kind: 'held', pid: typeof owner === 'number' ? owner : undefined };
}

/** Takes the socket of `directory`; `removeFile` removes one that its dead owner left behind. */
export async function lockBySocket(directory: string, removeFile: (path: string) => void): Promise<StandInOutcome> {
  const path = socketPath(directory);
  const first = await listen(path);
  if (first !== 'taken') return outcome(first);
  const owner = await askOwner(path);
  if (owner === 'gone') {
    removeFile(path);
    const second = await listen(path);
    if (second !== 'taken') return outcome(second);
  }
  return { kind: 'held', pid: typeof owner === 'number' ? owner : undefined };
}
