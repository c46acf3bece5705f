/** Conditions on single settings. */
import { gzipLevel, throttledReplicas } from './value-checks';

describe('value checks', () => {
  it.each([-1, 1, 9, null])('gzip has level %s', (level) => expect(gzipLevel.test(level)).toBe(true));
  it.each([-2, 0, 10])('gzip has no level %s', (level) => expect(gzipLevel.test(level)).toBe(false));

  it.each([[[]], [['*']], [['0:1', '12:3']]])('%j names replicas', (list) => {
    expect(throttledReplicas.test(list)).toBe(true);
  });
  it.each([[['*', '0:1']], [['0']], [['a:b']]])('%j names none', (list) => {
    expect(throttledReplicas.test(list)).toBe(false);
  });
});
