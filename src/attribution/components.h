/* The call graph's strongly connected components: gprof's "cycles".
 * Source: Tarjan, "Depth first search and linear graph algorithms". */
#ifndef ASCRIBE_ATTRIBUTION_COMPONENTS_H
#define ASCRIBE_ATTRIBUTION_COMPONENTS_H

#include "attribution/costs.h"

struct components {
  uint32_t count;
  uint32_t *of;        /* by function: its component */
  uint32_t *members;   /* by component: number of its functions */
  uint32_t *order;     /* functions, component by component, callees before their callers */
  size_t *first_arc;   /* by function: where its arcs begin in by_caller; one more at the end */
  uint32_t *by_caller; /* arcs that were called, grouped by caller; without spontaneous ones */
};

/* An arc of any call graph; caller NOTHING: not in the graph. */
struct component_arc {
  uint32_t caller, callee;
};

/* Functions are 0 to functions - 1. */
void components_of_arcs(size_t functions, const struct component_arc *arcs, size_t arc_count,
                        struct components *components);

/* Considers only arcs that were called. */
void components_find(const struct profile *profile, const struct costs *costs,
                     struct components *components);
void components_free(struct components *components);

/* True for arcs that the graph has: called, and not spontaneous. */
bool is_call(const struct arc_cost *arc);

#endif
