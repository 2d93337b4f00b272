/* Which entries of two profiles are the same. */
#ifndef ASCRIBE_COMPARE_MATCH_H
#define ASCRIBE_COMPARE_MATCH_H

#include "compare/entries.h"

/* Fill the table `pair` (kind, first, second: profiles; a, b: ids of entries, NULL where the other
 * has none), if that was not done before.  No entry stands in two pairs.
 * Functions are the same if their name, file and object are; of those that remain, if their name
 * and file are; then if their name and the last parts of both paths are; at last if no other in
 * either profile has their name.  Several of one key follow each other by line.  Arcs, call sites
 * and lines are the same if their functions are: call sites in the order of their lines, lines if
 * their file's name and line are, and where the text was edited, if the line has become that line.
 * The entries are copied if they are not yet. */
int match_entries(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct error *error);

#endif
