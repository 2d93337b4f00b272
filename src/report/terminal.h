/* The terminal that a report goes to, if it goes to one. */
#ifndef ASCRIBE_REPORT_TERMINAL_H
#define ASCRIBE_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

struct terminal {
  unsigned width; /* its columns; 0: no limit, names stay whole */
  bool colour;
};

/* Width 0 if it is no terminal, or one that does not tell; colour where a terminal knows it and
 * NO_COLOR is not set. */
struct terminal terminal_of(FILE *out);

#endif
