/**
 * What to run if a connection closes: the cancellations of its requests that have no answer yet.
 * Invariant: a cancellation runs at most once, and never after its request was answered.
 */

import { LinkedList, ListNode } from '../base/linked-list';

/** The waits of one connection. */
export class ConnectionWaits {
  readonly #open = new LinkedList<RequestWaits>();
  #cancelled = false;

  begin(): RequestWaits {
    const wait = new RequestWaits(this.#cancelled, this.#open);
    this.#open.add(wait);
    return wait;
  }

  cancel(): void {
    this.#cancelled = true;
    for (const wait of this.#open.toArray()) wait.cancel();
  }
}

/** The waits of one request. */
export class RequestWaits extends ListNode<RequestWaits> {
  #cancelled: boolean;
  #runs: (() => void)[] = [];
  readonly #open: LinkedList<RequestWaits>;

  constructor(cancelled: boolean, open: LinkedList<RequestWaits>) {
    super();
    this.#cancelled = cancelled;
    this.#open = open;
  }

  onCancel(run: () => void): void {
    if (this.#cancelled) run();
    else this.#runs.push(run);
  }

  cancel(): void {
    this.#cancelled = true;
    for (const run of this.#runs.splice(0)) run();
  }

  end(): void {
    this.#runs = [];
    this.#open.remove(this);
  }
}
