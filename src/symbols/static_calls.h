/* Calls that stand in the code of an executable, made or not (by capstone).
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", section 4. */
#ifndef ASCRIBE_SYMBOLS_STATIC_CALLS_H
#define ASCRIBE_SYMBOLS_STATIC_CALLS_H

#include "symbols/symbols.h"
#include "symbols/text_symbols.h"

struct static_call {
  uint64_t from, to; /* the last byte of the call, or of the jump of a tail call; the callee */
};

/* All zeros: none. */
struct static_calls {
  struct static_call *list; /* by `from` */
  size_t count;
  size_t indirect;           /* calls and tail calls through pointers: nobody knows where to */
  size_t indirect_functions; /* that hold them */
};

/* Direct calls, and direct jumps from one function to the beginning of another (tail calls), in the
 * code of each symbol of `text`, which is of the same executable.  Fails on other machines than
 * x86.  *calls is to be freed in any case. */
int static_calls_find(struct symbol_file *file, const struct text_symbols *text,
                      struct static_calls *calls, struct error *error);
void static_calls_free(struct static_calls *calls);

#endif
