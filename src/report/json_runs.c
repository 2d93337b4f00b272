/* How functions vary from run to run, for machines. */
#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/rank_groups.h"
#include "attribution/run_spread.h"
#include "report/json_parts.h"

static void write_figures(struct json *json, const struct run_spread *spread, size_t runs) {
  const struct imbalance *imbalance = &spread->imbalance;
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
}

static void write_quantiles(struct json *json, const struct profile *profile, uint32_t function) {
  static const char *const names[] = {"tenth_ns", "median_ns", "ninetieth_ns"};
  static const double parts[] = {0.1, 0.5, 0.9};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t quantile = runs_quantile(profile, function, parts[i]);
    if (quantile == UINT64_MAX)
      json_null(json, names[i]);
    else
      json_number(json, names[i], quantile);
  }
}

static void write_function(struct json *json, const struct profile *profile,
                           const struct function_spread *function) {
  json_open(json, NULL, '{');
  json_number(json, "function", (uint64_t)function->function + 1);
  json_text(json, "name", profile->functions[function->function].name);
  json_open(json, "self", '{');
  write_figures(json, &function->self, profile->run_count);
  write_quantiles(json, profile, function->function);
  json_close(json, '}');
  if (function->total_known) {
    json_open(json, "total", '{');
    write_figures(json, &function->total, profile->run_count);
    json_close(json, '}');
  } else {
    json_null(json, "total");
  }
  if (profile->calls_unknown || !function->calls_known) {
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

void json_run_groups(struct json *json, const struct profile *profile) {
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

static void write_item(struct json *json, const struct profile *profile, enum spread_of of,
                       const struct item_spread *item) {
  const struct profile_line *line = &profile->lines[item->id];
  json_open(json, NULL, '{');
  if (of == SPREAD_OF_CONTEXTS) {
    json_number(json, "context", (uint64_t)item->id + 1);
  } else {
    json_number(json, "function", (uint64_t)line->function + 1);
    if (line->file)
      json_text(json, "file", line->file);
    else
      json_null(json, "file");
    json_number(json, "line", line->line);
  }
  write_figures(json, &item->self, profile->run_count);
  json_close(json, '}');
}

static void write_items(struct json *json, const struct profile *profile, enum spread_of of) {
  size_t count;
  struct item_spread *list = runs_item_spread(profile, of, &count);
  json_open(json, of == SPREAD_OF_LINES ? "run_lines" : "run_contexts", '[');
  for (size_t i = 0; i < count; i++)
    write_item(json, profile, of, &list[i]);
  json_close(json, ']');
  free(list);
}

void json_runs(struct json *json, const struct profile *profile) {
  size_t count;
  struct function_spread *list = runs_spread(profile, &count);
  json_open(json, "run_functions", '[');
  for (size_t i = 0; i < count; i++)
    write_function(json, profile, &list[i]);
  json_close(json, ']');
  free(list);
  write_items(json, profile, SPREAD_OF_LINES);
  write_items(json, profile, SPREAD_OF_CONTEXTS);
  if (!profile->metric) json_run_groups(json, profile);
}
