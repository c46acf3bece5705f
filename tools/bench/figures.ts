/** What was measured, by name, what of it is better, and the table of both brokers' figures. */

export type Figures = Map<string, number>;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}

/** Whether a figure is a cost, by its unit; of rates and shares more is better. */
export function lessIsBetter(figure: string): boolean {
  return !/\/s\b|%$/.test(figure.replace(/CPU-s\/.*/, 'CPU'));
}

/** A measured value of several runs. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The spread of what is there; undefined for nothing. */
export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

export function printTable(runs: ReadonlyMap<string, readonly Figures[]>): void {
  const [ours, theirs] = [runs.get('odradek') ?? [], runs.get('kafka') ?? []];
  console.log('| what | Odradek (min–max) | Apache Kafka (min–max) | ratio, median of pairs |\n|---|---|---|---|');
  for (const name of ours[0]?.keys() ?? []) {
    const [a, b] = [ours.map((run) => run.get(name) ?? Number.NaN), theirs.map((run) => run.get(name) ?? Number.NaN)];
    const cell = (values: readonly number[]): string =>
      `${shown(median(values))} (${shown(Math.min(...values))}–${shown(Math.max(...values))})`;
    const ratio = median(a.map((value, pair) => value / (b[pair] ?? Number.NaN)));
    console.log(`| ${name} | ${cell(a)} | ${cell(b)} | ${ratio.toFixed(2)} |`);
  }
}
