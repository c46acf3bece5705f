/** The limit that a client's quota sets to its changes of topics, as the controller sees it. */

/** Who limits how many partitions a client makes and deletes. */
export interface ChangeQuota {
  /** Whether so many more may be; if so, they are counted. */
  admits(partitions: number): boolean;
}

export interface ChangeLimits {
  /** Undefined: no limit. */
  readonly quota?: ChangeQuota | undefined;
}
