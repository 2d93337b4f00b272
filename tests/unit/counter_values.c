/* What counters say of functions: those that have none follow from the others. And descriptions of
 * counters that make no sense. */
#include "attribution/counter_values.h"

#include <stddef.h>
#include <stdlib.h>

#include "check.h"

enum { MAIN = 0x100, LOCAL = 0x200, DEEPER = 0x300, ROUND = 0x400 };
enum { COUNTERS = 0x9000 };

static struct unit_point entry(uint32_t counter) {
  return (struct unit_point){.kind = POINT_ENTRY, .counter = counter};
}
static struct unit_point call(uint64_t callee, uint32_t counter) {
  return (struct unit_point){.kind = POINT_CALL, .callee = callee, .counter = counter};
}

static struct counted_code code_of(uint64_t address, const struct unit_point *points,
                                   uint32_t count) {
  return (struct counted_code){
      .address = address, .counters = COUNTERS, .points = points, .point_count = count};
}

/* main enters LOCAL at two sites, LOCAL enters DEEPER whenever it is entered, DEEPER itself from a
 * site of its own; ROUND enters itself only. */
static void entries_follow_from_sites(void) {
  const struct unit_point of_main[] = {entry(0), call(LOCAL, 1), call(LOCAL, 2), call(DEEPER, 0)};
  const struct unit_point of_local[] = {entry(NO_COUNTER), call(DEEPER, NO_COUNTER)};
  const struct unit_point of_deeper[] = {entry(NO_COUNTER), call(DEEPER, 3)};
  const struct unit_point of_round[] = {entry(NO_COUNTER), call(ROUND, NO_COUNTER)};
  const struct counted_code code[] = {code_of(MAIN, of_main, 4), code_of(LOCAL, of_local, 2),
                                      code_of(DEEPER, of_deeper, 2), code_of(ROUND, of_round, 2)};
  const uint64_t counts[] = {1, 40, 2, 7};
  struct counter_memory memory = {COUNTERS, counts, 4};
  uint64_t *entries = counter_entries(code, 4, &memory);
  CHECK_EQUAL(entries[0], 1);
  CHECK_EQUAL(entries[1], 42);
  CHECK_EQUAL(entries[2], 1 + 42 + 7);
  CHECK_EQUAL(entries[3], 0);
  CHECK_EQUAL(counter_passes(&code[0], &of_main[1], entries[0], &memory), 40);
  CHECK_EQUAL(counter_passes(&code[1], &of_local[1], entries[1], &memory), 42);
  free(entries);
}

/* Those behind the last that was counted are 0; so are those of another unit. */
static void counters_that_are_not_there(void) {
  const struct unit_point of_main[] = {entry(9)};
  struct counted_code code = code_of(MAIN, of_main, 1);
  const uint64_t counts[] = {1, 2};
  struct counter_memory memory = {COUNTERS, counts, 2}, behind = {COUNTERS + 8, counts, 2};
  uint64_t *entries = counter_entries(&code, 1, &memory);
  CHECK_EQUAL(entries[0], 0);
  free(entries);
  entries = counter_entries(&code, 1, &behind);
  CHECK_EQUAL(entries[0], 0);
  free(entries);
}

/* ---- descriptions ---- */

struct section {
  struct counter_unit unit;
  struct unit_function function;
  struct unit_point points[2];
  char strings[8];
};

static struct section good(void) {
  return (struct section){{COUNTER_POINTS_MAGIC, sizeof(struct section), COUNTERS, 2, 1,
                           offsetof(struct section, strings), 1},
                          {.address = MAIN, .name = 3, .flags = COUNTED_PUBLIC, .point_count = 2},
                          {entry(0), call(0, 1)},
                          "\0/\0main"};
}

static int read_section(const struct section *section, size_t bytes) {
  struct counted_code *list = NULL;
  size_t count = 0;
  int result = counted_code_read(section, bytes, &list, &count);
  free(list);
  return result;
}

static void descriptions(void) {
  struct section section = good();
  struct counted_code *list = NULL;
  size_t count = 0;
  CHECK_EQUAL(counted_code_read(&section, sizeof section, &list, &count), 0);
  CHECK_EQUAL(count, 1);
  if (count == 1) {
    CHECK_EQUAL(list[0].address, MAIN);
    CHECK_TEXT(list[0].name, "main");
    CHECK_TEXT(list[0].directory, "/");
    CHECK_TEXT(counted_code_text(&list[0], 1000), "");
    CHECK(list[0].is_public);
  }
  free(list);
}

static void damaged_descriptions(void) {
  struct section section = good();
  section.unit.magic++;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  CHECK_EQUAL(read_section(&section, sizeof section - 8), -1);
  section.unit.bytes = 0;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.unit.function_count = 2;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.function.point_count = UINT32_MAX;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.points[1].counter = 2;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.strings[7] = 'x';
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
}

int main(void) {
  entries_follow_from_sites();
  counters_that_are_not_there();
  descriptions();
  damaged_descriptions();
  return check_result();
}
