/**
 * Holds the current metadata image and brings each change to the parts that live by it, one after the other.
 * Subscribers are called in the order in which they subscribed; each may take its time. `image`, which answers
 * clients, moves on only when all of them are done: what clients are told about is served already.
 */
import { SerialQueue } from '../base/serial-queue';
import type { MetadataChange, MetadataDelta, MetadataImage } from './metadata-image';
import { withSharedParts } from './shared-parts';

/** Must not throw for anything that a client or a disk can cause. */
export type ImageSubscriber = (delta: MetadataDelta, image: MetadataImage) => Promise<void>;

export class ImagePublisher {
  readonly #queue = new SerialQueue();
  readonly #subscribers: ImageSubscriber[] = [];
  #image: MetadataImage;

  constructor(image: MetadataImage) {
    this.#image = image;
  }

  /** The newest image that every subscriber has taken in. */
  get image(): MetadataImage {
    return this.#image;
  }

  subscribe(subscriber: ImageSubscriber): void {
    this.#subscribers.push(subscriber);
  }

  /** Resolves when all subscribers have taken the change in and `image` holds it. */
  apply(change: MetadataChange): Promise<void> {
    return this.#queue.run(async () => {
      const topics = change.topics?.map(withSharedParts);
      const { image, delta } = this.#image.with(topics ? { ...change, topics } : change);
      for (const subscriber of this.#subscribers) await subscriber(delta, image);
      this.#image = image;
    });
  }
}
