/* Arcs, call sites, lines and places that allocate of two profiles, matched by numbers: of
 * functions that are the same, of files' names, of lines, and of code. */
#ifndef ASCRIBE_COMPARE_MATCH_KEYS_H
#define ASCRIBE_COMPARE_MATCH_KEYS_H

#include "compare/match.h"

/* The functions have been matched, and of sites and lines the texts compared (moved_lines.h). */
int match_by_keys(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct entry_pairs *pairs, struct error *error);

#endif
