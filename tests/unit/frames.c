/* The frames of inlined calls. Usage: frames SUBJECT, a program made of frames_subject.cc. */
#include <stdlib.h>

#include "check.h"
#include "symbols/symbols.h"

enum { ROOM = 16 };

static struct symbol_file *file;

/* The address of the function whose linkage name begins so (compilers name lambdas as they like,
 * and clones), by looking everywhere; 0: none. */
static uint64_t address_of(const char *linkage, uint64_t *size) {
  struct symbol symbol;
  for (uint64_t address = 0x1000; address < 0x10000; address++)
    if (symbol_file_function(file, address, &symbol) == 0 &&
        strncmp(symbol.linkage, linkage, strlen(linkage)) == 0) {
      *size = symbol.size;
      return symbol.address;
    }
  printf("no function %s\n", linkage);
  checks_failed++;
  return 0;
}

/* The frames at the first address of `function` that is `depth` frames deep and whose innermost
 * position is `line`. Returns their number. */
static size_t frames_in(const char *function, size_t depth, uint32_t line,
                        struct symbol_frame *frames) {
  uint64_t size = 0, start = address_of(function, &size);
  for (uint64_t address = start; address < start + size; address++) {
    size_t count = symbol_file_frames(file, address, frames, ROOM);
    if (count == depth && frames[count - 1].position.line == line) return count;
  }
  printf("%s has no code of line %u, %zu deep\n", function, line, depth);
  checks_failed++;
  return 0;
}

static void expect(const struct symbol_frame *frame, const char *name, uint32_t defined,
                   uint32_t line) {
  CHECK_CONTAINS(frame->symbol.name, name);
  CHECK_EQUAL(frame->symbol.line, defined);
  CHECK_CONTAINS(frame->symbol.file, "frames_subject.cc");
  CHECK_EQUAL(frame->position.line, line);
  CHECK_CONTAINS(frame->position.file, "frames_subject.cc");
  CHECK(frame->position.column > 0);
}

static void nested_calls(void) {
  struct symbol_frame frames[ROOM];
  if (frames_in("nested", 4, 19, frames) != 4) return;
  expect(&frames[0], "nested", 46, 47);
  expect(&frames[1], "(anonymous namespace)::hidden(int)", 39, 40);
  expect(&frames[2], "garden::dig(int)", 23, 24);
  expect(&frames[3], "garden::sow(int)", 18, 19);
  for (size_t i = 0; i < 4; i++) {
    CHECK_EQUAL(frames[i].inlined, i > 0);
    CHECK_EQUAL(frames[i].symbol.address, frames[0].symbol.address);
    CHECK_EQUAL(frames[i].symbol.size, frames[0].symbol.size);
  }
}

static void methods(void) {
  struct symbol_frame frames[ROOM];
  if (frames_in("with_a_bed", 3, 19, frames) != 3) return;
  expect(&frames[0], "with_a_bed", 50, 51);
  expect(&frames[1], "garden::Bed::Bed(int)", 29, 29);
  expect(&frames[2], "garden::sow(int)", 18, 19);
  if (frames_in("with_a_bed", 1, 52, frames) == 1) expect(&frames[0], "with_a_bed", 50, 52);
}

static void local_types(void) {
  struct symbol_frame frames[ROOM];
  if (frames_in("_ZZ13with_a_lambda", 3, 19, frames) != 3) return;
  expect(&frames[0], "with_a_lambda::", 59, 59);
  expect(&frames[1], "garden::dig(int)", 23, 24);
  expect(&frames[2], "garden::sow(int)", 18, 19);
}

/* A function that is also called has one name, and one linkage name. */
static void same_name_as_not_inlined(void) {
  struct symbol_frame inlined[ROOM], called[ROOM];
  if (frames_in("nested", 4, 19, inlined) != 4) return;
  if (frames_in("_ZN6garden3digEi", 2, 19, called) != 2) return;
  CHECK(!called[0].inlined);
  CHECK_TEXT(inlined[2].symbol.name, called[0].symbol.name);
  CHECK_TEXT(inlined[2].symbol.linkage, called[0].symbol.linkage);
  CHECK_TEXT(inlined[2].symbol.file, called[0].symbol.file);
  CHECK_EQUAL(inlined[2].symbol.line, called[0].symbol.line);
}

static void too_little_room(void) {
  struct symbol_frame frames[ROOM], few[2];
  if (frames_in("nested", 4, 19, frames) != 4) return;
  uint64_t size, start = address_of("nested", &size);
  for (uint64_t address = start; address < start + size; address++) {
    if (symbol_file_frames(file, address, frames, ROOM) != 4) continue;
    CHECK_EQUAL(symbol_file_frames(file, address, few, 2), 2);
    expect(&few[1], "(anonymous namespace)::hidden(int)", 39, 40);
    CHECK_EQUAL(symbol_file_frames(file, address, few, 0), 0);
  }
}

static void nowhere(void) {
  struct symbol_frame frames[ROOM];
  CHECK_EQUAL(symbol_file_frames(file, 0, frames, ROOM), 0);
  CHECK_EQUAL(symbol_file_frames(file, UINT64_MAX, frames, ROOM), 0);
}

int main(int count, char **arguments) {
  if (count != 2) {
    printf("usage: frames SUBJECT\n");
    return 2;
  }
  struct symbols *symbols = symbols_create();
  file = symbols_file(symbols, arguments[1], NULL, 0);
  nested_calls();
  methods();
  local_types();
  same_name_as_not_inlined();
  too_little_room();
  nowhere();
  symbols_free(symbols);
  return check_result();
}
