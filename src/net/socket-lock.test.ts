/** Ownership by a listening socket. */
import { linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockBySocket, socketOwner } from './socket-lock';

describe('lockBySocket', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'odradek-socket-lock-'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it.each(['short', 'a-long-name'.repeat(15)])('keeps others out and tells them who holds it (%s)', async (name) => {
    const owned = join(directory, name);
    mkdirSync(owned);
    const first = await lockBySocket(owned, rmSync);
    expect(first.kind).toBe('locked');
    expect(await socketOwner(owned)).toEqual({ kind: 'held', pid: process.pid });
    expect(await lockBySocket(owned, rmSync)).toEqual({ kind: 'held', pid: process.pid });
    if (first.kind === 'locked') await first.release();
    const next = await lockBySocket(owned, rmSync);
    expect(next.kind).toBe('locked');
    if (next.kind === 'locked') await next.release();
  });

  it('says why there can be no socket', async () => {
    const missing = join(directory, 'missing');
    expect(await lockBySocket(missing, rmSync)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('.lock.socket'),
    });
  });

  it('takes over a socket that its dead owner left behind', async () => {
    const path = join(directory, '.lock.socket');
    const server = createServer().listen(path);
    await new Promise((done) => server.once('listening', done));
    // What a killed process leaves: the name of a socket on which nobody listens.
    const kept = join(directory, 'kept');
    linkSync(path, kept);
    await new Promise((done) => server.close(done));
    renameSync(kept, path);
    expect(readdirSync(directory)).toEqual(['.lock.socket']);
    expect(await socketOwner(directory)).toBeUndefined();

    const taken = await lockBySocket(directory, rmSync);
    expect(taken.kind).toBe('locked');
    if (taken.kind === 'locked') await taken.release();
  });
});
