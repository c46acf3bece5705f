/** JSON arrays whose elements are cut out of a text that comes in pieces. */
import { visitElements } from './json-elements';

const VALUE = {
  number: 12,
  items: [{ text: 'a "quoted" \\ [text], {"x":"\\""}' }, ['é€', [{}], '\\\\'], {}, [], { deep: { deeper: ['}'] } }],
};

/** The text in pieces of one size that share a buffer, as those of a file do. */
function* pieces(text: string, size: number): Iterable<Buffer> {
  const all = Buffer.from(text);
  const window = Buffer.alloc(size);
  for (let at = 0; at < all.length; at += size) yield window.subarray(0, all.copy(window, 0, at));
}

function read(text: string, size: number): { head: unknown; elements: unknown[] } {
  const elements: unknown[] = [];
  let head: unknown;
  visitElements(pieces(text, size), {
    head: (value) => {
      head = value;
      return true;
    },
    element: (value) => void elements.push(value),
  });
  return { head, elements };
}

it.each([1, 2, 3, 7, 64, 1000])('gives each element, in pieces of %d bytes', (size) => {
  const { number, items } = VALUE;
  expect(read(JSON.stringify({ number, items }), size)).toEqual({ head: { number, items: [] }, elements: items });
  expect(read('{"number":3,"items":[]}', size)).toEqual({ head: { number: 3, items: [] }, elements: [] });
});

it('skips elements that are not wanted', () => {
  const element = jest.fn();
  visitElements(pieces(JSON.stringify({ number: 1, items: [{}, {}] }), 5), { head: () => false, element });
  expect(element).not.toHaveBeenCalled();
});

it('refuses half a text', () => {
  expect(() => read('{"number":1,"items":[{}', 4)).toThrow(/JSON text/);
});
