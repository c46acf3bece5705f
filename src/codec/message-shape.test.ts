/** Shapes: defaults of every type, versions with open ends, and the generated ones beside their codecs. */
import { ZERO_UUID } from '../base/random';
import { newFetchRequest } from './generated/01-fetch';
import { apis } from './generated/apis';
import { shapes } from './generated/shapes';
import { defaultJson, isInVersion, type StructShape, type ValueType } from './message-shape';

const part: StructShape = { name: 'Part', fields: [{ name: 'id', type: 'int32', defaultValue: -1 }] };

it.each<[ValueType | StructShape, unknown]>([
  ['bool', false],
  ['int8', 0],
  ['int64', 0],
  ['float64', 0],
  ['uuid', ZERO_UUID],
  ['string', ''],
  ['bytes', ''],
  ['records', ''],
  [part, { id: -1 }],
])('the default of %j', (type, value) => {
  expect(defaultJson({ name: 'f', type })).toEqual(value);
  expect(defaultJson({ name: 'f', type, isArray: true })).toEqual([]);
  expect(defaultJson({ name: 'f', type, defaultValue: null })).toBeNull();
});

it('versions have open ends', () => {
  const versions = (low?: number, high?: number): number[] =>
    [0, 1, 2, 3, 4].filter((version) =>
      isInVersion({ name: 'f', type: 'int8', ...(low ? { low } : {}), ...(high ? { high } : {}) }, version),
    );
  expect([versions(), versions(2), versions(0, 3), versions(2, 3)]).toEqual([
    [0, 1, 2, 3, 4],
    [2, 3, 4],
    [0, 1, 2, 3],
    [2, 3],
  ]);
});

it('both messages of every API have a shape', () => {
  const names = Object.keys(apis).flatMap((name) => [`${name}Request`, `${name}Response`]);
  expect(Object.keys(shapes).sort()).toEqual(names.sort());
});

it('shapes have the defaults of the generated code', () => {
  const defaults = Object.fromEntries(shapes.FetchRequest!.fields.map((field) => [field.name, defaultJson(field)]));
  const { maxBytes, sessionEpoch, clusterId, rackId } = newFetchRequest();
  expect(defaults).toMatchObject({ maxBytes, sessionEpoch, clusterId, rackId });
});
