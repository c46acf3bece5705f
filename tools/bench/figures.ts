/** What was measured, by name, and the table of both brokers' figures. */

export type Figures = Map<string, number>;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
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
