/**
 * Answers about the metadata that are large and asked for again and again: made and encoded once for each image.
 * Owns which are kept and for how long; what distinguishes two answers about one image is in the keys of the callers.
 * Invariants: an answer is found only under the image that it was made of, so that none is older than the metadata;
 * what an image's answers describe is bounded; a kept answer is never changed.
 */
import { LinkedMap } from '../base/linked-map';
import type { MetadataImage } from '../cluster/metadata-image';
import { Writer } from '../codec/writer';

/** Smaller answers cost less to make than to find. */
const FEWEST_PARTITIONS = 100;
/** Of all answers of an image together: some 200 bytes for each. */
const MOST_PARTITIONS = 40_000;
const FIRST_BODY_BYTES = 16 * 1024;

interface Kept {
  readonly answer: object;
  readonly partitions: number;
}

/** The answers of one image, in the order of their last use. */
class ImageAnswers {
  readonly #kept = new LinkedMap<string, Kept>();
  #partitions = 0;

  get(key: string): object | undefined {
    return this.#kept.renew(key)?.answer;
  }

  keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#partitions += kept.partitions;
    for (const oldest of this.#kept) {
      if (this.#partitions <= MOST_PARTITIONS) break;
      this.#kept.delete(oldest.key);
      this.#partitions -= oldest.value.partitions;
    }
  }
}

const byImage = new WeakMap<MetadataImage, ImageAnswers>();
/** The encoded bodies of kept answers; undefined until they are first sent. */
const bodies = new WeakMap<object, Buffer | undefined>();

/** The answer to `key` about `image`: one that was made before, or a new one, which is kept where that is worth it. */
export function sharedAnswer<R extends object>(
  image: MetadataImage,
  key: string,
  make: () => { readonly answer: R; readonly partitions: number },
): R {
  const known = byImage.get(image)?.get(key);
  // Under a key of a handler lies what that handler made.
  if (known !== undefined) return known as R;
  const made = make();
  if (made.partitions < FEWEST_PARTITIONS || made.partitions > MOST_PARTITIONS) return made.answer;
  const answers = byImage.get(image) ?? new ImageAnswers();
  byImage.set(image, answers);
  answers.keep(key, made);
  bodies.set(made.answer, undefined);
  return made.answer;
}

/** The body of an answer that is kept, encoded by `encode` the first time; undefined for any other answer. */
export function sharedBody(answer: unknown, encode: (writer: Writer) => void): Buffer | undefined {
  if (typeof answer !== 'object' || answer === null || !bodies.has(answer)) return undefined;
  const known = bodies.get(answer);
  if (known) return known;
  const writer = new Writer(FIRST_BODY_BYTES);
  encode(writer);
  // The writer's own buffer may be twice as long.
  const body = Buffer.from(writer.finishBuffer());
  bodies.set(answer, body);
  return body;
}
