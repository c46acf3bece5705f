/** Conditions on single settings. */
import { formatVersion, gzipLevel, throttledReplicas } from './value-checks';

describe('value checks', () => {
  it.each([-1, 1, 9, null])('gzip has level %s', (level) => expect(gzipLevel.test(level)).toBe(true));
  it.each([-2, 0, 10])('gzip has no level %s', (level) => expect(gzipLevel.test(level)).toBe(false));

  it.each([[[]], [['*']], [['0:1', '12:3']]])('%j names replicas', (list) => {
    expect(throttledReplicas.test(list)).toBe(true);
  });
  it.each([[['*', '0:1']], [['0']], [['a:b']]])('%j names none', (list) => {
    expect(throttledReplicas.test(list)).toBe(false);
  });

  it.each(['0.8.0', '0.10.2', '0.10.2.1', '0.11.0-IV2', '2.8', '2.8-IV1', '2.8.1', '3.0-IV1', '3.9'])(
    '%s is a version of the record format',
    (version) => expect(formatVersion.test(version)).toBe(true),
  );
  it.each(['', 'newest', '2', '0.10', '2.8-IV2', '2.8-IV', '2.8-IVx', '1.2', '4.0', '__proto__'])(
    '%j is none',
    (version) => expect(formatVersion.test(version)).toBe(false),
  );
});
