/* Arrows of jumps in the margin of code: one lane for all jumps to one target. */
#ifndef ASCRIBE_REPORT_ARROWS_H
#define ASCRIBE_REPORT_ARROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lanes that are drawn at most; arrows that find none free are left out. */
enum { MOST_LANES = 8, ARROW_BYTES = MOST_LANES + 3 };

struct jump {
  uint32_t from, to; /* rows */
};

/* The jumps to one row. */
struct arrow {
  uint32_t to, first, last; /* rows; it covers first to last */
  uint32_t lane;            /* 0 is next to the code; MOST_LANES: not drawn */
};

struct arrows {
  struct arrow *list;
  size_t count;
  struct jump *jumps; /* sorted by `to`, then `from` */
  size_t jump_count;
  uint32_t lanes; /* used */
};

/* Takes the array of jumps. To be freed with arrows_free. */
void arrows_make(struct jump *jumps, size_t count, struct arrows *arrows);
void arrows_free(struct arrows *arrows);

/* What stands in the margin of a row, `lanes` + 2 characters; where rows are left out between this
 * one and the one before, `gap` is set and only the arrows that pass by are drawn. */
const char *arrows_row(const struct arrows *arrows, uint32_t row, bool gap, char text[ARROW_BYTES]);

#endif
