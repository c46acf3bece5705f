/* What the load asks of the machine: descriptors enough, and processors that are awake. */
#ifndef MACHINE_H
#define MACHINE_H
#include "wire.h"
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { SPARE_DESCRIPTORS = 32 };

static inline void need_descriptors(long count) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < (rlim_t)count + SPARE_DESCRIPTORS) {
    fail("%ld connections need more descriptors than ulimit -Hn allows, %lu", count, (unsigned long)limit.rlim_cur);
  }
}

/* A process for each processor that does nothing and gives way to everything; they end with this one. */
static inline void keep_awake(void) {
  int processors = sysconf(_SC_NPROCESSORS_ONLN);
  pid_t parent = getpid();
  for (int i = 0; i < processors; i++) {
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child > 0) continue;
    struct sched_param none = {0};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || sched_setscheduler(0, SCHED_IDLE, &none) < 0) _exit(1);
    sched_setaffinity(0, sizeof one, &one); /* a processor that is not ours to use is kept awake by who may */
    for (;;) {
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  }
}
#endif
