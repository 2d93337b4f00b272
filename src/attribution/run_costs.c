#include "attribution/run_costs.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/books.h"
#include "attribution/run.h"

void runs_make(const struct profile *profile, struct pool *pool, struct profile_run *run) {
  struct run of;
  struct books books;
  char hooks[HOOKS_TEXT_BYTES];
  run_make(profile, &of);
  books_make(profile, &books);
  hooks_text(of.hooks, hooks);
  *run = (struct profile_run){.version = profile->version,
                              .command = of.command,
                              .directory = of.directory,
                              .host = of.host,
                              .hooks = pool_string(pool, hooks),
                              .clock = clock_text(of.tick_source),
                              .started_ns = of.started_ns,
                              .ended_ns = of.ended_ns,
                              .rate_hz = of.rate_hz,
                              .ticks = books.all.ticks,
                              .lost_ticks = of.lost_ticks,
                              .user_ns = books.user_ns,
                              .system_ns = books.system_ns,
                              .sampled_ns = books.sampled_ns,
                              .kernel_ns = books.kernel_ns,
                              .unsampled_ns = books.unsampled_ns,
                              .whole_ns = books_whole_ns(&books),
                              .paused_ns = books.paused_ns,
                              .charged_low_ns = books_charged_ns(&books).low,
                              .charged_high_ns = books_charged_ns(&books).high,
                              .profiler_ns = books_ns(&books, books.profiler),
                              .handlers_ns = books.handlers_ns,
                              .recorder_ns = books.recorder_ns,
                              .hooks_low_ns = books.hooks.low,
                              .hooks_high_ns = books.hooks.high,
                              .dropped_ns = books_ns(&books, books.dropped),
                              .calls = books.calls};
  memcpy(run->drops, of.drops, sizeof run->drops);
}

static struct profile_run_cost cost_of(const struct profile *profile, const struct costs *costs,
                                       const struct books *books, uint32_t function) {
  const struct function_cost *cost = &costs->functions[function];
  struct estimate self = books_estimate(books, cost->self);
  struct estimate total = books_estimate(books, cost->total);
  return (struct profile_run_cost){.function = function,
                                   .total_known = costs_total_known(profile, costs, function),
                                   .calls = cost->calls + cost->recursive,
                                   .self_ns = self.ns,
                                   .self_uncertainty_ns = self.uncertainty_ns,
                                   .total_ns = total.ns,
                                   .total_uncertainty_ns = total.uncertainty_ns};
}

struct profile_run_cost *runs_costs(const struct profile *profile, const struct costs *costs,
                                    size_t *count) {
  struct books books;
  books_make(profile, &books);
  struct profile_run_cost *list = memory_zeroed(profile->function_count, sizeof *list);
  *count = 0;
  for (uint32_t i = 0; i < profile->function_count; i++) {
    struct profile_run_cost cost = cost_of(profile, costs, &books, i);
    if (cost.calls || cost.self_ns || cost.total_ns) list[(*count)++] = cost;
  }
  return list;
}

struct run_rank *runs_ranks(const struct profile *profile) {
  size_t count = profile->run_count ? profile->run_count : 1;
  struct run_rank *list = memory_zeroed(count, sizeof *list);
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    if (!process->rank_number || process->run >= count) continue;
    list[process->run] =
        (struct run_rank){true, process->rank_number - 1, process->ranks, process->job};
  }
  return list;
}
