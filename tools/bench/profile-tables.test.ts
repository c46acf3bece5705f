/** Self time and allocations, from profiles as V8 writes them. */
import { allocations, lines, partOf, selfTimes } from './profile-tables';

function frame(functionName: string, url = '', lineNumber = -1) {
  return { functionName, url, lineNumber };
}

it.each([
  [frame('read', 'file:///x/dist/net/reader.js', 4), 'net'],
  [frame('main', 'file:///x/dist/broker.js', 4), 'the broker itself'],
  [frame('emit', 'node:events', 4), 'node internals'],
  [frame('crc', '/x/node_modules/@node-rs/crc32/index.js', 4), 'package @node-rs/crc32'],
  [frame('(idle)'), 'idle'],
  [frame('(garbage collector)'), 'garbage collection'],
  [frame('writev'), 'built-in functions'],
])('%j is of %s', (callFrame, part) => {
  expect(partOf(callFrame)).toBe(part);
});

it('adds up self times by function and part', () => {
  const read = frame('read', 'file:///x/dist/net/reader.js', 4);
  const nodes = [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: read },
    { id: 3, callFrame: read },
  ];
  const views = selfTimes({ nodes, samples: [1, 2, 3], timeDeltas: [1000, 2000, 4000] });
  expect(views.byPart).toEqual([
    ['net', 6],
    ['idle', 1],
  ]);
  expect(views.byFunction[0]).toEqual(['read net/reader.js:5', 6]);
  expect(lines(views.byFunction, { unit: 'ms', divisor: 1, most: 1 })).toEqual([
    ' 85.7 %        6.0 ms  read net/reader.js:5',
  ]);
});

it('adds up what was allocated in the whole tree', () => {
  const leaf = { callFrame: frame('leaf', 'node:buffer', 0), selfSize: 10, children: [] };
  const head = { callFrame: frame('(root)'), selfSize: 0, children: [{ ...leaf, children: [leaf] }] };
  expect(allocations({ head }).byPart).toEqual([['node internals', 20]]);
});
