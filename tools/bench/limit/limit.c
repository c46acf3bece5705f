/*
 * What a machine can do at most: a server that does nothing but what no broker can leave out, and a load that costs
 * as little as it can, for the server and for brokers alike. One thread each, loopback only, ends by itself.
 *
 *   limit sink PORT FILE BATCH_AT                          receives Produce frames, checks the CRC-32C of the batch that
 *                                                          begins at byte BATCH_AT, appends it to FILE, answers
 *   limit source PORT FILE CHUNK HEAD_FILE                 answers each frame with HEAD_FILE and the next CHUNK bytes of
 *                                                          FILE by sendfile
 *   limit produce PORT FRAME_FILE ERROR_AT CONNECTIONS DEPTH SECONDS
 *                                                          sends FRAME_FILE again and again, DEPTH at a time
 *   limit fetch PORT FRAME_FILE OFFSET_AT RECORDS_AT CONNECTIONS SECONDS
 *                                                          fetches on from where the last batch ended
 *
 * Servers print "ready" and end with their last connection. Loads print "REQUESTS BYTES SECONDS". Every frame has its length before it; positions count from behind that length. Whatever
 * goes wrong is said on standard error, with exit code 1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 128, BUFFER_BYTES = 4 << 20, LARGEST_FILE = 1 << 30, ANSWER_BYTES = 64 };
enum { PREFIX_BYTES = 4, CRC_AT = 17, CRC_FROM = 21, BATCH_LENGTH_AT = 8, BATCH_OVERHEAD = 12, LAST_DELTA_AT = 23 };

static void die(const char *what) {
  fprintf(stderr, "limit: %s: %s\n", what, errno ? strerror(errno) : "failed");
  exit(1);
}

static uint32_t get32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put32(uint8_t *p, uint32_t v) {
  p[0] = v >> 24, p[1] = v >> 16, p[2] = v >> 8, p[3] = v;
}

static uint64_t get64(const uint8_t *p) { return (uint64_t)get32(p) << 32 | get32(p + 4); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32c(const uint8_t *p, size_t n) {
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
static uint32_t crc32c(const uint8_t *p, size_t n) {
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

static uint8_t *read_whole(const char *path, size_t *bytes) {
  int fd = open(path, O_RDONLY);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) < 0) die(path);
  uint8_t *data = malloc(st.st_size);
  if (!data || read(fd, data, st.st_size) != st.st_size) die(path);
  close(fd);
  *bytes = st.st_size;
  return data;
}

static void write_whole(int fd, const uint8_t *data, size_t bytes) {
  while (bytes > 0) {
    ssize_t n = write(fd, data, bytes);
    if (n < 0 && errno == EAGAIN) {
      struct pollfd p = {.fd = fd, .events = POLLOUT};
      poll(&p, 1, -1);
    } else if (n <= 0) die("write");
    else data += n, bytes -= n;
  }
}

/* A connection and what came in of a frame. */
struct input {
  int fd;
  uint8_t *buffer;
  size_t filled;
};

static struct input *open_input(int fd) {
  struct input *in = malloc(sizeof *in);
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  *in = (struct input){.fd = fd, .buffer = malloc(BUFFER_BYTES), .filled = 0};
  return in;
}

static void close_input(struct input *in) {
  close(in->fd);
  free(in->buffer);
  free(in);
}

/* Reads what is there; 0 at the end of the stream. */
static int fill(struct input *in) {
  ssize_t n = read(in->fd, in->buffer + in->filled, BUFFER_BYTES - in->filled);
  if (n < 0 && errno != EAGAIN && errno != ECONNRESET) die("read");
  if (n < 0 && errno == EAGAIN) return 1;
  if (n <= 0) return 0;
  in->filled += n;
  return 1;
}

/* Calls `take` with each whole frame, without its length. */
static void each_frame(struct input *in, void (*take)(struct input *, const uint8_t *, size_t)) {
  size_t at = 0;
  while (in->filled - at >= PREFIX_BYTES) {
    size_t bytes = get32(in->buffer + at);
    if (bytes > BUFFER_BYTES - PREFIX_BYTES) errno = 0, die("a frame is too large");
    if (in->filled - at < PREFIX_BYTES + bytes) break;
    take(in, in->buffer + at + PREFIX_BYTES, bytes);
    at += PREFIX_BYTES + bytes;
  }
  memmove(in->buffer, in->buffer + at, in->filled - at);
  in->filled -= at;
}

static int file;
static off_t file_bytes, file_at;
static size_t batch_at, chunk_bytes, head_bytes;
static uint8_t *head;

static void sink_frame(struct input *in, const uint8_t *frame, size_t bytes) {
  static uint8_t answer[ANSWER_BYTES];
  const uint8_t *batch = frame + batch_at;
  size_t batch_bytes = bytes < batch_at + CRC_FROM ? 0 : get32(batch + BATCH_LENGTH_AT) + BATCH_OVERHEAD;
  errno = 0;
  if (batch_bytes < CRC_FROM || batch_at + batch_bytes > bytes) die("no batch where it should be");
  if (crc32c(batch + CRC_FROM, batch_bytes - CRC_FROM) != get32(batch + CRC_AT)) die("a wrong checksum");
  write_whole(file, batch, batch_bytes);
  file_bytes += batch_bytes;
  if (file_bytes > LARGEST_FILE && ftruncate(file, file_bytes = 0) < 0) die("truncate");
  put32(answer, ANSWER_BYTES - PREFIX_BYTES);
  write_whole(in->fd, answer, ANSWER_BYTES);
}

static void source_frame(struct input *in, const uint8_t *frame, size_t bytes) {
  (void)frame, (void)bytes;
  if (file_at + (off_t)chunk_bytes > file_bytes) file_at = 0;
  int on = 1, off = 0;
  setsockopt(in->fd, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
  write_whole(in->fd, head, head_bytes);
  for (size_t left = chunk_bytes; left > 0;) {
    ssize_t n = sendfile(in->fd, file, &file_at, left);
    if (n < 0 && errno == EAGAIN) {
      struct pollfd p = {.fd = in->fd, .events = POLLOUT};
      poll(&p, 1, -1);
    } else if (n <= 0) die("sendfile");
    else left -= n;
  }
  setsockopt(in->fd, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
}

static void serve(int port, void (*take)(struct input *, const uint8_t *, size_t)) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, MOST_CONNECTIONS) < 0) die("listen");
  puts("ready");
  fflush(stdout);
  struct pollfd polled[MOST_CONNECTIONS + 1] = {{.fd = listener, .events = POLLIN}};
  struct input *inputs[MOST_CONNECTIONS + 1] = {0};
  int count = 1;
  while (poll(polled, count, -1) > 0) {
    for (int i = count - 1; i > 0; i--) {
      if (!polled[i].revents) continue;
      int open = fill(inputs[i]);
      each_frame(inputs[i], take);
      if (open) continue;
      close_input(inputs[i]);
      inputs[i] = inputs[--count], polled[i] = polled[count];
      if (count == 1) return;
    }
    if (!(polled[0].revents & POLLIN) || count > MOST_CONNECTIONS) continue;
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) die("accept");
    inputs[count] = open_input(fd);
    polled[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
  }
}

static int connect_to(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static uint8_t *frame;
static size_t frame_bytes, error_at, offset_at, records_at;
static long answers;
static double received;
/* By descriptor: requests in flight, what of the next frame is sent, where to fetch from. */
static int in_flight[1024];
static size_t sent[1024];
static uint64_t next_offset[1024];

static void produce_answer(struct input *in, const uint8_t *answer, size_t bytes) {
  errno = 0;
  if (bytes < error_at + 2 || answer[error_at] || answer[error_at + 1]) die("a Produce was refused");
  in_flight[in->fd]--;
  answers++;
}

static void fetch_answer(struct input *in, const uint8_t *answer, size_t bytes) {
  uint64_t next = 0;
  for (size_t at = records_at; at + LAST_DELTA_AT + 4 <= bytes;) {
    size_t size = get32(answer + at + BATCH_LENGTH_AT) + BATCH_OVERHEAD;
    if (at + size > bytes) break;
    next = get64(answer + at) + get32(answer + at + LAST_DELTA_AT) + 1;
    at += size;
  }
  next_offset[in->fd] = next; /* nothing more: from the start again */
  in_flight[in->fd]--;
  answers++;
  received += bytes;
}

/* Sends as much of the next frame as the socket takes. */
static void send_some(int fd, int depth) {
  while (in_flight[fd] < depth) {
    if (offset_at) put32(frame + offset_at, next_offset[fd] >> 32), put32(frame + offset_at + 4, (uint32_t)next_offset[fd]);
    ssize_t n = write(fd, frame + sent[fd], frame_bytes - sent[fd]);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) die("write");
    sent[fd] += n;
    if (sent[fd] < frame_bytes) continue;
    sent[fd] = 0;
    in_flight[fd]++;
  }
}

static void load(int port, int connections, int depth, double seconds, void (*take)(struct input *, const uint8_t *, size_t)) {
  struct pollfd polled[MOST_CONNECTIONS];
  struct input *inputs[MOST_CONNECTIONS];
  if (connections > MOST_CONNECTIONS) errno = 0, die("too many connections");
  for (int i = 0; i < connections; i++) {
    inputs[i] = open_input(connect_to(port));
    polled[i].fd = inputs[i]->fd;
  }
  double start = now();
  for (int pending = 1; pending;) {
    int go = now() - start < seconds;
    pending = 0;
    for (int i = 0; i < connections; i++) {
      int fd = polled[i].fd, partial = sent[fd] > 0;
      if (go || partial) send_some(fd, go ? depth : in_flight[fd] + 1);
      pending |= go || in_flight[fd] > 0;
      polled[i].events = POLLIN | (sent[fd] > 0 ? POLLOUT : 0);
    }
    if (pending && poll(polled, connections, 20000) == 0) errno = 0, die("no answer for 20 seconds");
    for (int i = 0; i < connections; i++) {
      if (!(polled[i].revents & POLLIN)) continue;
      if (!fill(inputs[i])) errno = 0, die("the connection was closed");
      each_frame(inputs[i], take);
    }
  }
  double bytes = received > 0 ? received : (double)answers * frame_bytes;
  printf("%ld %.0f %.6f\n", answers, bytes, now() - start);
}

int main(int argc, char **argv) {
  if (argc == 5 && !strcmp(argv[1], "sink")) {
    file = open(argv[3], O_RDWR | O_CREAT | O_APPEND, 0644);
    if (file < 0) die(argv[3]);
    batch_at = atol(argv[4]);
    serve(atoi(argv[2]), sink_frame);
  } else if (argc == 6 && !strcmp(argv[1], "source")) {
    struct stat st;
    file = open(argv[3], O_RDONLY);
    if (file < 0 || fstat(file, &st) < 0) die(argv[3]);
    file_bytes = st.st_size;
    chunk_bytes = atol(argv[4]);
    head = read_whole(argv[5], &head_bytes);
    serve(atoi(argv[2]), source_frame);
  } else if (argc == 8 && !strcmp(argv[1], "produce")) {
    frame = read_whole(argv[3], &frame_bytes);
    error_at = atol(argv[4]);
    load(atoi(argv[2]), atoi(argv[5]), atoi(argv[6]), atof(argv[7]), produce_answer);
  } else if (argc == 8 && !strcmp(argv[1], "fetch")) {
    frame = read_whole(argv[3], &frame_bytes);
    offset_at = PREFIX_BYTES + atol(argv[4]);
    records_at = atol(argv[5]);
    load(atoi(argv[2]), atoi(argv[6]), 1, atof(argv[7]), fetch_answer);
  } else {
    fputs("usage: limit sink|source|produce|fetch …, see the top of limit.c\n", stderr);
    return 2;
  }
  return 0;
}
