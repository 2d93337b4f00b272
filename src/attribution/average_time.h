/* What gprof would say: its average-time assumption applied to the same data.
 *
 * gprof knows each function's own time and each arc's calls.  It shares the time of a function
 * and all below it among the callers in proportion to their calls, and takes the members of each
 * strongly connected component of the call graph together as one "cycle".  Times of code without
 * hooks stay with the function that was running, so that nothing but the assumption differs.
 * gprof knows no inlined functions: their time and calls are those of the code they stand in.
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", sections 3 and 4. */
#ifndef ASCRIBE_ATTRIBUTION_AVERAGE_TIME_H
#define ASCRIBE_ATTRIBUTION_AVERAGE_TIME_H

#include "attribution/call_graph.h"
#include "attribution/costs.h"

struct average_time {
  struct call_graph graph; /* nodes: the functions, then what is spontaneous; times in raw ns */
  uint32_t *arc_of;        /* by arc of the costs: in the graph, or NOTHING: never called */
  bool *merged; /* by arc of the costs: it is not one of gprof's, which have inlined calls' calls */
};

/* `costs` are those of the selection. */
struct average_time *average_time_compute(const struct profile *profile, const struct costs *costs,
                                          const struct selection *selection);
void average_time_free(struct average_time *average);

/* Raw ns of a function and its descendants, as gprof lists it. */
double average_time_of(const struct average_time *average, uint32_t function);

/* Whether that is the only total that is known of the function: nothing measured it, and it is of a
 * language host, whose calls are counted. */
bool average_time_stands_for_total(const struct profile *profile, const struct costs *costs,
                                   uint32_t function);

/* Raw ns that the callee passes to the caller; 0 inside a cycle. */
double average_time_of_arc(const struct average_time *average, uint32_t arc);

#endif
