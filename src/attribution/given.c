#include "attribution/given.h"

#include <string.h>

struct costs *given_create(struct profile *profile) {
  struct costs *given = memory_zeroed(1, sizeof *given);
  given->functions = memory_zeroed(profile->function_count, sizeof *given->functions);
  given->site_calls = memory_zeroed(profile->site_count, sizeof *given->site_calls);
  given->line_self = memory_zeroed(profile->line_count, sizeof *given->line_self);
  given->thread_self = memory_zeroed(profile->thread_count, sizeof *given->thread_self);
  given->total_known = memory_zeroed(profile->function_count, sizeof *given->total_known);
  profile->given = given;
  return given;
}

void given_sums(struct profile *profile) {
  profile->process_calls = memory_zeroed(1, sizeof *profile->process_calls);
  profile->process_calls[0] = profile->given->calls;
  metrics_measure(&profile->metrics[0], 0)->delivered = profile->given->self;
}

static void *copy(const void *from, size_t count, size_t size) {
  void *to = memory_zeroed(count, size);
  if (count) memcpy(to, from, count * size);
  return to;
}

struct costs *given_copy(const struct profile *profile) {
  const struct costs *given = profile->given;
  struct costs *costs = copy(given, 1, sizeof *given);
  costs->functions = copy(given->functions, profile->function_count, sizeof *given->functions);
  costs->arcs = copy(given->arcs, given->arc_count, sizeof *given->arcs);
  costs->site_calls = copy(given->site_calls, profile->site_count, sizeof *given->site_calls);
  costs->line_self = copy(given->line_self, profile->line_count, sizeof *given->line_self);
  costs->line_total = NULL;
  if (given->line_total)
    costs->line_total = copy(given->line_total, profile->line_count, sizeof *given->line_total);
  costs->thread_self = copy(given->thread_self, profile->thread_count, sizeof *given->thread_self);
  costs->total_known = copy(given->total_known, profile->function_count, sizeof(bool));
  return costs;
}
