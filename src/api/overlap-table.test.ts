/** The overlap table is the allow-list of ARCHITECTURE.md and nothing more. */
import { ApiKey } from '../codec/generated/apis';
import { mayOverlap } from './overlap-table';

it('lets Produce start behind Produce, and nothing else', () => {
  const keys = Object.values(ApiKey);
  const allowed = keys.flatMap((earlier) =>
    keys.filter((later) => mayOverlap(earlier, later)).map((later) => [earlier, later]),
  );
  expect(allowed).toEqual([[ApiKey.Produce, ApiKey.Produce]]);
});
