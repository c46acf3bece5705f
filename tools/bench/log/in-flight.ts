/** So many tasks under way at once and no more. The first that fails is told to whoever starts the next or waits. */
export class InFlight {
  readonly #most: number;
  readonly #pending = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when the task has begun. */
  async start(task: () => Promise<unknown>): Promise<void> {
    while (this.#pending.size >= this.#most) await Promise.race(this.#pending);
    this.#throwFailure();
    const running: Promise<void> = task().then(
      () => void this.#pending.delete(running),
      (error: unknown) => {
        this.#pending.delete(running);
        this.#failure ??= { error };
      },
    );
    this.#pending.add(running);
  }

  /** Resolves when all tasks have ended well. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
