#include "profile/cost_figures.h"

#include <stdlib.h>

void costs_free(struct costs *costs) {
  if (!costs) return;
  free(costs->functions);
  free(costs->arcs);
  free(costs->site_calls);
  free(costs->line_self);
  free(costs->line_total);
  free(costs->thread_self);
  free(costs->doubts);
  free(costs->total_known);
  free(costs);
}
