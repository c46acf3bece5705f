/** Prometheus' text: heads, labels, escapes, and families of any size in pieces. */
import { systemClock } from '../base/clock';
import { Exposition, type Family } from './exposition';
import { sample } from './metric-row';

async function textOf(...families: Family[]): Promise<string> {
  const exposition = new Exposition(systemClock);
  let text = '';
  for await (const piece of exposition.pieces(families)) text += piece;
  return text;
}

const family = (o: Partial<Family>): Family => ({
  name: 'a_metric',
  type: 'gauge',
  help: 'What it is',
  labels: [],
  samples: [sample(1)],
  ...o,
});

it('gives heads, labels and values, and what is known of the process', async () => {
  const text = await textOf(
    family({ samples: [sample(0.5)] }),
    family({ name: 'b_total', type: 'counter', labels: ['x'], samples: [sample(3), sample(2, { x: 'a"b\\c\nd' })] }),
    family({ name: 'c_metric', labels: ['x'], samples: [] }),
  );
  expect(text).toContain('# HELP a_metric What it is\n# TYPE a_metric gauge\na_metric 0.5\n');
  expect(text).toContain('# TYPE b_total counter\nb_total 3\nb_total{x="a\\"b\\\\c\\nd"} 2\n');
  expect(text).toContain('# TYPE c_metric gauge\n');
  expect(text).toMatch(/^process_cpu_seconds_total \S+$/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
});

it('gives a family of any size in pieces, with one head', async () => {
  const count = 2500;
  const samples = Array.from({ length: count }, (_, i) => sample(i, { x: String(i) }));
  const exposition = new Exposition(systemClock);
  const sizes: number[] = [];
  let text = '';
  for await (const piece of exposition.pieces([family({ labels: ['x'], samples })])) {
    sizes.push(piece.split('\n').length);
    text += piece;
  }
  expect(Math.max(...sizes)).toBeLessThan(600);
  const lines = text.split('\n').filter((line) => line.includes('a_metric'));
  expect(lines.slice(0, 2)).toEqual(['# HELP a_metric What it is', '# TYPE a_metric gauge']);
  expect(lines.slice(2)).toEqual(samples.map(({ value }) => `a_metric{x="${value}"} ${value}`));
});

it('makes smaller pieces where names are long', async () => {
  const samples = Array.from({ length: 100 }, (_, i) => sample(i, { x: `${i}${'x'.repeat(30_000)}` }));
  const exposition = new Exposition(systemClock);
  const sizes: number[] = [];
  for await (const piece of exposition.pieces([family({ labels: ['x'], samples })])) sizes.push(piece.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(3_000_000);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
});

it('refuses names and labels that Prometheus would not take', async () => {
  await expect(textOf(family({ name: 'no-name' }))).rejects.toThrow();
  await expect(textOf(family({ samples: [sample(1, { other: 'x' })] }))).rejects.toThrow();
});
