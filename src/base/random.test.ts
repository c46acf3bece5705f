/** Random ids look as Kafka's do, whatever the source of chance gives. */
import { randomUuid, systemRandom } from './random';

it('makes version-4 ids of 22 characters that do not start with a dash', () => {
  const seen = new Set(Array.from({ length: 500 }, () => randomUuid(systemRandom)));
  expect(seen.size).toBe(500);
  for (const id of seen) {
    expect(id).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/);
    const bytes = Buffer.from(id, 'base64url');
    expect([bytes.length, bytes[6]! >> 4, bytes[8]! >> 6]).toEqual([16, 4, 2]);
  }
});

it('tries again where an id would start with a dash', () => {
  const sources = [Buffer.alloc(16, 0xf8), Buffer.alloc(16, 1)];
  const random = { bytes: () => Buffer.from(sources.shift()!), integer: () => 0 };
  expect(randomUuid(random).startsWith('AQEBAQEB')).toBe(true);
});

it('gives integers below the bound', () => {
  for (let i = 0; i < 200; i++) {
    const value = systemRandom.integer(3);
    expect([0, 1, 2]).toContain(value);
  }
  expect(systemRandom.bytes(5).length).toBe(5);
});
