/* From contexts to the costs of functions, arcs and call sites.
 * Source: Spivey, "Fast, accurate call graph profiling", "Presenting the results". */
#ifndef ASCRIBE_ATTRIBUTION_COSTS_H
#define ASCRIBE_ATTRIBUTION_COSTS_H

#include <stdbool.h>

#include "attribution/profile.h"

/* total = self + child.  Each context counts once per function, so no total exceeds the whole. */
struct function_cost {
  uint64_t calls;     /* without direct recursion; 0 for code without hooks */
  uint64_t recursive; /* direct recursion (rule A1) */
  struct amount self, total;
};

/* The arc caller -> callee.  `out_*` are the paper's self_1 and child_1: time of contexts in which
 * the arc is the caller's most recent call; `in_*` are self_2 and child_2: time of contexts in
 * which it is the callee's most recent activation.  They differ under mutual recursion only. */
struct arc_cost {
  uint32_t caller; /* NOTHING: spontaneous (the start of a thread) */
  uint32_t callee;
  uint64_t calls;      /* direct recursion is no arc */
  uint64_t tail_calls; /* those of them that are tail calls, put back (tail_calls.h) */
  uint64_t doubtful_calls; /* those at sites where others may have made them, by tail calls */
  struct amount out_self, out_child, in_self, in_child;
  bool solved; /* calls are of the equations (possible_calls.h): where least and most differ,
                  estimated */
  uint64_t least_calls, most_calls; /* if solved; most UINT64_MAX: not known */
  bool cost_unknown; /* of given figures: an arc inside a cycle, whose costs overlap; else calls
                        whose time may be another arc's (split_arcs.h) */
  bool in_code;      /* it was looked for in the code (static_arcs.h): no calls are 0 calls */
};

/* What counts. */
struct selection {
  const uint32_t *focus; /* functions: contexts in which one of them is active; none: all */
  size_t focus_count;
  uint32_t thread;       /* or NOTHING: all */
  const bool *processes; /* by process: those of its threads count; null: all */
};

/* What is not known of a function where stacks and counted calls disagree (split_arcs.h); and its
 * total, as it was met only above main or the start of a thread, where stacks are cut. */
enum { DOUBT_TOTAL = 1, DOUBT_CALLERS = 2, DOUBT_ABOVE_START = 4 };

struct costs {
  struct function_cost *functions; /* by function id */
  struct arc_cost *arcs;           /* in no order */
  size_t arc_count;
  uint64_t *site_calls;       /* by site id */
  struct amount *line_self;   /* by line id */
  struct amount *line_total;  /* by line id: it ran or had called; null where stacks of ticks are
                               * not known */
  struct amount *thread_self; /* by thread id */
  struct amount self;         /* sum of the functions' self */
  uint64_t calls;             /* sum of all transitions, direct recursion included */
  bool calls_unknown; /* calls were counted, but not in contexts that could be selected from */
  uint8_t *doubts;    /* by function: DOUBT_ bits; null: of given figures */
  bool *total_known;  /* by function, of given figures (given.h); null: computed ones */
};

/* Selection null: everything.  A profile with given figures (given.h) has no contexts to select
 * from: the result is what was given.  The result is the caller's, to be freed with costs_free. */
struct costs *costs_compute(const struct profile *profile, const struct selection *selection);
void costs_free(struct costs *costs);

/* Whether a thread counts. */
bool costs_thread_selected(const struct profile *profile, const struct selection *selection,
                           uint32_t thread);

/* By context: whether it counts. The array is the caller's. */
bool *costs_select(const struct profile *profile, const struct selection *selection);

/* True if the function's total is known: not for code without hooks that only ticks have found,
 * which may have called back, but where the stacks of all ticks are known. */
bool costs_total_known(const struct profile *profile, const struct costs *costs, uint32_t function);

/* The same of a line: where the stacks of all ticks are known, but above main. */
bool costs_line_total_known(const struct profile *profile, const struct costs *costs, size_t line);

/* True if calls of the arc are known: not where the callee is code without hooks, nor where only
 * stacks tell of an arc: calls are known by their sites, or the caller is code without hooks or was
 * inlined. */
bool arc_counted(const struct profile *profile, const struct arc_cost *arc);

/* True if calls of the function, of the arc, are known under the selection. */
bool costs_calls_known(const struct profile *profile, const struct costs *costs, uint32_t function);
bool costs_arc_counted(const struct profile *profile, const struct costs *costs,
                       const struct arc_cost *arc);

#endif
