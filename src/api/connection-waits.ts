/**
 * What to run if a connection closes: the cancellations of its requests that have no answer yet.
 * Invariant: a cancellation runs at most once, and never after its request was answered.
 */

/** The waits of one connection. */
export class ConnectionWaits {
  readonly #open = new Set<RequestWaits>();
  #cancelled = false;

  begin(): RequestWaits {
    const wait = new RequestWaits(this.#cancelled, (ended) => this.#open.delete(ended));
    this.#open.add(wait);
    return wait;
  }

  cancel(): void {
    this.#cancelled = true;
    for (const wait of [...this.#open]) wait.cancel();
  }
}

/** The waits of one request. */
export class RequestWaits {
  #cancelled: boolean;
  #runs: (() => void)[] = [];
  readonly #onEnd: (wait: RequestWaits) => void;

  constructor(cancelled: boolean, onEnd: (wait: RequestWaits) => void) {
    this.#cancelled = cancelled;
    this.#onEnd = onEnd;
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
    this.#onEnd(this);
  }
}
