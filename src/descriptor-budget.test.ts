/** Dividing descriptors between files and connections. */
import { descriptorBudget } from './descriptor-budget';

describe('descriptorBudget', () => {
  it.each([
    [undefined, 500, Number.POSITIVE_INFINITY],
    [1_048_576, 4000, 1_044_448],
    [8192, 2016, 6048],
    [1024, 224, 672],
    [256, 32, 96],
    [64, 16, 16],
  ])('of %s descriptors', (limit, openFiles, connections) => {
    expect(descriptorBudget(limit)).toEqual({ openFiles, connections });
  });
});
