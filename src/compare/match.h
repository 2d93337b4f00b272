/* Which entries of two profiles are the same. */
#ifndef ASCRIBE_COMPARE_MATCH_H
#define ASCRIBE_COMPARE_MATCH_H

#include "compare/entries.h"

/* Fill the table `pair` (kind, first, second: profiles; a, b: ids of entries, NULL where the other
 * has none), if that was not done before.  No entry stands in two pairs.
 * Functions are the same if their name, file and object are; of those that remain, if their name
 * and file are; then if their name and the last parts of both paths are; at last if no other in
 * either profile has their name.  Several of one key follow each other by line.  All others are the
 * same if their functions are and
 *   call sites   if the same code of the same build calls; of other builds if file's name and line
 *                are the same, and at last in the order of their lines, where the text was edited
 *                or is not known
 *   lines        if the file's name and the line are the same
 *   expressions  if the whole range and the way are the same
 * where a line of a text that was edited (moved_lines.h) is what it has become.
 * The entries are copied if they are not yet. */
int match_entries(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct error *error);

#endif
