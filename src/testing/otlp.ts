/** Metrics in OTLP as clients push them, for tests: a small writer of Protocol Buffers. */

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

export function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

export function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

function attributes(number: number, pairs: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(pairs).map(([key, value]) =>
      field(number, Buffer.concat([field(1, key), field(2, field(1, value))])),
    ),
  );
}

export interface OtlpMetric {
  readonly name: string;
  readonly gauge?: number;
  /** Of what came since the last push. */
  readonly delta?: number;
  readonly cumulative?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

function metric(o: OtlpMetric): Buffer {
  const { gauge, delta, cumulative } = o;
  const point = Buffer.concat([doubleField(4, gauge ?? delta ?? cumulative ?? 0), attributes(7, o.attributes ?? {})]);
  const data = field(1, point);
  const sum = (temporality: number) => field(7, Buffer.concat([data, varintField(2, temporality), varintField(3, 1)]));
  const kind = gauge !== undefined ? field(5, data) : sum(delta !== undefined ? 1 : 2);
  return field(2, Buffer.concat([field(1, o.name), field(2, `about ${o.name}`), kind]));
}

/** `MetricsData` of one client. */
export function otlpMetrics(metrics: readonly OtlpMetric[], resource: Readonly<Record<string, string>> = {}): Buffer {
  const scope = field(2, Buffer.concat(metrics.map(metric)));
  return field(1, Buffer.concat([field(1, attributes(1, resource)), scope]));
}
