/* The source, and how often it was executed. */
#ifndef ASCRIBE_PROFILE_SOURCE_H
#define ASCRIBE_PROFILE_SOURCE_H

#include <stdint.h>

enum expression_kind {
  EXPRESSION_CODE,   /* a range of source that was executed as a whole */
  EXPRESSION_BRANCH, /* one way that a condition there may go */
  EXPRESSION_GAP,    /* the space before code: lines that begin in it are executed so often */
  EXPRESSION_LOOP,   /* way 0: how often a loop with this condition was entered, 1: its trips */
  EXPRESSION_MACRO,  /* text of a macro, or of one's arguments: an expansion has its own code */
  EXPRESSION_LINE,   /* a line of a function that has these: its ranges say nothing of lines then */
  EXPRESSION_GONE,   /* no code: optimisation removed it. Only in profiles of versions before 28 */
  EXPRESSION_SKIPPED, /* no code, in the midst of some: comments, what #if leaves out */
  EXPRESSION_CASE     /* one way that a `switch` there may go */
};

/* A range of source text and how often it was executed, in one function's code: in its own, or in
 * that of another which it was inlined into.  Ranges of one function lie in each other or apart. */
struct profile_expression {
  uint32_t function;
  const char *file;              /* never null */
  uint32_t line, column;         /* where it begins, from 1; column 0: somewhere in the line */
  uint32_t end_line, end_column; /* where it ends, behind its last character; 0: not known */
  uint32_t way;                  /* of the branches of one range: which, from 0; where several
                                    conditions have the range, two for each. Of a case: of which
                                    switch, from 0, where several have the range */
  const char *label;   /* of a case: its values ("case 1, 3 ... 5"), or null: executions of
                          the switch of which it is not known which way they went */
  uint32_t label_line; /* where that stands in the file; 0: not known */
  enum expression_kind kind;
  uint64_t count;
};

/* What is known of a line in one function. */
enum line_state {
  LINE_COUNTED, /* its executions were counted */
  LINE_UNSURE,  /* its count is 0, but ticks hit it: the count misses some of its code */
  LINE_MACRO, /* no code begins in it, but the text of macros that were expanded in the function */
  LINE_GONE,  /* optimisation removed its code. Only in profiles of versions before 28 */
};

#define LINE_NO_SHARE UINT64_MAX

/* How often the part of a line that is one function's was executed (line_counts.h). */
struct profile_line_count {
  const char *file; /* never null */
  uint32_t line;    /* never 0 */
  uint32_t function;
  enum line_state state;
  uint64_t count; /* 0 of what is unsure or gone */
  uint64_t share; /* those of all functions sum to the line's executions; LINE_NO_SHARE: it has
                       none, as the code of another function tells of the line */
};

#define COPY_UNCOUNTED UINT64_MAX

/* A copy of an expression: in one function's code, come there in one way. Copies that the optimizer
 * made are those that ticks fell on. They share their counters, so only the copies of a macro's
 * text have a count, which sum to the expression's. */
struct profile_copy {
  uint32_t expression;
  uint32_t within;    /* the function */
  uint32_t expansion; /* or NOTHING: it is that function's own */
  const char *clone;  /* the suffix of its linkage name (".constprop.0"), or null: itself */
  uint64_t count;     /* or COPY_UNCOUNTED */
};

#endif
