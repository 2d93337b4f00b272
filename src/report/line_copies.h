/* The copies of source lines: what each had of a line's executions and time. */
#ifndef ASCRIBE_REPORT_LINE_COPIES_H
#define ASCRIBE_REPORT_LINE_COPIES_H

#include "profile/profile.h"

/* One copy of the code of a line: the most of its ranges that begin there, all of their time. */
struct line_copy {
  uint32_t line, expression;
  bool own;   /* the only one, and in the function that has it in its source, or a clone of that */
  bool macro; /* the text of a macro, or of one's argument: blocks are not told apart */
  uint32_t
      within; /* NOTHING: time of copies that are not told apart, as they are by their blocks */
  uint32_t expansion;
  uint32_t block;    /* as of a profile_copy */
  bool rest;         /* code of the line that has no copies, beside some that has */
  const char *clone; /* as of a profile_copy */
  uint64_t count;
  struct amount self;
};

/* The copies of the file's lines, in line order, most executions first. `member` selects by
 * function whose source (null: all). A line with code of its own has no copies of macros' text.
 * The caller owns the array. */
struct line_copy *line_copies(const struct profile *profile, const char *file, const bool *member,
                              size_t *count);

#endif
