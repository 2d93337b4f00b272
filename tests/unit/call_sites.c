/* What functions call, by the code and by the debug information. This program is its own subject.
 */
#include "symbols/call_sites.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* Sanitizers end tail calls: they have something to do after the call. */
#define TAILS __attribute__((no_sanitize_thread, no_sanitize_address, no_sanitize("undefined")))
#define NOT_A_TAIL() __asm__ volatile("" ::: "memory")

extern const char __executable_start[];

static struct symbol_file *file;
static uint64_t returned_to; /* of the last call of target */

long target(long n), jumper(long n), chooser(long n), pointer_jumper(long n, long (*to)(long)),
    library_jumper(const char *text), caller(long n), pointer_caller(long n, long (*to)(long));

KEEP TAILS long target(long n) {
  returned_to = (uintptr_t)__builtin_return_address(0);
  return n + 1;
}
KEEP TAILS long jumper(long n) {
  return target(n + 2);
}
KEEP TAILS long chooser(long n) {
  return n & 1 ? target(n) : jumper(n);
}
KEEP TAILS long pointer_jumper(long n, long (*to)(long)) {
  return to(n);
}
KEEP TAILS long library_jumper(const char *text) {
  return atol(text);
}
KEEP TAILS long caller(long n) {
  n = target(n);
  NOT_A_TAIL();
  return n;
}
KEEP TAILS long pointer_caller(long n, long (*to)(long)) {
  n = to(n);
  NOT_A_TAIL();
  return n;
}

/* Addresses in the file, whose first byte has address 0 (PIE). */
static uint64_t link_address(uint64_t address) {
  return address - (uintptr_t)__executable_start;
}
#define LINK(function) link_address((uintptr_t)(function))

static size_t jumps_of(uint64_t address, struct tail_call **list) {
  size_t count = 0;
  *list = NULL;
  CHECK_EQUAL(symbol_file_tail_calls(file, address, list, &count), 0);
  return count;
}

static void tail_calls(void) {
  struct tail_call *list;
  CHECK_EQUAL(jumps_of(LINK(target), &list), 0);
  free(list);
  if (jumps_of(LINK(jumper), &list) == 1) {
    CHECK_EQUAL(list[0].target.address, LINK(target));
    CHECK(list[0].end > LINK(jumper) && list[0].end < LINK(jumper) + 200);
  } else {
    CHECK(!"one tail call in jumper");
  }
  free(list);
  size_t count = jumps_of(LINK(chooser), &list), known = 0;
  for (size_t i = 0; i < count; i++)
    known += list[i].target.address == LINK(target) || list[i].target.address == LINK(jumper);
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(known, 2);
  free(list);
}

static void unknown_and_foreign_targets(void) {
  struct tail_call *list;
  if (jumps_of(LINK(pointer_jumper), &list) == 1) {
    CHECK_EQUAL(list[0].target.address, 0);
    CHECK(!list[0].target.name);
  } else {
    CHECK(!"one tail call in pointer_jumper");
  }
  free(list);
  if (jumps_of(LINK(library_jumper), &list) == 1) {
    CHECK_EQUAL(list[0].target.address, 0);
    CHECK(list[0].target.name != NULL); /* atol, or what the header makes of it */
  } else {
    CHECK(BY_CLANG || !"one tail call in library_jumper"); /* clang 14 describes none of them */
  }
  free(list);
}

static void call_targets(void) {
  struct call_target found = {0};
  caller(1);
  CHECK_EQUAL(symbol_file_call_target(file, link_address(returned_to), &found), 0);
  CHECK_EQUAL(found.address, LINK(target));
  pointer_caller(1, target);
  CHECK_EQUAL(symbol_file_call_target(file, link_address(returned_to), &found), -1);
  CHECK_EQUAL(symbol_file_call_target(file, 0, &found), -1);
  CHECK_EQUAL(symbol_file_call_target(file, 1, &found), -1);
  CHECK_EQUAL(symbol_file_call_target(file, UINT64_MAX, &found), -1);
}

/* No debug information speaks of it. */
static void addresses_of_nothing(void) {
  struct tail_call *list = NULL;
  size_t count = 0;
  CHECK_EQUAL(symbol_file_tail_calls(file, 1, &list, &count), -1);
  CHECK_EQUAL(symbol_file_tail_calls(file, UINT64_MAX, &list, &count), -1);
}

int main(void) {
  static char path[4096];
  struct symbols *symbols = symbols_create();
  CHECK(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  file = symbols_file(symbols, path, NULL, 0);
  tail_calls();
  unknown_and_foreign_targets();
  call_targets();
  addresses_of_nothing();
  symbols_free(symbols);
  return check_result();
}
