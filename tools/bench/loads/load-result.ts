/** What `load.c` says at its end, read from its line of NAME=VALUE words. */

export interface Percentiles {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
}

export interface LoadResult {
  /** Answered ones; every one that was sent is. */
  readonly requests: number;
  /** With a rate: those that were due and could not be sent in time. Their waiting is in the latencies. */
  readonly unsent: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Batches that came back. */
  readonly batches: number;
  /** Idle connections that the broker has closed. */
  readonly closed: number;
  readonly seconds: number;
  /** Of the load itself. */
  readonly cpuSeconds: number;
  /** From when a request was sent, or was to be, to its answer. */
  readonly latency: Percentiles;
  /** From when a batch was to be sent to when it came back; of mixed loads. */
  readonly endToEnd?: Percentiles;
}

/** Throws when a figure is missing. */
export function parseLoadResult(line: string): LoadResult {
  const figures = new Map<string, string>();
  for (const word of line.trim().split(/\s+/)) {
    const at = word.indexOf('=');
    figures.set(word.slice(0, at), word.slice(at + 1));
  }
  const figure = (name: string): number => {
    const value = Number(figures.get(name) ?? Number.NaN);
    if (Number.isNaN(value)) throw new Error(`the load did not tell ${name}: ${line}`);
    return value;
  };
  const percentiles = (prefix: string): Percentiles => ({
    p50Us: figure(`${prefix}p50Us`),
    p99Us: figure(`${prefix}p99Us`),
    p999Us: figure(`${prefix}p999Us`),
    maxUs: figure(`${prefix}maxUs`),
  });
  return {
    requests: figure('requests'),
    unsent: figure('unsent'),
    sentBytes: figure('sentBytes'),
    receivedBytes: figure('receivedBytes'),
    batches: figure('batches'),
    closed: figure('closed'),
    seconds: figure('seconds'),
    cpuSeconds: figure('cpuSeconds'),
    latency: percentiles(''),
    ...(figures.has('endToEnd.p50Us') ? { endToEnd: percentiles('endToEnd.') } : {}),
  };
}
