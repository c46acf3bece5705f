/** Records of JSON that compress about as well as those of shops and services do: to between a quarter and a half. */
const WORDS = [
  ...['order', 'customer', 'payment', 'shipped', 'pending', 'address', 'street', 'warehouse', 'product', 'amount'],
  ...['currency', 'total', 'discount', 'returned', 'invoice', 'delivery', 'express', 'standard', 'priority', 'city'],
];
const CLOSING = '"end"]}';

/** `howMany` values of exactly `bytes` each; the same for the same seed. */
export function jsonRecords(howMany: number, bytes: number, seed: number): Buffer[] {
  let state = seed + 1;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const id = (): string =>
    below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const word = (): string => WORDS[below(WORDS.length)]!;
  return Array.from({ length: howMany }, () => {
    let text = `{"id":"${id()}","user":${below(1_000_000)},"type":"${word()}","items":[`;
    while (text.length + CLOSING.length < bytes) {
      text += `{"sku":"${id()}","name":"${word()} ${word()}","quantity":${below(10)},"price":${below(10_000) / 100}},`;
    }
    return Buffer.from(text.slice(0, bytes - CLOSING.length).padEnd(bytes - CLOSING.length) + CLOSING);
  });
}
