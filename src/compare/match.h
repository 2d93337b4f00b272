/* Which entries of two profiles are the same. */
#ifndef ASCRIBE_COMPARE_MATCH_H
#define ASCRIBE_COMPARE_MATCH_H

#include "compare/entries.h"

/* Instead of an id: the profile does not have the entry. */
#define ENTRY_NONE INT64_MIN

struct entry_pairs {
  struct entry_pair {
    int64_t a, b; /* ids; one at most is ENTRY_NONE */
  } * items;      /* by a, what only b has last and by b */
  size_t count;
};

/* The pairs of the entries of the profiles `first` (a) and `second` (b).  No entry stands in two.
 * Functions of an object whose build (build-id) both profiles have are the same if their linkage
 * name, name, file and line are; of those that remain, if no other has their linkage name; where
 * one profile has no linkage names there, if their name and file are, at last if no other has their
 * name. They are never those of another object. All others are the same if their linkage name,
 * name, file and object are; of those that remain, if their name, file and object are; then if
 * their name and the last parts of both paths are; then if their name and file are; at last if no
 * other in either profile has their name.  Several of one key follow each other by line.  All other
 * entries are the same if their functions are and
 *   call sites   if the same code of the same build calls; of other builds if file's name and line
 *                are the same, and at last in the order of their lines, where the text was edited
 *                or is not known
 *   lines        if the file's name and the line are the same
 *   expressions  if the whole range and the way are the same
 * where a line of a text that was edited (moved_lines.h) is what it has become.
 * Functions and expressions stay in the table `pair` (kind, first, second, a, b; NULL: none), and
 * are not matched again.
 * 0, or -1 with the reason; to be freed with entry_pairs_free, also after a failure. */
int match_entries(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct entry_pairs *pairs, struct error *error);
void entry_pairs_free(struct entry_pairs *pairs);

#endif
