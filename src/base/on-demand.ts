/**
 * What is made when it is first asked for. For modules that few processes need, or none before its first requests:
 * `const lz4 = onDemand(() => require('./lz4') as typeof import('./lz4'))`.
 */

/** Gives what `make` made at the first call, each time; where `make` threw, the next call tries again. */
export function onDemand<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
