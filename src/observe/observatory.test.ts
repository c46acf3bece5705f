/** What is answered before the broker serves and while it stops; the rest is in observation.test.ts, over HTTP. */
import { systemClock } from '../base/clock';
import { Observatory, type Report } from './observatory';

let observatory: Observatory;

beforeEach(() => {
  observatory = new Observatory(systemClock);
});

async function textOf(report: Report | undefined): Promise<string> {
  const body = report?.body ?? '';
  if (typeof body === 'string') return body;
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

const ask = async (path: string) => {
  const report = await observatory.report(path);
  return [report?.status, await textOf(report)];
};

it('is alive and not ready while it starts', async () => {
  expect(await ask('/health')).toEqual([200, '{"status":"ok","phase":"starting"}\n']);
  expect(await ask('/ready')).toEqual([503, '{"ready":false,"missing":["the broker is starting"]}\n']);
  const [status, text] = await ask('/metrics');
  expect(status).toBe(200);
  expect(text).toMatch(/^kafka_server_kafkaserver_brokerstate 1$/m);
  expect(text).toMatch(/^process_cpu_seconds_total /m);
});

it('is not ready while it stops, and asks nothing of what is being closed', async () => {
  observatory.onStopping();
  expect(await ask('/ready')).toEqual([503, '{"ready":false,"missing":["the broker is stopping"]}\n']);
  expect((await ask('/metrics'))[1]).toMatch(/^kafka_server_kafkaserver_brokerstate 6$/m);
});

it('knows no other path', async () => {
  expect(await observatory.report('/other')).toBeUndefined();
});

it('lets no more than two scrapes run at a time', async () => {
  const scrapes = [await observatory.report('/metrics'), await observatory.report('/metrics')];
  const pieces = scrapes.map((scrape) => (scrape!.body as AsyncIterable<string>)[Symbol.asyncIterator]());
  for (const each of pieces) await each.next();
  expect((await ask('/metrics'))[0]).toBe(503);
  for (const each of pieces) await each.return?.(undefined);
  expect((await ask('/metrics'))[0]).toBe(200);
});
