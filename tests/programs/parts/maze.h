/* Thirty-two functions that call each other in a pseudo-random order: contexts without end, so
 * that tables and contexts grow while something else happens. */
#ifndef MAZE_H
#define MAZE_H

#include "program.h"

typedef void maze_function(unsigned depth, unsigned seed);
static maze_function *const maze[32];

/* Calls of maze functions by this thread. */
static __thread long maze_calls;

static inline void walk_on(unsigned depth, unsigned seed) {
  maze_calls++;
  if (depth == 0) return;
  seed = seed * 1664525u + 1013904223u;
  maze[seed >> 27](depth - 1, seed);
  NOT_A_TAIL();
}

#define MAZE(n)                                                                                    \
  static KEEP void maze_##n(unsigned depth, unsigned seed) {                                       \
    walk_on(depth, seed);                                                                          \
  }
#define MAZE_4(n) MAZE(n##0) MAZE(n##1) MAZE(n##2) MAZE(n##3)
/* clang-format off */
MAZE_4(0)
MAZE_4(1)
MAZE_4(2) MAZE_4(3) MAZE_4(4) MAZE_4(5) MAZE_4(6) MAZE_4(7)
/* clang-format on */
#define NAME_4(n) maze_##n##0, maze_##n##1, maze_##n##2, maze_##n##3
    static maze_function *const maze[32] = {NAME_4(0), NAME_4(1), NAME_4(2), NAME_4(3),
                                            NAME_4(4), NAME_4(5), NAME_4(6), NAME_4(7)};

#endif
