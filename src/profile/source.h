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
  EXPRESSION_GONE,   /* source of which optimisation left no code, in an object file at least */
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
  LINE_GONE,  /* optimisation removed all of its code */
};

#define LINE_NO_SHARE UINT64_MAX

/* How often the part of a line that is one function's was executed (line_counts.h). */
struct profile_line_count {
  const char *file; /* never null */
  uint32_t line;    /* never 0 */
  uint32_t function;
  enum line_state state;
  uint32_t counted; /* COUNTED_OPTIMIZED or COUNTED_AS_WRITTEN; 0: of an import, or it is gone */
  uint64_t count;   /* 0 of what is unsure or gone */
  uint64_t share;   /* those of all functions sum to the line's executions; LINE_NO_SHARE: it has
                       none, as the code of another function tells of the line */
};

/* A block of a function's code, where optimisation made copies within the function: what was seen
 * of it there. */
struct profile_block {
  uint32_t within;
  const char *clone;     /* as of a copy */
  uint32_t number;       /* in the code of these, from 1 */
  uint32_t loop;         /* the innermost loop around it, from 1; 0: none */
  const char *loop_file; /* or null: not known where it stands */
  uint32_t loop_line;
  const char *vectors; /* how many elements the vectors there have ("4", "2, 4"), or null: none */
  const char *by;      /* the optimisations that copied code there, or null: it was not copied */
  const char *where;   /* a condition that held, and not for all copies ("flag == 0"), or null */
};

/* The part of an expression's count that one copy of it has: in one function's code, come there in
 * one way.  Those of an expression sum to its count. */
struct profile_copy {
  uint32_t expression;
  uint32_t within;    /* the function */
  uint32_t expansion; /* or NOTHING: it is that function's own */
  const char *clone;  /* the suffix of its linkage name (".constprop.0"), or null: itself */
  uint32_t block;     /* or NOTHING: optimisation made no copies of it in that function */
  uint64_t count;
};

#endif
