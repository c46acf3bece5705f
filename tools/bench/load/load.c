/*
 * A load that costs little: one thread, epoll, loopback only; it sends frames that were prepared for it and looks at
 * a few bytes of the answers. It ends by itself, with a line NAME=VALUE… on standard output, or with a complaint on
 * standard error and exit code 1. Times are those of CLOCK_MONOTONIC.
 *
 *   load requests port=P frames=FILE connections=N depth=D seconds=S [rate=R] [error=AT] [own=1] [same=1]
 *       N connections with up to D requests under way each. FILE holds frames one after the other: connection i starts
 *       with frame i and goes on through all of them, or with own=1 sends frame i alone. error: where the answers have
 *       an error code, which must be 0. same=1: all answers have as many bytes as the first.
 *       rate: so many requests a second by all connections together, sent at times that were fixed beforehand;
 *       latencies count from those times, so a broker that stalls pays for every request that it kept waiting.
 *   load fetch port=P frames=FILE connections=N seconds=S error=AT offset=AT records=AT [end=OFFSET]
 *       each connection repeats its frame and fetches on from where the last batch ended, from the start again at
 *       OFFSET; offset: the fetch offset in the frame, records: the first batch in the answer.
 *   load mixed port=P frames=FILE fetches=FILE connections=N depth=D seconds=S [rate=R] error=AT batch=AT stamp=AT
 *              fetch_error=AT offset=AT records=AT
 *       N producing connections, one frame each (a batch to a partition; batch: where it begins, stamp: where its
 *       first record's value does, at least 20 bytes), and a fetching one for each frame of `fetches`, which long-polls
 *       a partition from the offset in it. Each batch carries when it was (to be) sent, by whom, and its number; all
 *       must come back once, in order and with successive offsets. Without a rate, nothing is sent while more than
 *       MOST_AHEAD batches are not yet back: what is measured is what is both produced and consumed.
 *   load idle port=P frames=FILE connections=N seconds=S
 *       one request on each connection, then nothing; prints "open" when each has its answer, and S seconds later how
 *       many of them the broker has closed.
 *
 * awake=1 keeps every processor from sleeping meanwhile, by processes of the SCHED_IDLE class that give way to
 * everything else: what it takes a virtual machine to wake a halted processor is then not in the figures.
 */
#define _GNU_SOURCE
#include "wire.h"
#include "histogram.h"
#include "machine.h"
#include "words.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { FIRST_ROOM = 4096, LARGEST_ANSWER = 256 << 20, MOST_EVENTS = 512, PATIENCE_S = 20 };
enum { OPENED_AT_ONCE = 32, OPENING_PAUSE_US = 2000, OPENING_PATIENCE_S = 60 };
enum { STAMP_BYTES = 20, MOST_AHEAD = 1024 };
static const double NS = 1e9;

struct frame {
  uint8_t *data;
  size_t bytes;
};

struct connection {
  int fd, number, asks_to_write, closed;
  struct role *role;
  uint8_t *input;
  size_t filled, room;
  struct frame *sending;
  size_t sent;
  struct frame own;     /* a copy for roles that write into it */
  uint64_t *began;      /* of the requests under way, from when their latency counts */
  long asked, answered; /* requests */
  long due;             /* with a rate: how many were to be sent up to now */
  uint64_t next_offset;
  uint64_t first_offset;
};

/* What a connection does. */
struct role {
  struct frame *(*next)(struct connection *, uint64_t at);
  void (*take)(struct connection *, const uint8_t *answer, size_t bytes);
  long depth;
  int is_paced; /* obeys the rate and ends with the time */
  struct frame *frames;
  long frame_count;
  int own_frame, writes;
};

static int epoll, is_over, is_idle, is_mixed;
static double rate;
static uint64_t start, until, last_answer;
static long producers, under_way, answered, fetched, closed;
static double sent_bytes, received_bytes;
static long error_at, fetch_error_at, offset_at, records_at, batch_at, stamp_at, end_offset, same_length;
static struct histogram latency, end_to_end;
static uint64_t *expected; /* by producing connection: the number that its next batch has */

static void read_frames(struct role *role, const char *path) {
  size_t bytes, at = 0;
  uint8_t *data = read_whole(path, &bytes);
  while (at + PREFIX_BYTES <= bytes) {
    size_t length = PREFIX_BYTES + get32(data + at);
    if (length > bytes - at) break;
    role->frames = realloc(role->frames, (role->frame_count + 1) * sizeof *role->frames);
    role->frames[role->frame_count++] = (struct frame){data + at, length};
    at += length;
  }
  if (at != bytes || !at) fail("%s does not hold whole frames", path);
}

static struct connection *open_connection(struct role *role, int n, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct connection *c = calloc(1, sizeof *c);
  int on = 1;
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (c->fd < 0) die("socket");
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  c->number = n, c->role = role, c->room = FIRST_ROOM;
  c->input = malloc(c->room);
  c->began = calloc(role->depth, sizeof *c->began);
  if (role->writes) {
    struct frame *from = &role->frames[n % role->frame_count];
    c->own = (struct frame){malloc(from->bytes), from->bytes};
    memcpy(c->own.data, from->data, from->bytes);
    if (offset_at) c->first_offset = c->next_offset = get64(c->own.data + PREFIX_BYTES + offset_at);
  }
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event) < 0) die("epoll_ctl");
  return c;
}

/* ── What is sent, and what is made of the answers ── */

static struct frame *prepared(struct connection *c, uint64_t at) {
  (void)at;
  return &c->role->frames[(c->number + (c->role->own_frame ? 0 : c->asked)) % c->role->frame_count];
}

static void check_error(const uint8_t *answer, size_t bytes, long at) {
  if (at <= 0) return;
  if (bytes < (size_t)at + 2) fail("an answer of %zu bytes has no error code at %ld", bytes, at);
  int code = (int16_t)(answer[at] << 8 | answer[at + 1]);
  if (code) fail("a request was refused with error %d", code);
}

static void take_answer(struct connection *c, const uint8_t *answer, size_t bytes) {
  static size_t first_bytes;
  (void)c;
  check_error(answer, bytes, error_at);
  if (!first_bytes) first_bytes = bytes;
  if (same_length && bytes != first_bytes) fail("an answer has %zu bytes, the first had %zu", bytes, first_bytes);
}

static struct frame *stamped(struct connection *c, uint64_t at) {
  uint8_t *frame = c->own.data + PREFIX_BYTES, *batch = frame + batch_at, *stamp = frame + stamp_at;
  put64(stamp, at), put32(stamp + 8, c->number), put64(stamp + 12, c->asked);
  put32(batch + CRC_AT, crc32c(batch + CRC_FROM, get32(batch + BATCH_LENGTH_AT) + BATCH_OVERHEAD - CRC_FROM));
  return &c->own;
}

static struct frame *fetching(struct connection *c, uint64_t at) {
  (void)at;
  put64(c->own.data + PREFIX_BYTES + offset_at, c->next_offset);
  return &c->own;
}

/* Follows the batches of an answer; those of `mixed` are taken one by one. */
static void take_batches(struct connection *c, const uint8_t *answer, size_t bytes, int are_stamped) {
  check_error(answer, bytes, fetch_error_at);
  size_t at = records_at;
  while (at + BATCH_HEAD_BYTES <= bytes) {
    const uint8_t *batch = answer + at;
    size_t size = (size_t)get32(batch + BATCH_LENGTH_AT) + BATCH_OVERHEAD;
    if (size > bytes - at) break;
    uint64_t base = get64(batch);
    if (are_stamped) {
      const uint8_t *stamp = batch + (stamp_at - batch_at);
      uint64_t by = get32(stamp + 8), order = get64(stamp + 12);
      if (base != c->next_offset) fail("a batch at offset %lu came where %lu was due", base, c->next_offset);
      if (by >= (uint64_t)producers) fail("a batch by connection %lu of %ld", by, producers);
      if (order != expected[by]) fail("batch %lu of connection %lu came where %lu was due", order, by, expected[by]);
      expected[by]++;
      histogram_add(&end_to_end, now() - get64(stamp));
    }
    fetched++;
    c->next_offset = base + get32(batch + LAST_DELTA_AT) + 1;
    at += size;
  }
}

static void take_stamped(struct connection *c, const uint8_t *answer, size_t bytes) {
  take_batches(c, answer, bytes, 1);
}

static void take_fetched(struct connection *c, const uint8_t *answer, size_t bytes) {
  uint64_t before = c->next_offset;
  take_batches(c, answer, bytes, 0);
  int is_end = end_offset > 0 && c->next_offset >= (uint64_t)end_offset;
  if (is_end || c->next_offset == before) c->next_offset = c->first_offset;
}

/* ── Sending and receiving ── */

static void ask_to_write(struct connection *c, int wanted) {
  if (c->asks_to_write == wanted) return;
  struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0), .data.ptr = c};
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event) < 0) die("epoll_ctl");
  c->asks_to_write = wanted;
}

/* The request k of all connections together is due at start + k / rate, and is one of connection k mod N. */
static uint64_t due_at(const struct connection *c) {
  return start + (uint64_t)(((double)c->asked * producers + c->number) * NS / rate);
}

static int may_begin(const struct connection *c) {
  const struct role *role = c->role;
  if (c->asked - c->answered >= role->depth) return 0;
  if (!role->is_paced) return 1;
  if (is_idle) return c->asked == 0;
  if (is_mixed && rate <= 0 && answered - fetched >= MOST_AHEAD) return 0;
  return !is_over && (rate <= 0 || c->asked < c->due);
}

static void send_some(struct connection *c) {
  while (!c->closed && (c->sending || may_begin(c))) {
    if (!c->sending) {
      uint64_t at = rate > 0 && c->role->is_paced ? due_at(c) : now();
      c->sending = c->role->next(c, at);
      c->began[c->asked++ % c->role->depth] = at;
      under_way += c->role->is_paced;
    }
    ssize_t n = send(c->fd, c->sending->data + c->sent, c->sending->bytes - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return ask_to_write(c, 1);
    if (n <= 0) die("send");
    c->sent += n;
    if (c->sent < c->sending->bytes) continue;
    if (c->role->is_paced) sent_bytes += c->sent;
    c->sending = NULL, c->sent = 0;
  }
  ask_to_write(c, 0);
}

static void make_room(struct connection *c, size_t bytes) {
  if (bytes > LARGEST_ANSWER) fail("an answer of %zu bytes", bytes);
  if (bytes <= c->room) return;
  c->room = bytes;
  c->input = realloc(c->input, bytes);
  if (!c->input) die("memory");
}

static void take_answers(struct connection *c) {
  size_t at = 0;
  uint64_t time = now();
  while (c->filled - at >= PREFIX_BYTES) {
    size_t bytes = get32(c->input + at);
    if (c->filled - at < PREFIX_BYTES + bytes) {
      memmove(c->input, c->input + at, c->filled -= at);
      return make_room(c, PREFIX_BYTES + bytes + FIRST_ROOM);
    }
    if (c->answered >= c->asked) fail("an answer to no request");
    c->role->take(c, c->input + at + PREFIX_BYTES, bytes);
    uint64_t began = c->began[c->answered++ % c->role->depth];
    received_bytes += PREFIX_BYTES + bytes;
    at += PREFIX_BYTES + bytes;
    last_answer = time;
    if (!c->role->is_paced) continue;
    histogram_add(&latency, time - began);
    under_way--, answered++;
  }
  memmove(c->input, c->input + at, c->filled -= at);
}

static void receive(struct connection *c) {
  ssize_t n = read(c->fd, c->input + c->filled, c->room - c->filled);
  if (n < 0 && errno == EAGAIN) return;
  if (n < 0 && errno != ECONNRESET) die("read");
  if (n <= 0 && !is_idle) fail("the broker closed a connection");
  if (n <= 0) {
    under_way -= c->asked - c->answered;
    c->closed = 1, closed++;
    close(c->fd);
    return;
  }
  c->filled += n;
  take_answers(c);
}

/* ── The run ── */

/* Waits for events until `wake`, to the microsecond. */
static int wait_until(struct epoll_event *events, uint64_t wake) {
  int n = epoll_wait(epoll, events, MOST_EVENTS, 0);
  uint64_t time = now();
  if (n != 0 || time >= wake) return n;
  struct timespec left = {(wake - time) / 1000000000u, (wake - time) % 1000000000u};
  struct pollfd polled = {.fd = epoll, .events = POLLIN};
  if (ppoll(&polled, 1, &left, NULL) < 0) die("ppoll");
  return epoll_wait(epoll, events, MOST_EVENTS, 0);
}

static int is_done(void) {
  if (is_idle) return is_over;
  return is_over && under_way == 0 && (!is_mixed || fetched >= answered);
}

/* With a rate: lets everything begin that is due before the end; when the next is. */
static uint64_t begin_due(struct connection **all, long *next, uint64_t time) {
  for (;;) {
    uint64_t due = start + (uint64_t)(*next * NS / rate);
    if (due > time || due >= until) return due;
    struct connection *c = all[(*next)++ % producers];
    c->due++;
    send_some(c);
  }
}

static void serve_events(const struct epoll_event *events, int count) {
  for (int i = 0; i < count; i++) {
    struct connection *c = events[i].data.ptr;
    if (c->closed) continue;
    if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(c);
    send_some(c);
  }
}

/* Until so many requests have their answer or lost their connection. */
static void await_answers(long count) {
  static struct epoll_event events[MOST_EVENTS];
  while (answered + closed < count) {
    if (now() > start + OPENING_PATIENCE_S * NS) {
      fail("%ld of %ld connections have an answer after %d s", answered, producers, OPENING_PATIENCE_S);
    }
    int n = wait_until(events, now() + NS);
    if (n < 0) die("epoll_wait");
    serve_events(events, n);
  }
}

static void drive(struct connection **all, long count, double seconds) {
  static struct epoll_event events[MOST_EVENTS];
  long next = 0;
  until = start + (uint64_t)(seconds * NS);
  for (long i = 0; i < count; i++) send_some(all[i]);
  for (;;) {
    uint64_t time = now(), wake = until > time ? until : time + NS;
    is_over = time >= until;
    if (is_over && time > until + PATIENCE_S * NS) {
      fail("%ld requests have no answer after %d s, %ld batches of %ld came", under_way, PATIENCE_S, fetched, answered);
    }
    if (!is_idle && under_way > 0 && time > last_answer + PATIENCE_S * NS) fail("no answer for %d s", PATIENCE_S);
    if (rate > 0) {
      uint64_t due = begin_due(all, &next, time);
      if (due < wake && !is_over) wake = due;
    }
    if (is_done()) return;
    int n = wait_until(events, wake);
    if (n < 0) die("epoll_wait");
    serve_events(events, n);
    for (long i = 0; i < producers && is_mixed && rate <= 0; i++) send_some(all[i]); /* those that were ahead */
  }
}

/* What was due and could not even begin has waited at least until the end. */
static long count_unsent(struct connection **all) {
  long unsent = 0;
  for (long i = 0; i < producers && rate > 0; i++) {
    for (struct connection *c = all[i]; c->asked < c->due; c->asked++, unsent++) {
      histogram_add(&latency, now() - due_at(c));
    }
  }
  return unsent;
}

static void print_result(struct connection **all) {
  struct rusage used;
  double seconds = (now() - start) / NS;
  long unsent = count_unsent(all);
  getrusage(RUSAGE_SELF, &used);
  double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  printf("requests=%ld unsent=%ld sentBytes=%.0f receivedBytes=%.0f batches=%ld closed=%ld seconds=%.6f cpuSeconds=%.3f",
         answered, unsent, sent_bytes, received_bytes, fetched, closed, seconds, cpu);
  histogram_print(&latency, "");
  if (is_mixed) histogram_print(&end_to_end, "endToEnd.");
  putchar('\n');
}

static struct role producing = {prepared, take_answer, 1, 1, NULL, 0, 0, 0};
static struct role consuming = {fetching, take_stamped, 1, 0, NULL, 0, 1, 1};

static void read_positions(const char *mode) {
  error_at = optional("error", 0);
  same_length = optional("same", 0);
  producing.own_frame = optional("own", 0) > 0;
  if (strcmp(mode, "requests") && strcmp(mode, "idle")) {
    offset_at = needed("offset", 1), records_at = needed("records", 1);
  }
  if (!strcmp(mode, "fetch")) {
    producing = (struct role){fetching, take_fetched, 1, 1, NULL, 0, 1, 1};
    fetch_error_at = error_at, end_offset = optional("end", 0);
  } else if (!strcmp(mode, "mixed")) {
    is_mixed = 1;
    batch_at = needed("batch", 1), stamp_at = needed("stamp", batch_at + BATCH_HEAD_BYTES);
    fetch_error_at = needed("fetch_error", 1);
    producing.next = stamped, producing.own_frame = producing.writes = 1;
    read_frames(&consuming, required("fetches"));
    expected = calloc(producers, sizeof *expected);
  } else if (!strcmp(mode, "idle")) is_idle = 1;
  else if (strcmp(mode, "requests")) fail("no mode %s; see the top of load.c", mode);
  if (!is_idle && strcmp(mode, "fetch")) producing.depth = needed("depth", 1);
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage: load requests|fetch|mixed|idle NAME=VALUE…, see the top of load.c");
  static const char *known[] = {"port", "frames", "fetches", "connections", "depth", "seconds", "rate", "error", "own",
                                "same", "offset", "records", "end", "batch", "stamp", "fetch_error", "awake"};
  const char *mode = argv[1];
  words = argv + 2;
  refuse_unknown_words(known, sizeof known / sizeof *known);
  producers = needed("connections", 1);
  rate = optional("rate", 0);
  read_positions(mode);
  read_frames(&producing, required("frames"));
  for (long i = 0; stamp_at && i < producing.frame_count; i++) {
    if (producing.frames[i].bytes < (size_t)stamp_at + PREFIX_BYTES + STAMP_BYTES) fail("no room for a stamp");
  }
  int port = needed("port", 1);
  long count = producers + (is_mixed ? consuming.frame_count : 0);
  double seconds = needed("seconds", 0);
  need_descriptors(count);
  if (optional("awake", 0) > 0) keep_awake();
  prctl(PR_SET_TIMERSLACK, 1);
  epoll = epoll_create1(0);
  struct connection **all = calloc(count, sizeof *all);
  start = now();
  for (long i = 0; i < count; i++) {
    all[i] = open_connection(i < producers ? &producing : &consuming, i < producers ? i : i - producers, port);
    if (is_idle) send_some(all[i]);
    /* A server that is slower to accept would drop the rest of a burst, and each would be repeated a second later. */
    if (i % OPENED_AT_ONCE != OPENED_AT_ONCE - 1) continue;
    if (is_idle) await_answers(i + 1);
    else usleep(OPENING_PAUSE_US);
  }
  if (is_idle) {
    await_answers(count);
    puts("open");
    fflush(stdout);
  }
  start = last_answer = now();
  drive(all, count, seconds);
  print_result(all);
  return 0;
}
