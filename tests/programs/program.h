/* What the tiny programs share.  Each is compiled at several levels; what it expects stands in
 * the EXPECT lines of its first comment, and what only the run itself can know (how often a
 * signal came) in the file that EXPECT_FILE names.  tests/programs/README.md has the grammar. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A function that stays one at every level: not inlined, cloned, or known to be pure. */
#ifdef __clang__
#define KEEP __attribute__((noinline, optnone))
#else
#define KEEP __attribute__((noipa))
#endif

/* After a call: the call is not in tail position. */
#define NOT_A_TAIL() __asm__ volatile("" ::: "memory")

/* One more line of expectation, in the grammar of EXPECT. */
static __attribute__((unused, noinline, format(printf, 1, 2))) void expect(const char *format,
                                                                           ...) {
  const char *path = getenv("EXPECT_FILE");
  if (!path) return;
  FILE *file = fopen(path, "a");
  if (!file) abort();
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputc('\n', file);
  fclose(file);
}

/* Nanoseconds of CPU time by the kernel's clock: CLOCK_PROCESS_CPUTIME_ID or
 * CLOCK_THREAD_CPUTIME_ID. */
static __attribute__((unused, noinline)) long long cpu_ns(clockid_t clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) abort();
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Adds the CPU time that the process spends in `call` to `ns`. How long equal work takes differs
 * within one run on a machine that others share: what is true is what the kernel measured. */
#define MEASURE(ns, call)                                                                          \
  do {                                                                                             \
    ns -= cpu_ns(CLOCK_PROCESS_CPUTIME_ID);                                                        \
    call;                                                                                          \
    ns += cpu_ns(CLOCK_PROCESS_CPUTIME_ID);                                                        \
  } while (0)

/* The expectation that `function` has `ns` of the time of the process so far. */
static __attribute__((unused, noinline)) void expect_share(const char *function, long long ns) {
  expect("share %s %.4f", function, (double)ns / (double)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
}

/* Work whose time is proportional to `rounds` (about a nanosecond each). Where
 * BRIEF_UNLESS_RECORDED is defined, a run that only shows what the program does (run_program.py)
 * has a sixteenth of it. */
static __attribute__((unused, noipa)) unsigned long burn(unsigned long rounds) {
#ifdef BRIEF_UNLESS_RECORDED
  static int divisor;
  if (!divisor) divisor = getenv("BRIEF_RUN") ? 16 : 1;
  rounds /= divisor;
#endif
  unsigned long x = rounds;
  for (unsigned long i = 0; i < rounds; i++) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

#endif
