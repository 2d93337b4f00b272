/* The call graph of a gmon.out: its samples and calls, charged to places of the executable. */
#ifndef ASCRIBE_EXCHANGE_GMON_GRAPH_H
#define ASCRIBE_EXCHANGE_GMON_GRAPH_H

#include "attribution/call_graph.h"
#include "exchange/gmon.h"
#include "exchange/gmon_places.h"

/* Nodes of the result are the places: same numbers. */
struct gmon_graph {
  struct call_graph graph;
  double ticks;      /* of all histograms, as far as they count */
  double sampled;    /* the same, whether they count or not */
  double bytes;      /* of a bin of the histogram; 0: there is none */
  double outside;    /* ticks in no place */
  uint64_t unplaced; /* calls whose caller or callee is in no place */
};

/* An arc that is not to count. */
struct gmon_arc_name {
  const char *caller, *callee; /* functions; null: any */
};

struct gmon_graph_options {
  const struct graph_choice *timed; /* by place: ticks of others are left out, of `ticks` too */
  const struct gmon_arc_name *left_out;
  size_t left_out_count;
};

void gmon_graph_make(const struct gmon *gmon, const struct gmon_places *places,
                     const struct gmon_graph_options *options, struct gmon_graph *graph);

/* Add an arc of the executable's code, without calls, unless it has been there. */
struct gmon_static_arc {
  uint64_t from, to; /* in the call, not its first byte; the function's address */
};
void gmon_graph_add_static(struct gmon_graph *graph, const struct gmon_places *places,
                           const struct gmon_graph_options *options,
                           const struct gmon_static_arc *arcs, size_t count);

#endif
