/* The copies of source lines: what each had of a line's time, and of a macro's executions. */
#ifndef ASCRIBE_REPORT_LINE_COPIES_H
#define ASCRIBE_REPORT_LINE_COPIES_H

#include "profile/profile.h"

/* One copy of the code of a line: the most of its ranges that begin there, all of their time. */
struct line_copy {
  uint32_t line;
  bool own;   /* the only one, and in the function that has it in its source, or a clone of that */
  bool macro; /* the text of a macro, or of one's argument */
  uint32_t within, expansion; /* as of a profile_copy */
  const char *clone;
  uint64_t count;
  struct amount self;
};

/* The copies of the file's lines, in line order, most executions, then most time first. `member`
 * selects by function whose source (null: all). A line with code of its own has no copies of
 * macros' text. The caller owns the array. */
struct line_copy *line_copies(const struct profile *profile, const char *file, const bool *member,
                              size_t *count);

#endif
