/* How functions vary from run to run, for machines. */
#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/rank_groups.h"
#include "attribution/run_costs.h"
#include "report/json_parts.h"

static void write_spread(struct json *json, const char *key, const struct run_spread *spread,
                         size_t runs) {
  const struct imbalance *imbalance = &spread->imbalance;
  json_open(json, key, '{');
  json_number(json, "mean_ns", (uint64_t)(spread->mean + 0.5));
  json_number(json, "deviation_ns", (uint64_t)(spread->deviation + 0.5));
  json_number(json, "least_ns", spread->least);
  json_number(json, "most_ns", spread->most);
  if (spread->from_ticks < 0)
    json_null(json, "sampling_deviation_ns");
  else
    json_number(json, "sampling_deviation_ns", (uint64_t)(spread->from_ticks + 0.5));
  json_flag(json, "beyond_sampling", spread_is_real(spread, runs));
  json_number(json, "most_run", (uint64_t)spread->most_run + 1);
  json_real(json, "imbalance", imbalance->ratio);
  json_real(json, "imbalance_low", imbalance->low);
  json_real(json, "imbalance_high", imbalance->high);
  json_close(json, '}');
}

static void write_function(struct json *json, const struct profile *profile,
                           const struct function_spread *function) {
  json_open(json, NULL, '{');
  json_number(json, "function", (uint64_t)function->function + 1);
  json_text(json, "name", profile->functions[function->function].name);
  write_spread(json, "self", &function->self, profile->run_count);
  if (function->total_known)
    write_spread(json, "total", &function->total, profile->run_count);
  else
    json_null(json, "total");
  if (profile->calls_unknown) {
    json_null(json, "calls");
    json_close(json, '}');
    return;
  }
  json_open(json, "calls", '{');
  json_number(json, "mean", (uint64_t)(function->calls.mean + 0.5));
  json_number(json, "least", function->calls.least);
  json_number(json, "most", function->calls.most);
  json_number(json, "most_run", (uint64_t)function->calls.most_run + 1);
  json_real(json, "imbalance", function->calls.imbalance.ratio);
  json_close(json, '}');
  json_close(json, '}');
}

static void write_group(struct json *json, const struct profile *profile,
                        const struct rank_groups *groups, uint32_t number) {
  const struct rank_group *group = &groups->groups[number];
  json_open(json, NULL, '{');
  json_number(json, "mean_self_ns", (uint64_t)(group->mean_ns + 0.5));
  if (group->function == NO_RANK_FUNCTION) {
    json_null(json, "function");
  } else {
    json_number(json, "function", (uint64_t)group->function + 1);
    json_real(json, "share", group->share);
    json_real(json, "share_elsewhere", group->share_elsewhere);
  }
  json_open(json, "runs", '[');
  for (size_t i = 0; i < profile->run_count; i++)
    if (groups->of_run[i] == number) json_number(json, NULL, i + 1);
  json_close(json, ']');
  json_close(json, '}');
}

static void write_groups(struct json *json, const struct profile *profile) {
  struct rank_groups groups;
  rank_groups_make(profile, &groups);
  json_open(json, "run_groups", '{');
  json_flag(json, "differ_within", groups.differ_within);
  json_open(json, "groups", '[');
  for (uint32_t i = 0; i < groups.count; i++)
    write_group(json, profile, &groups, i);
  json_close(json, ']');
  json_close(json, '}');
  rank_groups_free(&groups);
}

void json_runs(struct json *json, const struct profile *profile) {
  size_t count;
  struct function_spread *list = runs_spread(profile, &count);
  json_open(json, "run_functions", '[');
  for (size_t i = 0; i < count && !profile->metric; i++) /* known of the first metric only */
    write_function(json, profile, &list[i]);
  json_close(json, ']');
  free(list);
  if (!profile->metric) write_groups(json, profile);
}
