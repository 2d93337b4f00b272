/* How often lines of source text were executed: the one place that knows. It is told when a profile
 * is made, and kept in it. */
#ifndef ASCRIBE_ATTRIBUTION_LINE_COUNTS_H
#define ASCRIBE_ATTRIBUTION_LINE_COUNTS_H

#include "profile/profile.h"

/* Make profile->line_counts, of a profile that is complete but for them, by these rules.
 *  - Where a function's lines were counted themselves (EXPRESSION_LINE), these counts are those of
 *    its lines, and nothing else is.
 *  - Else its ranges tell (range_sweep.h), functions that share lines add up. In profiles of
 * clang's regions these lie in each other whatever functions they are of (a lambda's in the
 * function around it): there the line's executions are those of the one region, of any function,
 * that tells of it, and the same region of several functions (instances of a template) adds up.
 *  - The text of macros tells of lines in which no code begins.
 *  - Code that was executed 0 times, and was met by ticks, stands for more than its count tells. */
void line_counts_make(struct profile *profile);

/* Rows in the order of the profile's: by file, line, function, state. */
int line_counts_compare(const struct profile_line_count *a, const struct profile_line_count *b);

/* Executions of a line, of all functions or some together. */
struct executed_line {
  const char *file;
  uint32_t line;
  bool known;  /* it has code that was counted */
  bool unsure; /* known, `count` is 0, but ticks met code of it: it stands for more */
  bool macro;  /* it has none, but the text of macros, which was executed `count` times */
  uint64_t count;
};

/* Lines of a file in their order, or of all files, which are in the order of their names. */
struct executed_lines {
  const struct profile *profile;
  const bool *member;
  size_t at, end; /* rows */
};

/* `file` null: all files. `member` is by function: which ones, without the text of macros, which is
 * a file's; null: all. Nothing is to be closed. */
void executed_lines_open(struct executed_lines *lines, const struct profile *profile,
                         const char *file, const bool *member);
bool executed_lines_next(struct executed_lines *lines, struct executed_line *line);

/* What of the program was executed, of what has counts. */
struct coverage {
  uint64_t lines, executed_lines;
  uint64_t branches, taken_branches;
};

void line_counts_coverage(const struct profile *profile, struct coverage *coverage);

#endif
