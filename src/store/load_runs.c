/* The runs of a merged profile; that of another is all of it. */
#include <stdlib.h>

#include "store/loader.h"

static const char *take_text(struct loader *loader, struct row_in *row) {
  return pool_string(loader->profile->pool, get_text(row));
}

static void take_run(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->run_count);
  MEMORY_GROW(profile->runs, profile->run_count, loader->run_room);
  struct profile_run *run = &profile->runs[profile->run_count++];
  run->version = take_text(loader, row);
  run->command = take_text(loader, row);
  run->directory = take_text(loader, row);
  run->host = take_text(loader, row);
  run->started_ns = get_number(row, INT64_MAX);
  run->ended_ns = get_number(row, INT64_MAX);
  run->hooks = take_text(loader, row);
  run->clock = take_text(loader, row);
  uint64_t *const figures[] = {
      &run->rate_hz,       &run->ticks,       &run->lost_ticks,     &run->user_ns,
      &run->system_ns,     &run->sampled_ns,  &run->kernel_ns,      &run->unsampled_ns,
      &run->whole_ns,      &run->paused_ns,   &run->charged_low_ns, &run->charged_high_ns,
      &run->profiler_ns,   &run->handlers_ns, &run->recorder_ns,    &run->hooks_low_ns,
      &run->hooks_high_ns, &run->dropped_ns,  &run->calls};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    *figures[i] = get_number(row, INT64_MAX);
  run->drops[DROP_KINDS - 1] = 0;
  for (int kind = DROP_CONTEXTS; kind <= DROP_PROCESSES; kind++)
    run->drops[kind] = get_number(row, INT64_MAX);
}

static uint64_t get_uncertainty(struct row_in *row) {
  if (sqlite3_column_type(row->statement, row->column) != SQLITE_NULL)
    return get_number(row, INT64_MAX);
  skip_column(row);
  return UINT64_MAX; /* UNCERTAINTY_UNKNOWN */
}

static void take_run_cost(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->run_costs, profile->run_cost_count, loader->run_cost_room);
  struct profile_run_cost *cost = &profile->run_costs[profile->run_cost_count++];
  cost->run = get_id(row, profile->run_count);
  cost->function = get_id(row, profile->function_count);
  cost->calls = get_number(row, INT64_MAX);
  cost->self_ns = get_number(row, INT64_MAX);
  cost->self_uncertainty_ns = get_uncertainty(row);
  cost->total_ns = get_number(row, INT64_MAX);
  cost->total_uncertainty_ns = get_uncertainty(row);
  cost->total_known = get_number(row, 1);
}

static int check_processes(const struct loader *loader) {
  const struct profile *profile = loader->profile;
  for (size_t i = 0; i < profile->process_count; i++)
    if (profile->processes[i].run >= profile->run_count) return loader_damaged(loader);
  return 0;
}

int loader_runs(struct loader *loader) {
  struct profile *profile = loader->profile;
  if (loader_rows(loader, "SELECT * FROM raw_runs ORDER BY id", take_run) != 0) return -1;
  if (loader_rows(loader, "SELECT * FROM raw_run_costs", take_run_cost) != 0) return -1;
  if (!profile->run_count || check_processes(loader) != 0) return loader_damaged(loader);
  profile->version = profile->runs[0].version;
  if (profile->run_count > 1) return 0;
  free(profile->runs);
  profile->runs = NULL;
  profile->run_count = profile->run_cost_count = 0;
  return 0;
}
