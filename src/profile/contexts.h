/* Contexts, and the calls between them: see docs/ARCHITECTURE.md for the rules of histories. */
#ifndef ASCRIBE_PROFILE_CONTEXTS_H
#define ASCRIBE_PROFILE_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/tick_rows.h"
#include "recording/reader.h"

/* history[i] = function << 1 | mark, outermost first; length 0: the root of its thread.  The
 * running function is last and marked; every function is marked at most once. */
struct profile_context {
  const uint32_t *history;
  uint32_t length;
  uint32_t thread;
};

/* The function that runs in a context, or NOTHING in a root. */
static inline uint32_t context_running(const struct profile_context *context) {
  return context->length ? context->history[context->length - 1] >> 1 : NOTHING;
}

/* A place that calls: the return address `offset` in `object`, or its key in a world.  `within` is
 * the function that holds it; it is not the caller where code without hooks, which the caller
 * called, called back. */
struct profile_site {
  uint32_t caller; /* NOTHING: spontaneous */
  uint32_t callee;
  uint32_t within; /* or NOTHING */
  uint32_t object; /* or NOTHING */
  uint64_t offset;
  const char *file;      /* or null */
  uint32_t line, column; /* column 0: not known */
  bool tail;             /* a tail call that was put back (tail_calls.h) */
  bool in_doubt;      /* others may have made some of these calls, or all: by tail calls, and who is
                         not known (tail_calls.h) */
  uint32_t expansion; /* of the code that calls, or NOTHING */
};

/* In whose code a site's calls were made: not that of what was inlined there. NOTHING: spontaneous.
 */
static inline uint32_t site_compiled_caller(const struct profile_site *site) {
  return site->expansion != NOTHING && site->within != NOTHING ? site->within : site->caller;
}

/* Calls from context `from` that led to context `to`; from == to: direct recursion. */
struct profile_transition {
  uint32_t from, to;
  uint32_t site;
  uint64_t count;
};

/* Calls at a site that were counted without their context (counters.h), in one process. */
struct profile_count {
  uint32_t process;
  uint32_t site;
  uint64_t calls;
};

/* A call that stands in the code, made or not (static_arcs.h). */
struct profile_static_arc {
  uint32_t caller, callee;
};

/* A call site whose calls follow from the equations of the call graph (possible_calls.h): it was
 * executed so often.  The first one is all code that has no counts, together. */
struct profile_call_place {
  uint64_t least, most; /* most UINT64_MAX: not known */
};

#define NOT_FIXED UINT64_MAX

/* A function that may have been called there, and how often. */
struct profile_possible_call {
  uint32_t place;
  uint32_t site;  /* who called whom, and where; NOTHING: a function that has no counts */
  uint64_t fixed; /* how often, as the user says; NOT_FIXED: he does not */
  uint64_t least, most, estimate; /* as in struct call_arc; equal: exact */
};

#endif
