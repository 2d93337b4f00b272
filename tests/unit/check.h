/* Checks of the unit tests: they print what failed and go on; main ends in check_result(). */
#ifndef ASCRIBE_TESTS_CHECK_H
#define ASCRIBE_TESTS_CHECK_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Functions that optimization leaves as they are written, as far as the compiler lets itself be
 * told. */
#ifdef __clang__
#define BY_CLANG 1
#define KEEP __attribute__((noinline))
#else
#define BY_CLANG 0
#define KEEP __attribute__((noipa))
#endif

static int checks_failed;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                             \
      checks_failed++;                                                                             \
    }                                                                                              \
  } while (0)

#define CHECK_EQUAL(got, expected)                                                                 \
  check_equal(__FILE__, __LINE__, #got, (uint64_t)(got), (uint64_t)(expected))

#define CHECK_TEXT(got, expected) check_text(__FILE__, __LINE__, #got, got, expected)

/* `part` occurs in `text`. */
#define CHECK_CONTAINS(text, part) check_contains(__FILE__, __LINE__, text, part)

static inline void check_equal(const char *file, int line, const char *what, uint64_t got,
                               uint64_t expected) {
  if (got == expected) return;
  printf("%s:%d: %s is %" PRIu64 " (0x%" PRIx64 "), expected %" PRIu64 " (0x%" PRIx64 ")\n", file,
         line, what, got, got, expected, expected);
  checks_failed++;
}

static inline void check_text(const char *file, int line, const char *what, const char *got,
                              const char *expected) {
  if (got && strcmp(got, expected) == 0) return;
  printf("%s:%d: %s is \"%s\", expected \"%s\"\n", file, line, what, got ? got : "(null)",
         expected);
  checks_failed++;
}

static inline void check_contains(const char *file, int line, const char *text, const char *part) {
  if (strstr(text, part)) return;
  printf("%s:%d: \"%s\" does not contain \"%s\"\n", file, line, text, part);
  checks_failed++;
}

/* The exit status of the test. */
static inline int check_result(void) {
  if (checks_failed) printf("%d checks failed\n", checks_failed);
  return checks_failed != 0;
}

#endif
