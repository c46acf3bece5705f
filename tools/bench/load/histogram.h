/*
 * A log-linear histogram of nanoseconds: 64 steps for each power of two, so that a percentile is at most 1.6 % above
 * what was measured, in 16 KB whatever is counted.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H
#include <stdint.h>
#include <stdio.h>

enum { STEP_BITS = 6, STEPS = 1 << STEP_BITS, POWERS = 40 };

struct histogram {
  uint64_t count, max;
  uint64_t at[POWERS << STEP_BITS];
};

static inline void histogram_add(struct histogram *h, uint64_t ns) {
  int power = ns < STEPS ? 0 : 63 - __builtin_clzll(ns) - STEP_BITS + 1;
  uint64_t step = power ? ns >> (power - 1) & (STEPS - 1) : ns;
  if (power >= POWERS) power = POWERS - 1, step = STEPS - 1;
  h->at[(uint64_t)power << STEP_BITS | step]++;
  h->count++;
  if (ns > h->max) h->max = ns;
}

/* The upper end of the step in which the share `q` of all values is reached, in microseconds. */
static inline double histogram_us(const struct histogram *h, double q) {
  uint64_t wanted = q * h->count + 0.5, seen = 0;
  if (wanted < 1) wanted = 1;
  for (uint64_t i = 0; i < POWERS << STEP_BITS; i++) {
    if ((seen += h->at[i]) < wanted) continue;
    uint64_t power = i >> STEP_BITS, step = i & (STEPS - 1);
    uint64_t top = power ? ((STEPS | step) + 1) << (power - 1) : step + 1;
    return (top < h->max ? top : h->max) / 1e3;
  }
  return 0;
}

static inline void histogram_print(const struct histogram *h, const char *name) {
  printf(" %sp50Us=%.1f %sp99Us=%.1f %sp999Us=%.1f %smaxUs=%.1f", name, histogram_us(h, 0.5), name,
         histogram_us(h, 0.99), name, histogram_us(h, 0.999), name, h->max / 1e3);
}
#endif
