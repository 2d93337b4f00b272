/* What the tiny programs share.  Each is compiled at several levels; what it expects stands in
 * the EXPECT lines of its first comment, and what only the run itself can know (how often a
 * signal came) in the file that EXPECT_FILE names.  tests/programs/README.md has the grammar. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Work whose time is proportional to `rounds` (about a nanosecond each). */
static __attribute__((unused, noipa)) unsigned long burn(unsigned long rounds) {
  unsigned long x = rounds;
  for (unsigned long i = 0; i < rounds; i++) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

#endif
