/* The terminal that a report goes to, if it goes to one. */
#ifndef ASCRIBE_REPORT_TERMINAL_H
#define ASCRIBE_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Its columns; 0: `out` is no terminal, or one that does not tell. */
unsigned terminal_width(FILE *out);

/* Whether to use colours: a terminal that knows them, and NO_COLOR is not set. */
bool terminal_colours(FILE *out);

#endif
