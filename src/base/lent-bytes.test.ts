/** Lent bytes are used again when all who have them gave them back, and not before. */
import { giveBackLent, lendBytes, shareLent } from './lent-bytes';

describe('lent bytes', () => {
  it('are used again', () => {
    const first = lendBytes(15_000);
    expect(first.length).toBe(15_000);
    giveBackLent(first);
    expect(lendBytes(14_000).buffer).toBe(first.buffer);
  });

  it('are not used again while anyone has them', () => {
    const shared = lendBytes(15_000);
    shareLent(shared);
    giveBackLent(shared);
    expect(lendBytes(15_000).buffer).not.toBe(shared.buffer);
    giveBackLent(shared);
    expect(lendBytes(15_000).buffer).toBe(shared.buffer);
  });

  it('given back twice by one are no other’s', () => {
    const first = lendBytes(15_000);
    giveBackLent(first);
    const second = lendBytes(15_000);
    giveBackLent(first);
    expect(lendBytes(15_000).buffer).not.toBe(second.buffer);
  });

  it('leave buffers of others, slices and small ones alone', () => {
    const small = lendBytes(100);
    const large = lendBytes(15_000);
    const bytes = [small, Buffer.alloc(15_000), large.subarray(0, 14_000)];
    for (const other of bytes) giveBackLent(other);
    for (let i = 0; i < 3; i++) expect(lendBytes(15_000).buffer).not.toBe(large.buffer);
  });
});
