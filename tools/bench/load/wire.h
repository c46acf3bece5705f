/*
 * What the load and the limit's servers share: how to fail, big-endian numbers, the clock, CRC-32C, and where in a
 * record batch (magic 2) the few fields lie that they look at. Every frame has its length before it; positions in
 * frames count from behind that length.
 */
#ifndef WIRE_H
#define WIRE_H
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PREFIX_BYTES = 4 };
/* In a batch: from the start of it. The batch length counts from behind itself. */
enum { BATCH_LENGTH_AT = 8, BATCH_OVERHEAD = 12, CRC_AT = 17, CRC_FROM = 21, LAST_DELTA_AT = 23, BATCH_HEAD_BYTES = 61 };

/* A system call failed. */
static inline void die(const char *what) {
  fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
  exit(1);
}

/* Something is not as it must be. */
#define fail(...)                                        \
  do {                                                   \
    fprintf(stderr, "%s: ", program_invocation_short_name); \
    fprintf(stderr, __VA_ARGS__);                        \
    fputc('\n', stderr);                                 \
    exit(1);                                             \
  } while (0)

static inline uint32_t get32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void put32(uint8_t *p, uint32_t v) { p[0] = v >> 24, p[1] = v >> 16, p[2] = v >> 8, p[3] = v; }

static inline uint64_t get64(const uint8_t *p) { return (uint64_t)get32(p) << 32 | get32(p + 4); }

static inline void put64(uint8_t *p, uint64_t v) { put32(p, v >> 32), put32(p + 4, (uint32_t)v); }

/* Nanoseconds of a clock that only goes forward. */
static inline uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static inline uint32_t crc32c(const uint8_t *p, size_t n) {
  uint64_t crc = 0xffffffffu;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  while (n--) crc = __builtin_ia32_crc32qi((uint32_t)crc, *p++);
  return ~(uint32_t)crc;
}
#else
static inline uint32_t crc32c(const uint8_t *p, size_t n) {
  static uint32_t table[256];
  if (!table[1]) {
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t c = i;
      for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0x82f63b78u ^ c >> 1 : c >> 1;
      table[i] = c;
    }
  }
  uint32_t crc = 0xffffffffu;
  while (n--) crc = table[(crc ^ *p++) & 255] ^ crc >> 8;
  return ~crc;
}
#endif

static inline uint8_t *read_whole(const char *path, size_t *bytes) {
  int fd = open(path, O_RDONLY);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) < 0) die(path);
  uint8_t *data = malloc(st.st_size + 1);
  size_t at = 0;
  while (at < (size_t)st.st_size) {
    ssize_t n = read(fd, data + at, st.st_size - at);
    if (n <= 0) die(path);
    at += n;
  }
  close(fd);
  *bytes = at;
  return data;
}
#endif
