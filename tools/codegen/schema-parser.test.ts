/** The grammar of schema files: what it says, and how it refuses what it cannot read. */
import { parseApiSchema, parseRecordSchema, SchemaError } from './schema-parser';

function api(request: string, header = 'api 7 Thing\nversions 0-5\nflexible 3+'): ReturnType<typeof parseApiSchema> {
  return parseApiSchema('thing.msg', `${header}\n\nrequest\n${request}\n\nresponse\n  errorCode  int16\n`);
}

function field(line: string) {
  return api(`  ${line}`).request.struct.fields[0]!;
}

it('reads headers', () => {
  const header = '# about it\napi 7 Thing\nversions 1-5\nflexible none\nunreleased 4+\nserved';
  expect(api('  a  int8  # note', header)).toMatchObject({
    ...{ key: 7, name: 'Thing', versions: { low: 1, high: 5 }, newestReleased: 3, served: true },
    firstFlexible: Number.POSITIVE_INFINITY,
  });
  expect(api('  a  int8')).toMatchObject({ newestReleased: 5, served: false, firstFlexible: 3 });
});

it('reads fields', () => {
  expect(field('a  int32')).toEqual({
    ...{ name: 'a', isArray: false, element: { kind: 'primitive', primitive: 'int32' } },
    ...{ versions: { low: 0, high: 5 }, nullable: null, tag: null, exact: false, ignorable: false, defaultText: null },
  });
  expect(field('a  []string?2-3  1-4  ignorable  = null')).toMatchObject({
    ...{ isArray: true, versions: { low: 1, high: 4 }, nullable: { low: 2, high: 3 } },
    ...{ ignorable: true, defaultText: 'null' },
  });
  expect(field('a  int64  3+  tag 2  exact  = -1')).toMatchObject({
    ...{ versions: { low: 3, high: 5 }, tag: 2, exact: true, defaultText: '-1' },
  });
  expect(field('a  string?4').nullable).toEqual({ low: 4, high: 5 });
  expect(field('a  string?').nullable).toEqual({ low: 0, high: 5 });
});

it('narrows nested fields to the versions of their parent', () => {
  const { element } = field('a  []Part  2+\n    b  int8\n    c  int8  0-3');
  expect(element).toMatchObject({
    struct: {
      versions: { low: 2, high: 5 },
      fields: [{ versions: { low: 2, high: 5 } }, { versions: { low: 2, high: 3 } }],
    },
  });
});

it('gives a struct with several uses all versions', () => {
  const { fields } = api('  a  []Part  2+\n    b  int8\n  c  Part').request.struct;
  expect(fields[0]!.element).toBe(fields[1]!.element.kind === 'struct' ? fields[0]!.element : null);
  expect(fields[1]!.element).toMatchObject({ struct: { name: 'Part', versions: { low: 0, high: 5 } } });
});

it('reads records', () => {
  const text =
    'record 2 Thing\n\nkey versions 0 flexible none\n  a  int8\n\nvalue versions 0-3 flexible 2+\n  b  int8\n';
  const schema = parseRecordSchema('thing.msg', text);
  expect(schema).toMatchObject({ id: 2, name: 'Thing' });
  expect(schema.messages.map((message) => [message.struct.name, message.versions, message.firstFlexible])).toEqual([
    ['ThingKey', { low: 0, high: 0 }, Number.POSITIVE_INFINITY],
    ['ThingValue', { low: 0, high: 3 }, 2],
  ]);
  expect(parseRecordSchema('t.msg', 'record T\ndata versions 0 flexible 0+\n').id).toBeNull();
});

const refusals: readonly [string, string][] = [
  ['  a', 'thing.msg:6: expected: name type'],
  ['  A  int8', 'thing.msg:6: expected: name type'],
  [' a  int8', 'thing.msg:6: indent by two spaces'],
  ['  a  int9', "thing.msg:6: unknown type 'int9'"],
  ['  a  Part', 'thing.msg:6: struct Part has no fields'],
  ['  a  int8\n    b  int8', 'thing.msg:6: int8 has no fields'],
  ['  a  int8\n      b  int8', 'thing.msg:7: indented deeper than its parent'],
  ['  a  int8  6+', 'thing.msg:6: no version of its parent has this field'],
  ['  a  int8  3-2', "thing.msg:6: empty version range '3-2'"],
  ['  a  int8  3x', "thing.msg:6: bad version range '3x'"],
  ['  a  int8  tag', 'thing.msg:6: tag needs a number'],
  ['  a  int8  tag 0', 'thing.msg:6: a tag before the first flexible version'],
  ['  a  int8  =', "thing.msg:6: nothing after '='"],
  ['  a  int8  soon', "thing.msg:6: unknown word 'soon'"],
  ['  a  int8\n  a  int16', 'thing.msg:7: a second field of this name'],
  ['  a  Part\n    b  int8\n  c  Part\n    d  int8', 'thing.msg:8: struct Part is described twice'],
];

it.each(refusals)('refuses %j', (request, message) => {
  expect(() => api(request)).toThrow(new SchemaError(message));
});

it('refuses incomplete headers', () => {
  const header = (text: string) => () => api('  a  int8', text);
  expect(header('api 7 Thing\nflexible 3+')).toThrow("no line 'versions'");
  expect(header('api x Thing\nversions 0\nflexible 3+')).toThrow('expected: api KEY NAME');
  expect(header('api 7 Thing\nversions 0\nflexible 3')).toThrow("flexible needs 'N+' or 'none'");
  expect(() => parseApiSchema('t.msg', 'api 7 T\nversions 0\nflexible 0+\n\nrequest\n')).toThrow(
    "no section 'response'",
  );
  expect(() => parseApiSchema('t.msg', 'api 7 T\n  a  int8\n')).toThrow('a field outside any section');
  expect(() => parseRecordSchema('t.msg', 'thing\n')).toThrow('expected: record [ID] NAME');
  expect(() => parseRecordSchema('t.msg', 'record T\ndata versions 0\n')).toThrow('expected: data versions A-B');
});
