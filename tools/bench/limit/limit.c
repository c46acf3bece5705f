/*
 * What a machine can do at most: a server that does nothing but what no broker can leave out, under the load of
 * `../load/load.c`. One thread, loopback only; prints "ready" and ends with its last connection.
 *
 *   limit sink PORT FILE BATCH_AT                          receives Produce frames, checks the CRC-32C of the batch that
 *                                                          begins at byte BATCH_AT, appends it to FILE, answers
 *   limit source PORT FILE CHUNK HEAD_FILE                 answers each frame with HEAD_FILE and the next CHUNK bytes of
 *                                                          FILE by sendfile
 *
 * Every frame has its length before it; positions count from behind that length. Whatever goes wrong is said on
 * standard error, with exit code 1.
 */
#define _GNU_SOURCE
#include "../load/wire.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

enum { MOST_CONNECTIONS = 128, BUFFER_BYTES = 4 << 20, LARGEST_FILE = 1 << 30, ANSWER_BYTES = 64 };

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
    if (bytes > BUFFER_BYTES - PREFIX_BYTES) fail("a frame is too large");
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
  if (batch_bytes < CRC_FROM || batch_at + batch_bytes > bytes) fail("no batch where it should be");
  if (crc32c(batch + CRC_FROM, batch_bytes - CRC_FROM) != get32(batch + CRC_AT)) fail("a wrong checksum");
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
  } else {
    fputs("usage: limit sink|source …, see the top of limit.c\n", stderr);
    return 2;
  }
  return 0;
}
