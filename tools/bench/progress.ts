/**
 * How far a run is and how long it takes still, judged by what the same scenarios took before. Owns the reckoning;
 * knows neither clock nor scenarios.
 */
export interface Step {
  readonly side: string;
  readonly scenario: string;
}

export class Progress {
  readonly #left: Step[];
  /** `side/scenario` → the last time it took, in milliseconds. */
  readonly #took = new Map<string, number>();

  /** All steps that are to come, in any order. */
  constructor(steps: readonly Step[]) {
    this.#left = [...steps];
  }

  done(step: Step, ms: number): void {
    const at = this.#left.findIndex(({ side, scenario }) => side === step.side && scenario === step.scenario);
    if (at >= 0) this.#left.splice(at, 1);
    this.#took.set(`${step.side}/${step.scenario}`, ms);
  }

  /** Steps not seen on a side are taken to last as on the other, or as the average of all. */
  leftMs(): number {
    const known = [...this.#took.values()];
    const average = known.reduce((sum, ms) => sum + ms, 0) / Math.max(1, known.length);
    const guess = (scenario: string): number =>
      [...this.#took].find(([key]) => key.endsWith(`/${scenario}`))?.[1] ?? average;
    return this.#left
      .map(({ side, scenario }) => this.#took.get(`${side}/${scenario}`) ?? guess(scenario))
      .reduce((sum, ms) => sum + ms, 0);
  }
}
