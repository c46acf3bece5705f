/** What this process had read from disks so far, by its own reads and what the system read ahead of them; in bytes. */

/** In which the system counts. */
const BLOCK_BYTES = 512;

/** Takes some 3 µs. 0 where the system does not count. */
export function diskReadBytes(): number {
  return process.resourceUsage().fsRead * BLOCK_BYTES;
}
