/* Arrows of jumps beside code. */
#include "report/arrows.h"

#include <stdlib.h>

#include "base/memory.h"
#include "check.h"

static void draw(const struct jump *jumps, size_t count, const char *const *expected,
                 uint32_t rows) {
  struct jump *copy = memory_zeroed(count, sizeof *copy);
  struct arrows arrows;
  char text[ARROW_BYTES];
  if (count) memcpy(copy, jumps, count * sizeof *copy);
  arrows_make(copy, count, &arrows);
  for (uint32_t row = 0; row < rows; row++)
    CHECK_TEXT(arrows_row(&arrows, row, false, text), expected[row]);
  arrows_free(&arrows);
}

static void nested_and_crossing(void) {
  static const struct jump jumps[] = {{8, 2}, {1, 9}, {4, 6}, {5, 6}, {7, 7}};
  static const char *const rows[] = {"     ",  //
                                     ",--- ",  //
                                     "|,-> ",  // from 8
                                     "||   ",  //
                                     "||,- ",  //
                                     "||+- ",  // two jumps to one target share a lane
                                     "||`> ",  //
                                     "||-> ",  // to itself
                                     "|`-- ",  //
                                     "`--> "}; // from 1
  struct jump all[5];
  memcpy(all, jumps, sizeof all);
  draw(all, 5, rows, 10);
}

/* A shorter arrow that begins outside of a longer one crosses it. */
static void crossing(void) {
  static const struct jump jumps[] = {{0, 3}, {2, 9}};
  static const char *const rows[] = {" ,- ", " |  ", ",+- ", "|`> ", "|   "};
  draw(jumps, 2, rows, 5);
}

static void no_jumps(void) {
  static const char *const rows[] = {"  "};
  draw(NULL, 0, rows, 1);
}

/* What finds no lane is left out, and nothing else suffers. */
static void too_many(void) {
  struct jump jumps[2 * MOST_LANES];
  char text[ARROW_BYTES];
  struct jump *copy = memory_zeroed(2 * MOST_LANES, sizeof *copy);
  struct arrows arrows;
  for (uint32_t i = 0; i < 2 * MOST_LANES; i++)
    jumps[i] = (struct jump){i, 100 + i};
  memcpy(copy, jumps, sizeof jumps);
  arrows_make(copy, 2 * MOST_LANES, &arrows);
  CHECK_EQUAL(arrows.lanes, MOST_LANES);
  for (uint32_t row = 0; row < 120; row++)
    CHECK_EQUAL(strlen(arrows_row(&arrows, row, false, text)), MOST_LANES + 2);
  CHECK_TEXT(arrows_row(&arrows, 50, false, text), "||||||||  ");
  arrows_free(&arrows);
}

/* Where rows are left out, only the arrows that pass by are drawn. */
static void gaps(void) {
  struct jump *jumps = memory_zeroed(2, sizeof *jumps);
  struct arrows arrows;
  char text[ARROW_BYTES];
  jumps[0] = (struct jump){2, 8};
  jumps[1] = (struct jump){3, 4};
  arrows_make(jumps, 2, &arrows);
  CHECK_TEXT(arrows_row(&arrows, 5, true, text), "|   ");
  CHECK_TEXT(arrows_row(&arrows, 2, true, text), "    ");
  CHECK_TEXT(arrows_row(&arrows, 9, true, text), "    ");
  arrows_free(&arrows);
}

int main(void) {
  nested_and_crossing();
  crossing();
  no_jumps();
  too_many();
  gaps();
  return check_result();
}
