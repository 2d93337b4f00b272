/* Which line of an edited text was which line before. */
#ifndef ASCRIBE_COMPARE_LINE_MAP_H
#define ASCRIBE_COMPARE_LINE_MAP_H

#include <stddef.h>
#include <stdint.h>

/* lines[i] is the line of the later text, from 1, that line i + 1 of the earlier one has become; 0:
 * it is gone. Blanks at both ends of a line do not count. Lines that both texts have once are
 * paired where their order is the same (the longest such series), and what is equal around them
 * follows: the "patience" way to compare texts, which never pairs a closing bracket with another
 * function's. The result is the caller's, and of `count` lines. */
uint32_t *line_map_make(const char *before, const char *after, size_t *count);

#endif
