#include "attribution/centre_costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "profile/appended.h"

static const struct profile_line nowhere; /* of the first centre: lines are not asked of */

/* An arc between two centres is one call site. */
static void link_sites(struct profile *view, const struct profile *centres) {
  struct map known = {0};
  view->sites = NULL;
  view->site_count = 0;
  view->transitions = memory_zeroed(centres->transition_count + 1, sizeof *view->transitions);
  for (size_t i = 0; i < centres->transition_count; i++) {
    struct profile_transition *transition = &view->transitions[i];
    *transition = centres->transitions[i];
    struct profile_site site = {.caller = context_running(&view->contexts[transition->from]),
                                .callee = context_running(&view->contexts[transition->to]),
                                .within = NOTHING,
                                .object = NOTHING,
                                .expansion = NOTHING};
    uint32_t fresh = (uint32_t)view->site_count;
    transition->site = map_find_or_add(&known, site.caller, site.callee, fresh);
    if (transition->site == fresh) (void)APPENDED(view->sites, view->site_count, site);
  }
  map_free(&known);
}

static void add_pair(struct centre_costs *costs, struct map *known, uint32_t centre,
                     uint32_t function, struct amount amount) {
  uint32_t fresh = (uint32_t)costs->function_count;
  uint32_t id = map_find_or_add(known, centre, function, fresh);
  struct centre_function pair = {.centre = centre, .function = function};
  if (id == fresh) (void)APPENDED(costs->functions, costs->function_count, pair);
  costs->functions[id].self = amount_sum(costs->functions[id].self, amount);
}

static uint32_t running_centre(const struct profile *centres, uint32_t context) {
  return context == NOTHING ? NOTHING : context_running(&centres->contexts[context]);
}

/* The selected ticks of the profile, as ticks of the view. */
static void take_ticks(struct centre_costs *costs, const struct profile *profile,
                       const bool *selected, struct profile_metric *metric) {
  const struct profile_metric *from = profile_metric(profile);
  struct map known = {0};
  for (size_t i = 0; i < from->tick_count; i++) {
    const struct profile_tick *tick = &from->ticks[i];
    if (!selected[tick->context]) continue;
    uint32_t centre = running_centre(profile->centres, tick->centre);
    add_pair(costs, &known, centre, context_running(&profile->contexts[tick->context]),
             tick->amount);
    if (centre == NOTHING) {
      costs->outside = amount_sum(costs->outside, tick->amount);
      continue;
    }
    struct profile_tick taken = {.context = tick->centre,
                                 .stack = NOTHING,
                                 .centre = NOTHING,
                                 .kind = NOTHING,
                                 .amount = tick->amount};
    (void)APPENDED(metric->ticks, metric->tick_count, taken);
    costs->self[tick->centre] = amount_sum(costs->self[tick->centre], tick->amount);
  }
  map_free(&known);
}

static void open_view(struct centre_costs *costs, const struct profile *profile) {
  struct profile *view = &costs->view;
  struct profile_metric *metric = memory_zeroed(1, sizeof *metric);
  *view = *profile->centres;
  view->processes = profile->processes;
  view->process_count = profile->process_count;
  view->threads = profile->threads;
  view->thread_count = profile->thread_count;
  view->lines = (struct profile_line *)&nowhere;
  view->line_count = 1;
  *metric = *profile_metric(profile);
  metric->ticks = NULL;
  metric->tick_count = metric->instruction_count = metric->measure_count = 0;
  costs->self = memory_zeroed(view->context_count + 1, sizeof *costs->self);
  metric->self = costs->self;
  view->metrics = metric;
  view->metric_count = 1;
  link_sites(view, profile->centres);
}

struct centre_costs *centre_costs_make(const struct profile *profile,
                                       const struct selection *selection) {
  struct centre_costs *costs = memory_zeroed(1, sizeof *costs);
  struct selection threads = selection ? *selection : (struct selection){.thread = NOTHING};
  bool *selected = costs_select(profile, selection);
  open_view(costs, profile);
  take_ticks(costs, profile, selected, costs->view.metrics);
  threads.focus_count = 0; /* ticks have been selected by it */
  costs->costs = costs_compute_past(&costs->view, &threads, NULL);
  if (selection && selection->focus_count) costs->costs->calls_unknown = true;
  free(selected);
  return costs;
}

void centre_costs_free(struct centre_costs *costs) {
  if (!costs) return;
  costs_free(costs->costs);
  free(costs->view.metrics->ticks);
  free(costs->view.metrics);
  free(costs->view.sites);
  free(costs->view.transitions);
  free(costs->functions);
  free(costs->self);
  free(costs);
}
