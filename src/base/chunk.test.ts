/** A chunk is bytes or a file region. */
import { isFileRegion } from './chunk';

it('tells bytes from a file region', () => {
  expect(isFileRegion(Buffer.alloc(1))).toBe(false);
  expect(isFileRegion({ length: 1, read: async () => 1, release: () => undefined })).toBe(true);
});
