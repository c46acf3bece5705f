/** Results carry a value or an error, and a message only where one was given. */
import { err, ok } from './result';

it('has the fields that were given and no others', () => {
  expect(ok(1)).toEqual({ ok: true, value: 1 });
  expect(err('bad')).toStrictEqual({ ok: false, error: 'bad' });
  expect(err('bad', 'since')).toStrictEqual({ ok: false, error: 'bad', message: 'since' });
});
