/** Assertions stay on and say what failed. */
import { AssertionFailure, assert, unreachable } from './assert';

it('throws an AssertionFailure with the message, only where the condition fails', () => {
  expect(() => assert(true, 'fine')).not.toThrow();
  expect(() => assert(false, 'broken')).toThrow(new AssertionFailure('broken'));
  expect(() => unreachable('x' as never)).toThrow('unreachable: x');
});
