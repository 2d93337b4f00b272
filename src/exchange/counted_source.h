/* A profile made of counts that a compiler's own instrumentation took: how often functions were
 * entered and ranges of source executed, before optimization, without time. */
#ifndef ASCRIBE_EXCHANGE_COUNTED_SOURCE_H
#define ASCRIBE_EXCHANGE_COUNTED_SOURCE_H

#include "attribution/counts/expressions.h"
#include "base/error.h"
#include "exchange/stack_profile.h"

struct counted_source {
  struct stack_profile stacks;     /* its tables of functions */
  uint64_t *calls;                 /* by function */
  struct profile_expression *uses; /* of macros: ranges in which more may be executed than around */
  size_t use_count;
};

/* `format` as in struct profile_origin. */
void counted_source_open(struct counted_source *source, const char *format);

/* The function; its calls add up. Strings are copied. */
uint32_t counted_source_function(struct counted_source *source,
                                 const struct profile_function *function, uint64_t calls);

/* expression->file is copied. */
void counted_source_expression(struct counted_source *source, struct profile_expression expression);

/* A range in which more may have been executed than around it; its file is copied. */
void counted_source_use(struct counted_source *source, struct profile_expression range);

/* Free everything but *profile, which is the caller's.  With the executable that was counted (or
 * null) its calls follow from the equations of the call graph (code_graph.h). Returns -1 if that
 * fails: then there is no profile. */
int counted_source_finish(struct counted_source *source, const char *executable,
                          struct profile **profile, struct error *error);

/* Free everything. */
void counted_source_discard(struct counted_source *source);

/* The most that a count is taken for: sums of many do not overflow. */
#define COUNTED_MOST (UINT64_C(1) << 61)

#endif
