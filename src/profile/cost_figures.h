/* What functions, arcs, call sites, lines and threads cost: computed from a profile
 * (attribution/costs.h), or given by a file that has no contexts (attribution/given.h).
 * Source: Spivey, "Fast, accurate call graph profiling", "Presenting the results". */
#ifndef ASCRIBE_PROFILE_COST_FIGURES_H
#define ASCRIBE_PROFILE_COST_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/tick_rows.h"

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
  uint64_t calls;          /* direct recursion is no arc */
  uint64_t tail_calls;     /* those of them that are tail calls, put back (tail_calls.h) */
  uint64_t doubtful_calls; /* those at sites where others may have made them, by tail calls */
  struct amount out_self, out_child, in_self, in_child;
  bool solved; /* calls are of the equations (possible_calls.h): where least and most differ,
                  estimated */
  uint64_t least_calls, most_calls; /* if solved; most UINT64_MAX: not known */
  bool cost_unknown; /* of given figures: an arc inside a cycle, whose costs overlap; else calls
                        whose time may be another arc's (split_arcs.h) */
  bool in_code;      /* it was looked for in the code (static_arcs.h): no calls are 0 calls */
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

void costs_free(struct costs *costs);

#endif
