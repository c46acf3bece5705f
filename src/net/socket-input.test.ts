/** Accepted sockets read into one buffer, pause and end as ordinary ones do; so do those whose handle is no help. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { RawClient, until } from '../testing/raw-client';
import { openInput, READ_BYTES } from './socket-input';

let server: Server;
const sockets: Socket[] = [];

/** A client, and the socket that the server accepted from it; its bytes go to `onBytes`. */
async function connected(
  onBytes: (piece: Buffer) => void,
  change: (accepted: Socket) => void,
): Promise<{ client: Socket; socket: Socket }> {
  const opened = new Promise<Socket>((resolve) => {
    server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (accepted) => {
      change(accepted);
      resolve(openInput(accepted, onBytes));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as { port: number }).port, '127.0.0.1');
  const socket = await opened;
  sockets.push(client, socket);
  return { client, socket };
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const unchanged = (): void => undefined;

/** As on a Node whose handles do not read into a given buffer. */
function withoutUserBuffer(accepted: Socket): void {
  const { _handle: handle } = accepted as unknown as { _handle: object };
  Object.defineProperty(handle, 'useUserBuffer', { value: undefined });
}

describe.each([
  ['one buffer for all', unchanged],
  ['buffers of Node', withoutUserBuffer],
])('input through %s', (_, change) => {
  it('gives what comes in, in order, and lets the socket answer', async () => {
    const pieces: string[] = [];
    const { client, socket } = await connected((piece) => pieces.push(piece.toString()), change);
    socket.resume();
    client.write('one');
    await until(() => pieces.join('') === 'one', 'the first piece');
    client.write('two');
    await until(() => pieces.join('') === 'onetwo', 'the second piece');
    let answer = '';
    client.on('data', (data) => {
      answer += String(data);
    });
    socket.write('answer');
    await until(() => answer === 'answer', 'the answer');
  });

  it('reads nothing while it is paused', async () => {
    let bytes = 0;
    const { client, socket } = await connected((piece) => {
      bytes += piece.length;
      socket.pause();
    }, change);
    socket.resume();
    client.write(Buffer.alloc(16 * READ_BYTES));
    await until(() => bytes > 0, 'a first piece');
    const before = bytes;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(bytes).toBe(before);
    for (let seen = bytes; bytes < 16 * READ_BYTES; seen = bytes) {
      socket.resume();
      await until(() => bytes > seen, 'a further piece');
    }
  });

  it('tells the end of the other side, and of itself', async () => {
    const { client, socket } = await connected(unchanged, change);
    const told: string[] = [];
    socket.once('end', () => told.push('end'));
    socket.once('close', () => told.push('close'));
    socket.resume();
    client.end();
    await until(() => told.length === 1, 'the end');
    socket.end();
    await until(() => told.length === 2, 'the close');
    expect(told).toEqual(['end', 'close']);
  });
});

it('keeps the pieces of many sockets apart', async () => {
  const texts: string[] = [];
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (accepted) => {
    const at = texts.push('') - 1;
    const socket = openInput(accepted, (piece) => {
      texts[at] += piece.toString();
    });
    sockets.push(socket);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.open(port)));
  for (let round = 0; round < 20; round++) {
    for (const [at, client] of clients.entries()) client.send(Buffer.from(`${at}`.repeat(1000)));
  }
  await until(() => texts.join('').length === 160_000, 'all pieces');
  for (const client of clients) client.close();
  expect([...texts].sort()).toEqual(clients.map((_, at) => `${at}`.repeat(20_000)));
});
