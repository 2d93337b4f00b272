#include "attribution/costs.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/allocation_place.h"
#include "attribution/equations/possible_calls.h"
#include "attribution/given.h"
#include "attribution/line_groups.h"
#include "attribution/split_arcs.h"
#include "base/begins.h"
#include "base/map.h"
#include "recording/history.h"

struct computation {
  const struct profile *profile;
  struct costs *costs;
  bool *selected;     /* by context */
  const bool *passed; /* by function: its callers are charged; or null */
  struct map arcs;
};

static void add(struct amount *sum, struct amount amount) {
  *sum = amount_sum(*sum, amount);
}

static struct arc_cost *arc_between(struct computation *computation, uint32_t caller,
                                    uint32_t callee) {
  struct costs *costs = computation->costs;
  uint64_t key = (uint64_t)caller << 32 | callee;
  uint32_t id = map_find_or_add(&computation->arcs, key, 0, costs->arc_count);
  if (id == costs->arc_count) {
    ARRAY_GROW(costs->arcs, costs->arc_count);
    costs->arcs[costs->arc_count++] = (struct arc_cost){.caller = caller, .callee = callee};
  }
  return &costs->arcs[id];
}

/* Items A[B]C of the context, one entry B after the other; neighbouring items share an arc, so
 * the arc A -> B is looked at once: as outgoing arc of the item of A, and as incoming one of B's.
 */
static void charge_context(struct computation *computation, const struct profile_context *context,
                           struct amount self) {
  struct costs *costs = computation->costs;
  uint32_t running = context_running(context);
  for (uint32_t i = 0; i < context->length; i++) {
    uint32_t function = history_function(context->history[i]);
    uint32_t caller = i ? history_function(context->history[i - 1]) : NOTHING;
    bool marked = history_marked(context->history[i]);
    bool caller_marked = i && history_marked(context->history[i - 1]);
    if (marked) add(&costs->functions[function].total, self);
    if (!marked && !caller_marked) continue;
    struct arc_cost *arc = arc_between(computation, caller, function);
    if (caller_marked) add(function == running ? &arc->out_self : &arc->out_child, self);
    if (marked) add(function == running ? &arc->in_self : &arc->in_child, self);
  }
  if (running == NOTHING) return;
  add(&costs->functions[running].self, self);
  add(&costs->thread_self[context->thread], self);
  add(&costs->self, self);
}

static void charge_contexts(struct computation *computation) {
  const struct profile *profile = computation->profile;
  const struct amount *self = profile_metric(profile)->self;
  for (size_t i = 0; i < profile->context_count; i++) {
    if (!computation->selected[i] || (!self[i].ticks && !self[i].raw_ns)) continue;
    struct profile_context context = profile->contexts[i];
    if (computation->passed) context = allocation_context(context, computation->passed);
    charge_context(computation, &context, self[i]);
  }
}

static void charge_lines(struct computation *computation) {
  const struct profile *profile = computation->profile;
  const struct profile_metric *metric = profile_metric(profile);
  for (size_t i = 0; i < metric->tick_count; i++)
    if (computation->selected[metric->ticks[i].context])
      add(&computation->costs->line_self[metric->ticks[i].line], metric->ticks[i].amount);
  computation->costs->line_total =
      line_group_totals(profile, computation->selected, NULL, profile->line_count);
}

static void charge(struct computation *computation) {
  const struct profile *profile = computation->profile;
  struct profile_metric metric = *profile_metric(profile);
  charge_contexts(computation);
  if (!computation->passed) {
    charge_lines(computation);
    return;
  }
  struct profile view = *profile;
  view.metrics = &metric;
  view.metric = 0;
  view.metric_count = 1;
  metric.ticks = allocation_places(profile, computation->passed);
  computation->profile = &view;
  charge_lines(computation);
  computation->profile = profile;
  free(metric.ticks);
}

static void count_call(struct computation *computation, uint32_t caller, uint32_t callee,
                       uint32_t site, uint64_t calls) {
  struct costs *costs = computation->costs;
  costs->calls += calls;
  costs->site_calls[site] += calls;
  if (caller == callee) {
    costs->functions[callee].recursive += calls;
    return;
  }
  costs->functions[callee].calls += calls;
  struct arc_cost *arc = arc_between(computation, caller, callee);
  arc->calls += calls;
  if (computation->profile->sites[site].tail) arc->tail_calls += calls;
  if (computation->profile->sites[site].in_doubt) arc->doubtful_calls += calls;
}

/* Such counts are known by process, but not by thread, by time or under a focus. */
static void count_without_contexts(struct computation *computation,
                                   const struct selection *selection) {
  const struct profile *profile = computation->profile;
  if (profile->calls_unknown) computation->costs->calls_unknown = true;
  if (selection && (selection->focus_count || selection->thread != NOTHING)) {
    computation->costs->calls_unknown |= profile->count_count > 0;
    return;
  }
  const bool *processes = selection ? selection->processes : NULL;
  for (size_t i = 0; i < profile->count_count; i++) {
    if (processes && !processes[profile->counts[i].process]) continue;
    const struct profile_site *site = &profile->sites[profile->counts[i].site];
    count_call(computation, site->caller, site->callee, profile->counts[i].site,
               profile->counts[i].calls);
  }
}

static void count_calls(struct computation *computation) {
  const struct profile *profile = computation->profile;
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    if (!computation->selected[transition->to]) continue;
    count_call(computation, context_running(&profile->contexts[transition->from]),
               context_running(&profile->contexts[transition->to]), transition->site,
               transition->count);
  }
}

static bool is_active(const struct profile_context *context, const bool *in_focus) {
  for (uint32_t i = 0; i < context->length; i++)
    if (history_marked(context->history[i]) && in_focus[history_function(context->history[i])])
      return true;
  return false;
}

bool costs_selects_all(const struct selection *selection) {
  return !selection ||
         (!selection->focus_count && selection->thread == NOTHING && !selection->processes);
}

bool costs_thread_selected(const struct profile *profile, const struct selection *selection,
                           uint32_t thread) {
  if (selection->thread != NOTHING && selection->thread != thread) return false;
  return !selection->processes || selection->processes[profile->threads[thread].process];
}

bool *costs_select(const struct profile *profile, const struct selection *selection) {
  static const struct selection everything = {.thread = NOTHING};
  if (!selection) selection = &everything;
  bool *selected = memory_zeroed(profile->context_count, sizeof *selected);
  bool *in_focus = memory_zeroed(profile->function_count, sizeof *in_focus);
  for (size_t i = 0; i < selection->focus_count; i++)
    in_focus[selection->focus[i]] = true;
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    selected[i] = costs_thread_selected(profile, selection, context->thread) &&
                  (!selection->focus_count || is_active(context, in_focus));
  }
  free(in_focus);
  return selected;
}

static void meet(bool *met, uint32_t function) {
  if (function != NOTHING) met[function] = true;
}

static void meet_all(const struct profile *profile, bool *met) {
  for (size_t i = 0; i < profile->context_count; i++)
    for (uint32_t entry = 0; entry < profile->contexts[i].length; entry++)
      meet(met, history_function(profile->contexts[i].history[entry]));
  for (size_t i = 0; i < profile->site_count; i++) {
    meet(met, profile->sites[i].caller);
    meet(met, profile->sites[i].callee);
  }
}

/* The functions that call main and the first function of a thread. Stacks leave them out; only
 * ticks before and after main show them. */
static bool runs_main(const struct profile *profile, const struct profile_function *function) {
  static const char *const names[] = {"_start", "__libc_start_main", "__libc_start_call_main",
                                      "start_thread", "clone"};
  if (profile->origin.format) return false; /* its stacks are whole */
  return BEGINS_WITH_ANY(function->name, names);
}

/* Stacks begin with main or a thread's start function (recorded/expansion.h). A function that was
 * met only further out is in no context and has no calls; its total is unknown, not zero, nor the
 * little of it in which main did not run. Functions that were inlined everywhere are not meant:
 * they would be in contexts. */
static void doubt_above_start(const struct profile *profile, struct costs *costs) {
  bool *met = memory_zeroed(profile->function_count, sizeof *met);
  meet_all(profile, met);
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->kind == FUNCTION_SAMPLED && !(function->bodies & BODY_INLINED) &&
        (!met[i] || runs_main(profile, function)))
      costs->doubts[i] |= DOUBT_ABOVE_START;
  }
  free(met);
}

/* ---- cut stacks ---- */

struct cut {
  bool *cuts;       /* by function: it is of FUNCTION_CUT */
  uint64_t raw_ns;  /* of all cut stacks */
  bool *outer;      /* by function: it may be in what was cut off */
  uint64_t *active; /* by function: raw_ns of cut stacks with it */
};

/* The innermost entry that stands for missing ones; NOTHING: the stack is whole. */
static uint32_t cut_at(const struct cut *cut, const struct profile_context *context) {
  for (uint32_t i = context->length; i-- > 0;)
    if (cut->cuts[history_function(context->history[i])]) return i;
  return NOTHING;
}

static void note_cut(struct cut *cut, const struct profile_context *context, uint32_t at,
                     uint64_t raw_ns) {
  cut->raw_ns += raw_ns;
  if (at + 1 < context->length) cut->outer[history_function(context->history[at + 1])] = true;
  for (uint32_t i = 0; i < context->length; i++)
    if (history_marked(context->history[i]))
      cut->active[history_function(context->history[i])] += raw_ns;
}

/* Adds all functions that, by the calls that are known, may lead to where cut stacks go on. */
static void find_callers(const struct costs *costs, struct cut *cut) {
  for (bool found = true; found;) {
    found = false;
    for (size_t i = 0; i < costs->arc_count; i++) {
      uint32_t caller = costs->arcs[i].caller;
      if (caller == NOTHING || cut->cuts[caller] || cut->outer[caller]) continue;
      cut->outer[caller] = cut->outer[costs->arcs[i].callee];
      found |= cut->outer[caller];
    }
  }
}

/* A cut stack lacks its outer functions, or those of a handler between the code that it interrupted
 * and the function that ran. Each function that may have been there (main, and whoever may call
 * what follows the gap) may have the stack's time in its total, too. */
static void look_beyond_cuts(const struct computation *computation) {
  const struct profile *profile = computation->profile;
  struct costs *costs = computation->costs;
  struct cut cut = {.cuts = memory_zeroed(profile->function_count, sizeof *cut.cuts)};
  bool any = false;
  for (size_t i = 0; i < profile->function_count; i++) {
    cut.cuts[i] = profile->functions[i].kind == FUNCTION_CUT;
    any |= cut.cuts[i];
  }
  if (!any) {
    free(cut.cuts);
    return;
  }
  cut.outer = memory_zeroed(profile->function_count, sizeof *cut.outer);
  cut.active = memory_zeroed(profile->function_count, sizeof *cut.active);
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    uint64_t raw_ns = context_self(profile, i).raw_ns;
    if (!computation->selected[i] || !raw_ns || !context->length) continue;
    uint32_t at = cut_at(&cut, context);
    if (at != NOTHING)
      note_cut(&cut, context, at, raw_ns);
    else
      cut.outer[history_function(context->history[0])] = true;
  }
  if (cut.raw_ns) find_callers(costs, &cut);
  for (size_t i = 0; i < profile->function_count; i++)
    if (cut.outer[i]) costs->functions[i].total.unseen_ns = cut.raw_ns - cut.active[i];
  free(cut.cuts);
  free(cut.outer);
  free(cut.active);
}

struct costs *costs_compute(const struct profile *profile, const struct selection *selection) {
  bool of_memory = !profile->given && profile_metric(profile)->kind == METRIC_HEAP;
  bool *passed = of_memory ? allocation_passes(profile, selection) : NULL;
  struct costs *costs = costs_compute_past(profile, selection, passed);
  free(passed);
  return costs;
}

struct costs *costs_compute_past(const struct profile *profile, const struct selection *selection,
                                 const bool *passed) {
  if (profile->given) return given_copy(profile);
  struct costs *costs = memory_zeroed(1, sizeof *costs);
  costs->functions = memory_zeroed(profile->function_count, sizeof *costs->functions);
  costs->site_calls = memory_zeroed(profile->site_count, sizeof *costs->site_calls);
  costs->line_self = memory_zeroed(profile->line_count, sizeof *costs->line_self);
  costs->thread_self = memory_zeroed(profile->thread_count, sizeof *costs->thread_self);
  costs->doubts = memory_zeroed(profile->function_count, sizeof *costs->doubts);
  struct computation computation = {.profile = profile, .costs = costs, .passed = passed};
  computation.selected = costs_select(profile, selection);
  charge(&computation);
  count_calls(&computation);
  count_without_contexts(&computation, selection);
  look_beyond_cuts(&computation);
  for (size_t i = 0; i < profile->static_arc_count; i++)
    arc_between(&computation, profile->static_arcs[i].caller, profile->static_arcs[i].callee)
        ->in_code = true;
  if (costs->line_total) doubt_above_start(profile, costs);
  if (!selection || !selection->focus_count) split_arcs_find(profile, costs);
  if (profile->possible_call_count && costs_selects_all(selection))
    possible_calls_limit(profile, costs);
  free(computation.selected);
  map_free(&computation.arcs);
  return costs;
}

/* When it is active, its host tells. */
static bool is_of_world(const struct profile *profile, uint32_t function) {
  uint32_t object = profile->functions[function].object;
  return object != NOTHING && profile->objects[object].kind == OBJECT_WORLD;
}

bool costs_total_known(const struct profile *profile, const struct costs *costs,
                       uint32_t function) {
  if (costs->total_known) return costs->total_known[function];
  if (costs->doubts && costs->doubts[function] & (DOUBT_TOTAL | DOUBT_ABOVE_START)) return false;
  return costs->line_total || profile->functions[function].kind != FUNCTION_SAMPLED ||
         is_of_world(profile, function);
}

bool costs_line_total_known(const struct profile *profile, const struct costs *costs, size_t line) {
  uint32_t function = profile->lines[line].function;
  if (!costs->line_total) return false;
  return function == NOTHING || !costs->doubts || !(costs->doubts[function] & DOUBT_ABOVE_START);
}

bool arc_counted(const struct profile *profile, const struct arc_cost *arc) {
  if (!function_is_counted(profile->functions[arc->callee].kind)) return false;
  if (arc->calls || arc->in_code) return true;
  bool caller_counted =
      arc->caller == NOTHING || function_is_counted(profile->functions[arc->caller].kind);
  return !profile->count_count && caller_counted;
}

bool costs_calls_known(const struct profile *profile, const struct costs *costs,
                       uint32_t function) {
  return !costs->calls_unknown && function_is_counted(profile->functions[function].kind);
}

bool costs_arc_counted(const struct profile *profile, const struct costs *costs,
                       const struct arc_cost *arc) {
  return !costs->calls_unknown && arc_counted(profile, arc);
}
