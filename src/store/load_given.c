/* Where the profile comes from, figures that came with it, and how its processes waited. */
#include "attribution/given.h"
#include "store/loader.h"

static void take_origin(struct loader *loader, struct row_in *row) {
  struct profile_origin *origin = &loader->profile->origin;
  struct pool *pool = loader->profile->pool;
  origin->format = pool_string(pool, get_optional_text(row));
  origin->note = pool_string(pool, get_optional_text(row));
}

static void take_process_calls(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  uint32_t process = get_id(row, profile->process_count);
  if (row->damaged) return;
  if (!profile->process_calls)
    profile->process_calls = memory_zeroed(profile->process_count, sizeof *profile->process_calls);
  profile->process_calls[process] = get_number(row, INT64_MAX);
}

/* Files without metrics have what was delivered beside the calls. */
static void take_process_sum(struct loader *loader, struct row_in *row) {
  uint32_t process = get_id(row, loader->profile->process_count);
  row->column = 0;
  take_process_calls(loader, row);
  if (row->damaged) return;
  metrics_measure(&loader->profile->metrics[0], process)->delivered = get_amount(row);
}

static struct costs *given(struct loader *loader) {
  return loader->profile->given ? loader->profile->given : given_create(loader->profile);
}

static void take_function(struct loader *loader, struct row_in *row) {
  struct costs *costs = given(loader);
  uint32_t function = get_id(row, loader->profile->function_count);
  if (row->damaged) return;
  struct function_cost *cost = &costs->functions[function];
  cost->calls = get_number(row, INT64_MAX);
  cost->recursive = get_number(row, INT64_MAX);
  cost->self = get_amount(row);
  cost->total = get_amount(row);
  costs->total_known[function] = get_number(row, 1);
  costs->self = amount_sum(costs->self, cost->self);
  costs->calls += cost->calls + cost->recursive;
  if (loader->profile->thread_count) costs->thread_self[0] = costs->self; /* given.h */
}

static void take_arc(struct loader *loader, struct row_in *row) {
  struct costs *costs = given(loader);
  ARRAY_GROW(costs->arcs, costs->arc_count);
  struct arc_cost *arc = &costs->arcs[costs->arc_count++];
  *arc = (struct arc_cost){0};
  arc->caller = get_optional_id(row, loader->profile->function_count);
  arc->callee = get_id(row, loader->profile->function_count);
  arc->calls = get_number(row, INT64_MAX);
  arc->in_child = arc->out_child = get_amount(row);
  arc->cost_unknown = !get_number(row, 1);
  arc->solved = get_number(row, 1);
  arc->least_calls = get_number(row, INT64_MAX);
  arc->most_calls = get_optional_number(row);
  if (arc->solved && (arc->least_calls > arc->calls || arc->calls > arc->most_calls))
    row->damaged = true;
}

static void take_line(struct loader *loader, struct row_in *row) {
  struct costs *costs = given(loader);
  uint32_t line = get_id(row, loader->profile->line_count);
  if (!row->damaged) costs->line_self[line] = get_amount(row);
}

static void take_site(struct loader *loader, struct row_in *row) {
  struct costs *costs = given(loader);
  uint32_t site = get_id(row, loader->profile->site_count);
  if (!row->damaged) costs->site_calls[site] = get_number(row, INT64_MAX);
}

static void take_wait(struct loader *loader, struct row_in *row) {
  uint32_t id = get_id(row, loader->profile->process_count);
  if (row->damaged) return;
  struct profile_process *process = &loader->profile->processes[id];
  process->lived_ns = get_number(row, INT64_MAX);
  process->looked_ns = get_number(row, INT64_MAX);
  process->ready_ns = get_number(row, INT64_MAX);
  process->waited_ns = get_number(row, INT64_MAX);
  process->unseen_errno = get_number(row, INT32_MAX);
}

int loader_given(struct loader *loader) {
  bool calls = loader_has(loader, "raw_process_calls", "calls");
  const struct {
    const char *sql;
    void (*take)(struct loader *loader, struct row_in *row);
  } tables[] = {
      {"SELECT format, note FROM raw_origin", take_origin},
      {calls ? "SELECT process, calls FROM raw_process_calls"
             : "SELECT process, calls, ticks, raw_ns FROM raw_process_sums",
       calls ? take_process_calls : take_process_sum},
      {"SELECT function, calls, recursive_calls, self_ticks, self_raw_ns, total_ticks,"
       " total_raw_ns, total_known FROM raw_given_functions",
       take_function},
      {"SELECT caller, callee, calls, ticks, raw_ns, known, solved, least_calls, most_calls"
       " FROM raw_given_arcs",
       take_arc},
      {"SELECT line, self_ticks, self_raw_ns FROM raw_given_lines", take_line},
      {"SELECT id, calls FROM raw_sites WHERE EXISTS (SELECT 1 FROM raw_given_functions)",
       take_site},
      {"SELECT process, lived_ns, looked_ns, ready_ns, waited_ns, unseen_errno"
       " FROM raw_wait_processes",
       take_wait},
  };
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (loader_rows(loader, tables[i].sql, tables[i].take) != 0) return -1;
  return 0;
}
