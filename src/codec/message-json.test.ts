/** The JSON of messages: Kafka's form, what JSON has no number for, and refusals that say where. */
import { ZERO_UUID } from '../base/random';
import { MAX_INT64, MIN_INT64 } from './field-values';
import { longFromText } from './int64';
import { messageFromJson, messageShape, messageToJson } from './message-json';
import type { StructShape } from './message-shape';

const part: StructShape = {
  name: 'Part',
  fields: [
    { name: 'id', type: 'int32', defaultValue: -1 },
    { name: 'since', type: 'int64', low: 2 },
  ],
};
const shape: StructShape = {
  name: 'Thing',
  fields: [
    { name: 'flag', type: 'bool' },
    { name: 'small', type: 'int8' },
    { name: 'big', type: 'int64', defaultValue: '9223372036854775807' },
    { name: 'ratio', type: 'float64' },
    { name: 'id', type: 'uuid' },
    { name: 'bytes', type: 'bytes', defaultValue: null },
    { name: 'names', type: 'string', isArray: true, low: 1, high: 2 },
    { name: 'part', type: part, low: 1, isTagged: true },
    { name: 'limit', type: 'int64', isTagged: true, defaultValue: '9223372036854775807' },
  ],
};
const defaults = messageFromJson({}, shape);

describe('messageFromJson', () => {
  it('fills in defaults', () => {
    expect(defaults).toEqual({
      ...{ flag: false, small: 0, big: MAX_INT64, ratio: 0, id: ZERO_UUID, bytes: null, names: [] },
      ...{ part: { id: -1, since: 0 }, limit: MAX_INT64 },
    });
  });

  it.each([
    [{ flag: 0 }, 'Thing.flag is not true or false: 0'],
    [{ small: 128 }, 'Thing.small is not an int8: 128'],
    [{ small: 1.5 }, 'Thing.small is not an int8: 1.5'],
    [{ big: 2 ** 60 }, 'Thing.big is not an int64 (beyond 2^53 as a text of digits)'],
    [{ big: '9223372036854775808' }, 'Thing.big is not an int64: "9223372036854775808"'],
    [{ big: '0x10' }, 'Thing.big is not an int64'],
    [{ ratio: 'much' }, 'Thing.ratio is not a number: "much"'],
    [{ id: 7 }, 'Thing.id is not a text: 7'],
    [{ bytes: 'a' }, 'Thing.bytes is not base64: "a"'],
    [{ names: 'a' }, 'Thing.names is not an array: "a"'],
    [{ names: ['a', 1] }, 'Thing.names[1] is not a text: 1'],
    [{ part: { id: 'x' } }, 'Thing.part.id is not an int32: "x"'],
    [{ part: 5 }, 'Thing.part is not an object: 5'],
    [{ naem: 'a' }, 'Thing has no field naem in any version'],
    [[], 'Thing is not an object: []'],
  ])('refuses %j', (json, message) => {
    expect(() => messageFromJson(json, shape)).toThrow(message);
  });
});

describe('messageToJson', () => {
  it('leaves out what the version lacks and tagged fields at their default', () => {
    const plain = { flag: false, small: 0, big: '9223372036854775807', ratio: 0, id: ZERO_UUID, bytes: null };
    expect(messageToJson(defaults, shape, 0)).toEqual(plain);
    expect(messageToJson(defaults, shape, 2)).toEqual({ ...plain, names: [] });
    const told = { ...defaults, part: { id: -1, since: 7 }, limit: 3 };
    expect(messageToJson(told, shape, 1)).toEqual({ ...plain, names: [], part: { id: -1 }, limit: 3 });
    expect(messageToJson(told, shape, 3)).toEqual({ ...plain, part: { id: -1, since: 7 }, limit: 3 });
  });

  it('keeps a tagged end of int64 that is written out, and none that is not', () => {
    const writtenOut = { ...defaults, limit: longFromText('9223372036854775807') };
    expect(messageToJson(writtenOut, shape, 0).limit).toBe('9223372036854775807');
    expect(messageToJson(defaults, shape, 0)).not.toHaveProperty('limit');
    expect(messageFromJson({ limit: '9223372036854775807' }, shape).limit).not.toBe(MAX_INT64);
  });

  it.each([
    [5, 5],
    [MAX_INT64, '9223372036854775807'],
    [MIN_INT64, '-9223372036854775808'],
    [longFromText('9007199254740991'), 9007199254740991],
    [longFromText('9007199254740992'), '9007199254740992'],
    [longFromText('-9007199254740993'), '-9007199254740993'],
  ])('int64 %s', (value, json) => {
    expect(messageToJson({ ...defaults, big: value }, shape, 0).big).toBe(json);
    expect(messageToJson(messageFromJson({ big: json }, shape), shape, 0).big).toBe(json);
  });

  it.each([1.5, 'NaN', 'Infinity', '-Infinity', '-0'])('float64 %s', (json) => {
    expect(messageToJson(messageFromJson({ ratio: json }, shape), shape, 0).ratio).toBe(json);
  });
});

it('knows the shapes of both messages of an API', () => {
  expect(messageShape({ name: 'Fetch' }, 'request').name).toBe('FetchRequest');
  expect(messageShape({ name: 'Fetch' }, 'response').name).toBe('FetchResponse');
});
