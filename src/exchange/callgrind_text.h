/* Lines of callgrind files: names and positions, both compressed.
 * Source: Valgrind manual, "Callgrind Format Specification". */
#ifndef ASCRIBE_EXCHANGE_CALLGRIND_TEXT_H
#define ASCRIBE_EXCHANGE_CALLGRIND_TEXT_H

#include <stdbool.h>

#include "base/map.h"
#include "base/pool.h"

/* Names of one kind: "(12) name" at the first mention, "(12)" later, or plain "name". */
struct callgrind_names {
  struct map ids; /* number -> index */
  const char **texts;
  size_t count;
};

/* The name that stands in `text`, of the pool; null if its number was never given a name. */
const char *callgrind_name(struct callgrind_names *names, struct pool *pool, const char *text);
void callgrind_names_free(struct callgrind_names *names);

enum { MOST_POSITIONS = 4, MOST_CALLGRIND_EVENTS = 64 };

/* Where a cost stands: each number absolute, or "+1", "-1" and "*", from the last one on. */
struct callgrind_positions {
  size_t count; /* numbers of a position: "instr line" are two */
  size_t line;  /* which of them is the line; `count`: none is */
  uint64_t values[MOST_POSITIONS];
};

/* "positions: instr line". */
bool callgrind_positions_named(struct callgrind_positions *positions, const char *names);

/* Read a position at *text and go on behind it. */
bool callgrind_position(struct callgrind_positions *positions, const char **text);

/* The line of the position, 0 if it is not known. */
uint32_t callgrind_line(const struct callgrind_positions *positions);

/* A number, decimal or hexadecimal (0x), at *text, and go on behind it. */
bool callgrind_number(const char **text, uint64_t *number);

#endif
