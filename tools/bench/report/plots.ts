/**
 * The report's plots as SVG. Owns what is drawn of the rows; ECharts draws it, which is loaded only when there is
 * something to draw.
 */
import { lessIsBetter, type Spread } from '../figures';
import { CPU_PER_GB, CPU_PER_MILLION_REQUESTS, type Scenario } from '../scenario';
import { type Row, rows } from './rows';
import type { Recorded } from './session';

const COLOURS = ['#2f6f9f', '#d98032', '#7a9a3a'];
const SIDES = [
  { side: 'odradek', title: 'Odradek', colour: '#2f6f9f' },
  { side: 'kafka', title: 'Apache Kafka', colour: '#d98032' },
] as const;
const WIDTH = 1000;
const BAR_ROW_HEIGHT = 30;
const FRAME_HEIGHT = 130;
const LINES_HEIGHT = 420;

/** What of a scenario is drawn, by series. */
const RATIO_SERIES: readonly { readonly title: string; readonly figures: readonly string[] }[] = [
  { title: 'throughput', figures: ['MB/s', 'requests/s'] },
  { title: 'CPU', figures: [CPU_PER_GB, CPU_PER_MILLION_REQUESTS] },
  { title: 'p99, memory, start', figures: ['end to end p99, ms', 'p99, ms', 'memory, MB', 'ready, ms'] },
];
const PERCENTILES = [
  { figure: 'end to end p50, ms', title: 'p50', dash: 'dotted' },
  { figure: 'end to end p99, ms', title: 'p99', dash: 'solid' },
  { figure: 'end to end p99.9, ms', title: 'p99.9', dash: 'dashed' },
] as const;

/** A plot's file name → the SVG's text. */
export type Plots = ReadonlyMap<string, string>;

async function draw(height: number, option: object): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({ backgroundColor: '#ffffff', animation: false, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** How many times better Odradek is: a cost's ratio upside down. */
function advantage({ figure, ratio }: Row): number | undefined {
  if (ratio === undefined || !(ratio.median > 0) || !Number.isFinite(ratio.median)) return undefined;
  return lessIsBetter(figure) ? 1 / ratio.median : ratio.median;
}

function times(exponent: number): string {
  const value = 2 ** exponent;
  return value >= 1 ? `${Math.round(value * 100) / 100}×` : `1/${Math.round(100 / value) / 100}×`;
}

/** Bars from 1 to the left and the right: a logarithmic axis, drawn as a linear one of exponents of two. */
function ratioOption(table: readonly Row[]): { height: number; option: object } | undefined {
  const isDrawn = (row: Row): boolean =>
    advantage(row) !== undefined && RATIO_SERIES.some(({ figures }) => figures.includes(row.figure));
  const names = [...new Set(table.filter(isDrawn).map(({ scenario }) => scenario))];
  const series = RATIO_SERIES.map(({ title, figures }, at) => ({
    name: title,
    type: 'bar',
    color: COLOURS[at],
    data: names.map((name) => {
      const row = table.find(({ scenario, figure }) => scenario === name && figures.includes(figure));
      const value = row === undefined ? undefined : advantage(row);
      return value === undefined ? null : Math.log2(value);
    }),
  })).filter(({ data }) => data.some((value) => value !== null));
  if (series.length === 0) return undefined;
  const axis = {
    type: 'value',
    interval: 1,
    axisLabel: { formatter: times, fontSize: 11, hideOverlap: true },
    position: 'top',
  };
  const option = {
    title: { text: 'Odradek beside Apache Kafka: how many times better (right) or worse (left)', left: 'center' },
    legend: { bottom: 10, itemGap: 40 },
    grid: { left: 400, right: 40, top: 70, bottom: 50 },
    xAxis: axis,
    yAxis: {
      type: 'category',
      inverse: true,
      data: names,
      axisLine: { onZero: false },
      axisTick: { show: false },
      axisLabel: { fontSize: 11 },
    },
    series,
  };
  return { height: names.length * BAR_ROW_HEIGHT + FRAME_HEIGHT, option };
}

/** Percentiles of the mixed scenarios over their loads. */
function latencyOption(table: readonly Row[]): object | undefined {
  const loads = new Map<string, string>();
  for (const { group, scenario } of table) {
    const share = /(\d+ %) of what both can do/.exec(scenario)?.[1];
    if (group === 'mixed' && share !== undefined) loads.set(share, scenario);
  }
  if (loads.size === 0) return undefined;
  const at = (figure: string, side: 'odradek' | 'kafka'): (number | null)[] =>
    [...loads.values()].map((name) => {
      const row = table.find((one) => one.scenario === name && one.figure === figure);
      const value: Spread | undefined = row?.[side];
      return value === undefined ? null : Math.round(value.median * 100) / 100;
    });
  const series = SIDES.flatMap(({ side, title, colour }) =>
    PERCENTILES.map(({ figure, title: percentile, dash }) => ({
      name: `${title}, ${percentile}`,
      type: 'line',
      color: colour,
      lineStyle: { type: dash },
      data: at(figure, side),
    })),
  );
  return {
    title: { text: 'Milliseconds from sending to receiving, by load', left: 'center' },
    legend: { bottom: 10, itemGap: 40 },
    grid: { left: 70, right: 40, top: 60, bottom: 90 },
    xAxis: { type: 'category', data: [...loads.keys()], name: '', boundaryGap: true },
    yAxis: { type: 'log', axisLabel: { formatter: '{value} ms' } },
    series,
  };
}

/** File names and texts of all plots that the record has figures for. */
export async function plots(recorded: Recorded, scenarios: readonly Scenario[]): Promise<Plots> {
  const table = rows(
    recorded.sessions.flatMap(({ runs }) => runs),
    scenarios,
  );
  const drawn = new Map<string, string>();
  const ratios = ratioOption(table);
  if (ratios !== undefined) drawn.set('ratios.svg', await draw(ratios.height, ratios.option));
  const latency = latencyOption(table);
  if (latency !== undefined) drawn.set('latency.svg', await draw(LINES_HEIGHT, latency));
  return drawn;
}
