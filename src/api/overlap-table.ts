/**
 * Which request may start while an earlier one of the same connection has passed its first stage but has no answer yet.
 * Everything else waits, as in Kafka, so that each request sees all effects of those before it.
 */
import { ApiKey } from '../codec/generated/apis';

/**
 * earlier → later. Produce behind Produce: the records of both are appended in order; only the acknowledgements of the
 * first are still awaited, and nothing in the answer to the second depends on them.
 */
const ALLOWED: readonly { readonly earlier: ApiKey; readonly later: ApiKey }[] = [
  { earlier: ApiKey.Produce, later: ApiKey.Produce },
];

export function mayOverlap(earlier: number, later: number): boolean {
  return ALLOWED.some((pair) => pair.earlier === earlier && pair.later === later);
}
