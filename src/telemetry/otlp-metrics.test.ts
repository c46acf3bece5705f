/** What is understood of OTLP. */
import fc from 'fast-check';
import { MalformedMessage } from '../codec/malformed';
import { doubleField, field, fixed64Field, otlpMetrics } from '../testing/otlp';
import { LONGEST_TEXT, MOST_ATTRIBUTES, MOST_POINTS, readOtlpMetrics } from './otlp-metrics';

it('reads gauges and sums with their attributes', () => {
  const bytes = otlpMetrics(
    [
      { name: 'a.gauge', gauge: 1.5, attributes: { topic: 't' } },
      { name: 'b.total', delta: 3 },
      { name: 'c.total', cumulative: 4 },
    ],
    { client_rack: 'r1' },
  );
  const rack = new Map([['client_rack', 'r1']]);
  const gauge = { kind: 'gauge', isDelta: false, attributes: new Map([...rack, ['topic', 't']]) };
  expect(readOtlpMetrics(bytes)).toEqual([
    { name: 'a.gauge', help: 'about a.gauge', value: 1.5, ...gauge },
    { name: 'b.total', help: 'about b.total', value: 3, kind: 'sum', isDelta: true, attributes: rack },
    { name: 'c.total', help: 'about c.total', value: 4, kind: 'sum', isDelta: false, attributes: rack },
  ]);
});

it('reads whole numbers, and count and sum of histograms', () => {
  const whole = field(2, Buffer.concat([field(1, 'w'), field(5, field(1, fixed64Field(6, -3n)))]));
  const point = Buffer.concat([fixed64Field(4, 5n), doubleField(5, 12.5)]);
  const histogram = field(2, Buffer.concat([field(1, 'h'), field(9, field(1, point))]));
  const points = readOtlpMetrics(field(1, field(2, Buffer.concat([whole, histogram]))));
  expect(points.map(({ name, kind, value }) => [name, kind, value])).toEqual([
    ['w', 'gauge', -3],
    ['h.count', 'sum', 5],
    ['h.sum', 'sum', 12.5],
  ]);
});

it('leaves out what it does not know', () => {
  expect(readOtlpMetrics(field(1, field(2, field(2, Buffer.concat([field(1, 's'), field(11, 'summary')])))))).toEqual(
    [],
  );
  expect(readOtlpMetrics(Buffer.alloc(0))).toEqual([]);
});

it('takes no more of long texts and of many attributes than is kept of them', () => {
  const long = 'ä'.repeat(100_000);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'v']));
  const [first, second] = readOtlpMetrics(
    otlpMetrics([
      { name: 'a', gauge: 1, attributes: { [long]: long } },
      { name: 'b', gauge: 1, attributes: many },
    ]),
  );
  const cut = 'ä'.repeat(LONGEST_TEXT / 2);
  expect([...first!.attributes]).toEqual([[cut, cut]]);
  expect(second!.attributes.size).toBe(MOST_ATTRIBUTES + 1);
  const ofResource = readOtlpMetrics(otlpMetrics([{ name: 'c', gauge: 1, attributes: { last: 'x' } }], many));
  expect(ofResource[0]!.attributes.size).toBe(MOST_ATTRIBUTES + 1);
});

it('reads so many points and no more', () => {
  const points = Buffer.concat(Array.from({ length: MOST_POINTS + 100 }, () => field(1, doubleField(4, 1))));
  const metric = field(2, Buffer.concat([field(1, 'a'), field(5, points)]));
  const push = field(1, field(2, Buffer.concat([metric, metric])));
  expect(readOtlpMetrics(push)).toHaveLength(MOST_POINTS);
  const values = Buffer.concat([1, 2, 3].map((value) => doubleField(4, value)));
  const often = field(1, field(2, field(2, Buffer.concat([field(1, 'a'), field(5, field(1, values))]))));
  expect(readOtlpMetrics(often).map(({ value }) => value)).toEqual([3]);
});

it('refuses bytes that are no metrics, and throws nothing else', () => {
  const whole = otlpMetrics(
    [
      { name: 'a', gauge: 1, attributes: { k: 'v' } },
      { name: 'b', delta: 2 },
    ],
    { r: 'x' },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, byte] of changes) bytes[at] = byte;
      try {
        readOtlpMetrics(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage);
      }
    }),
  );
});
