/** What is answered, and that no client holds the endpoint up. */
import { silentLogger } from '../base/logger';
import { RawClient, until } from '../testing/raw-client';
import { RecordingLogger } from '../testing/recording-logger';
import { type HttpAnswer, HttpEndpoint } from './http-endpoint';

let endpoint: HttpEndpoint;

async function open(answers: Record<string, HttpAnswer | Error>, idleMs?: number): Promise<string> {
  endpoint = await HttpEndpoint.open({
    host: '127.0.0.1',
    port: 0,
    logger: silentLogger,
    handler: async (path) => {
      const answer = answers[path];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  return `http://127.0.0.1:${endpoint.port}`;
}

const text = (body: HttpAnswer['body'], status = 200): HttpAnswer => ({ status, contentType: 'text/plain', body });

afterEach(() => endpoint.close());

it('answers paths, whole or in pieces, whatever their query', async () => {
  const pieces = (async function* () {
    for (let piece = 0; piece < 100; piece++) yield `${piece}\n`.repeat(1000);
  })();
  const base = await open({ '/a': text('whole', 503), '/b': text(pieces) });
  const whole = await fetch(`${base}/a?x=1`);
  expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([503, 'text/plain', 'whole']);
  const answer = await (await fetch(`${base}/b`)).text();
  expect(answer.split('\n')).toHaveLength(100_001);
});

it('refuses other paths, methods and bodies', async () => {
  const base = await open({ '/a': text('x') });
  expect((await fetch(`${base}/none`)).status).toBe(404);
  expect((await fetch(`${base}/a`, { method: 'DELETE' })).status).toBe(405);
  expect((await fetch(`${base}/a`, { method: 'POST', body: 'x' })).status).toBe(405);
  const head = await fetch(`${base}/a`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

it('ends a client that does not finish its request, and one that says too much', async () => {
  await open({}, 100);
  const slow = await RawClient.open(endpoint.port);
  slow.socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
  await until(() => slow.closed);
  const long = await RawClient.open(endpoint.port);
  long.socket.write(`GET / HTTP/1.1\r\nHost: ${'x'.repeat(10_000)}\r\n\r\n`);
  await until(() => long.closed);
  const noise = await RawClient.open(endpoint.port);
  noise.socket.write(Buffer.from([0, 0, 0, 20, 0, 18, 0, 3]));
  await until(() => noise.closed);
});

it('ends a client that does not take its answer, and stops making it', async () => {
  let made = 0;
  let hasEnded = false;
  const endless = (async function* () {
    try {
      for (;;) {
        made++;
        yield 'x'.repeat(65_536);
      }
    } finally {
      hasEnded = true;
    }
  })();
  await open({ '/': text(endless) }, 200);
  const client = await RawClient.open(endpoint.port);
  client.socket.pause();
  client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => hasEnded);
  expect(made * 65_536).toBeLessThan(50_000_000);
  client.close();
});

it('makes one answer of a connection at a time', async () => {
  let begun = 0;
  const pieces = async function* () {
    begun++;
    yield 'x'.repeat(100_000);
  };
  await open({
    get '/'() {
      return text(pieces());
    },
  });
  const client = await RawClient.open(endpoint.port);
  const answers: Buffer[] = [];
  client.socket.on('data', (data) => answers.push(data));
  client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000));
  await until(() => client.closed);
  expect(begun).toBe(1);
  const statuses = Buffer.concat(answers)
    .toString()
    .match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']);
});

it('serves no more than so many at a time', async () => {
  await open({});
  const clients: RawClient[] = [];
  for (let count = 0; count < 40; count++) clients.push(await RawClient.open(endpoint.port));
  await until(() => clients.filter(({ closed }) => closed).length === 8);
  for (const client of clients) client.close();
});

it('says what cannot be listened on, and logs what fails', async () => {
  const base = await open({ '/bug': new Error('bug') });
  const logger = new RecordingLogger();
  const taken = { host: '127.0.0.1', port: endpoint.port, handler: async () => undefined, logger };
  await expect(HttpEndpoint.open(taken)).rejects.toThrow(/cannot listen on http:\/\/127\.0\.0\.1:\d+: .*EADDRINUSE/);
  await expect(fetch(`${base}/bug`)).rejects.toThrow();
});
