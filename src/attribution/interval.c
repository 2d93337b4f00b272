#include "attribution/interval.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/run_costs.h"
#include "base/memory.h"
#include "profile/builder.h"
#include "recording/history.h"

/* The cost of one process in the first metric: in the interval, and in the whole run. */
struct share {
  struct amount taken, all;
};

/* Sums over the slices of one process. */
struct slice_sums {
  uint64_t cpu_ns, system_ns; /* of the slices in the interval, as in struct profile_slice */
  uint64_t left, left_taken;  /* CPU time without ticks: of all slices, and of those */
  uint64_t end_ns;            /* when the last slice ends */
};

struct taking {
  struct profile *profile;
  uint64_t to_ns;           /* UINT64_MAX: to the end of the run */
  bool *slices;             /* by slice: it is taken */
  const bool *contexts;     /* by context: it is taken; null: all are */
  struct share *of_process; /* by process */
  struct amount *of_thread; /* by thread: what is taken */
  uint64_t *ticked;         /* by slice: what ticks of the first metric stand for */
  struct slice_sums *sums;  /* by process */
};

uint64_t interval_last(const struct profile *profile) {
  uint64_t end = 0, to = profile->interval.to_ns;
  for (size_t i = 0; i < profile->slice_count; i++)
    if (profile->slices[i].end_ns > end) end = profile->slices[i].end_ns;
  return to && to < end ? to : end;
}

static double part_of(struct share share) {
  return share.all.raw_ns ? (double)share.taken.raw_ns / share.all.raw_ns : 0;
}

static uint64_t scaled(uint64_t whole, double part) {
  return (uint64_t)llround(whole * part);
}

/* No time without a tick: nobody would know how certain it is. */
static struct amount scaled_amount(struct amount whole, double part) {
  uint64_t ticks = scaled(whole.ticks, part);
  return (struct amount){ticks, ticks ? scaled(whole.raw_ns, part) : 0, 0};
}

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

/* ---- ticks ---- */

static void add(struct amount *sum, struct amount amount) {
  *sum = amount_sum(*sum, amount);
}

static bool equals(struct amount a, struct amount b) {
  return a.ticks == b.ticks && a.raw_ns == b.raw_ns;
}

/* Whether the slices of each tick add up to it: in a damaged file they may not. */
static bool is_whole(const struct profile_metric *metric) {
  if (metric_is_level(metric)) return true;
  struct amount *sums = memory_zeroed(metric->tick_count, sizeof *sums);
  bool *known = memory_zeroed(metric->tick_count, sizeof *known), whole = true;
  for (size_t i = 0; i < metric->series_count; i++) {
    const struct profile_slice_tick *part = &metric->series[i];
    add(&sums[part->tick], part->amount);
    known[part->tick] = true;
  }
  for (size_t i = 0; i < metric->tick_count; i++)
    whole &= !known[i] || equals(sums[i], metric->ticks[i].amount);
  free(sums);
  free(known);
  return whole;
}

/* Whether what was live from this row of a level on was so at the end of the interval: it is the
 * last before that moment, and its process had not ended by then. At the end of the run that is
 * what each process held when it ended, as in the whole. */
static bool is_left(const struct taking *taking, const struct profile_metric *metric, size_t row) {
  const struct profile_slice *slices = taking->profile->slices;
  const struct profile_slice_tick *part = &metric->series[row];
  if (slices[part->slice].start_ns >= taking->to_ns) return false;
  if (!metric_level_ends(taking->profile, metric, row) &&
      slices[part[1].slice].start_ns < taking->to_ns)
    return false;
  return taking->to_ns == UINT64_MAX ||
         taking->sums[slices[part->slice].process].end_ns >= taking->to_ns;
}

static bool is_selected(const struct taking *taking, const struct profile_metric *metric,
                        uint32_t tick) {
  return !taking->contexts || taking->contexts[metric->ticks[tick].context];
}

/* Whether a row of the metric's series is in the interval, and of what is selected. */
static bool is_taken(const struct taking *taking, const struct profile_metric *metric, size_t row) {
  if (!is_selected(taking, metric, metric->series[row].tick)) return false;
  return metric_is_level(metric) ? is_left(taking, metric, row)
                                 : taking->slices[metric->series[row].slice];
}

/* Sums up what is in the interval. Ticks that are in no slice belong to no interval. */
static void take_amounts(const struct taking *taking, struct profile_metric *metric) {
  for (size_t i = 0; i < metric->tick_count; i++)
    metric->ticks[i].amount = (struct amount){0};
  for (size_t i = 0; i < metric->instruction_count; i++)
    metric->instructions[i].self = (struct amount){0};
  for (size_t i = 0; i < metric->series_count; i++) {
    const struct profile_slice_tick *part = &metric->series[i];
    if (!is_taken(taking, metric, i)) continue;
    add(&metric->ticks[part->tick].amount, part->amount);
    if (part->instruction != NOTHING)
      add(&metric->instructions[part->instruction].self, part->amount);
  }
}

/* By process. */
static struct amount *taken_of_processes(const struct taking *taking,
                                         const struct profile_metric *metric) {
  struct amount *sums = memory_zeroed(taking->profile->process_count, sizeof *sums);
  for (size_t i = 0; i < metric->series_count; i++)
    if (is_taken(taking, metric, i))
      add(&sums[taking->profile->slices[metric->series[i].slice].process],
          metric->series[i].amount);
  return sums;
}

static uint32_t *drop_empty_instructions(struct profile_metric *metric) {
  uint32_t *numbers = memory_zeroed(metric->instruction_count, sizeof *numbers), kept = 0;
  for (size_t i = 0; i < metric->instruction_count; i++) {
    bool empty = !metric->instructions[i].self.ticks;
    numbers[i] = empty ? NOTHING : kept;
    if (!empty) metric->instructions[kept++] = metric->instructions[i];
  }
  metric->instruction_count = kept;
  return numbers;
}

/* Memory may have been live since before the interval: earlier changes stay, too. */
static bool is_kept(const struct taking *taking, const struct profile_metric *metric,
                    uint32_t slice) {
  if (metric_is_level(metric)) return taking->profile->slices[slice].start_ns < taking->to_ns;
  return taking->slices[slice];
}

/* Returns the new index of each tick by its old one; NOTHING: it was removed. What was live before
 * the end of the interval stays, for its series. */
static uint32_t *drop_empty_ticks(const struct taking *taking, struct profile_metric *metric) {
  uint32_t *numbers = memory_zeroed(metric->tick_count, sizeof *numbers), kept = 0;
  bool *was_live = memory_zeroed(metric->tick_count, sizeof *was_live);
  for (size_t i = 0; metric_is_level(metric) && i < metric->series_count; i++)
    was_live[metric->series[i].tick] |= is_kept(taking, metric, metric->series[i].slice) &&
                                        is_selected(taking, metric, metric->series[i].tick);
  for (size_t i = 0; i < metric->tick_count; i++) {
    bool empty = !metric->ticks[i].amount.ticks && !metric->ticks[i].amount.raw_ns && !was_live[i];
    numbers[i] = empty ? NOTHING : kept;
    if (!empty) metric->ticks[kept++] = metric->ticks[i];
  }
  metric->tick_count = kept;
  free(was_live);
  return numbers;
}

static void drop_empty(const struct taking *taking, struct profile_metric *metric) {
  uint32_t *ticks = drop_empty_ticks(taking, metric),
           *instructions = drop_empty_instructions(metric);
  size_t kept = 0;
  for (size_t i = 0; i < metric->series_count; i++) {
    struct profile_slice_tick part = metric->series[i];
    if (!is_kept(taking, metric, part.slice) || ticks[part.tick] == NOTHING) continue;
    part.tick = ticks[part.tick];
    if (part.instruction != NOTHING) part.instruction = instructions[part.instruction];
    metric->series[kept++] = part;
  }
  metric->series_count = kept;
  free(ticks);
  free(instructions);
}

/* The part of each process's amount that lies in the interval. Before take_amounts, which leaves
 * only that part. */
static struct share *shares_make(const struct taking *taking, uint32_t metric) {
  struct profile view = metric_view(taking->profile, metric);
  struct share *shares = memory_zeroed(view.process_count, sizeof *shares);
  struct process_sum *all = process_sums_make(&view);
  struct amount *taken = taken_of_processes(taking, profile_metric(&view));
  for (size_t i = 0; i < view.process_count; i++)
    shares[i] = (struct share){taken[i], all[i].delivered};
  free(all);
  free(taken);
  return shares;
}

static void sum_threads(const struct taking *taking, const struct profile_metric *metric) {
  const struct profile *profile = taking->profile;
  for (size_t i = 0; i < metric->series_count; i++)
    if (is_taken(taking, metric, i))
      add(&taking
               ->of_thread[profile->contexts[metric->ticks[metric->series[i].tick].context].thread],
          metric->series[i].amount);
}

/* In a merged profile a thread is of several processes. */
static void take_delivered(const struct taking *taking, struct profile_metric *metric,
                           const struct share *shares) {
  if (!taking->profile->process_calls) return;
  for (uint32_t i = 0; i < taking->profile->process_count; i++)
    metrics_measure(metric, i)->delivered = shares[i].taken;
}

static void take_measures(const struct taking *taking, struct profile_metric *metric,
                          const struct share *shares) {
  for (size_t i = 0; i < metric->measure_count; i++) {
    struct profile_measure *measure = &metric->measures[i];
    double part = part_of(shares[i]);
    measure->squares *= part;
    measure->profiler = scaled_amount(measure->profiler, part);
    measure->counted = scaled(measure->counted, part);
    if (taking->contexts) measure->profiler = (struct amount){0};
  }
}

/* Looks at waiting threads know when these waited. When a thread waited for a processor is not
 * known, so that time belongs to no interval. */
static void take_waits(struct profile *profile, const struct share *shares) {
  for (size_t i = 0; i < profile->process_count; i++) {
    uint64_t seen = shares[i].all.raw_ns, *waited = &profile->processes[i].waited_ns;
    *waited = scaled(*waited < seen ? *waited : seen, part_of(shares[i]));
  }
}

/* CPU time without a tick is known by time: there was none in any slice. */
static bool is_timed(const struct profile_metric *metric) {
  return metric->series_count || (metric->kind == METRIC_CPU && !metric->tick_count);
}

/* The cost that ticks give each slice, in the first metric that is known by time. */
static void sum_ticked(const struct taking *taking) {
  const struct profile_metric *metric = taking->profile->metrics;
  while (!is_timed(metric))
    metric++;
  for (size_t i = 0; i < metric->series_count; i++)
    taking->ticked[metric->series[i].slice] += metric->series[i].amount.raw_ns;
}

/* Metrics without slices are removed. */
static void take_metrics(struct taking *taking) {
  struct profile *profile = taking->profile;
  size_t kept = 0;
  for (size_t i = 0; i < profile->metric_count; i++) {
    struct profile_metric *metric = &profile->metrics[i];
    if (!is_timed(metric)) {
      metric_free(metric);
      continue;
    }
    struct share *shares = shares_make(taking, (uint32_t)i);
    if (!kept) sum_threads(taking, metric);
    take_delivered(taking, metric, shares);
    take_amounts(taking, metric);
    drop_empty(taking, metric);
    take_measures(taking, metric, shares);
    if (metric->kind == METRIC_WAITING) take_waits(profile, shares);
    if (!kept)
      taking->of_process = shares;
    else
      free(shares);
    profile->metrics[kept++] = *metric;
  }
  profile->metric_count = kept;
}

/* ---- processes and threads ---- */

/* Fills taking->sums. */
static void sum_slices(const struct taking *taking) {
  for (size_t i = 0; i < taking->profile->slice_count; i++) {
    const struct profile_slice *slice = &taking->profile->slices[i];
    struct slice_sums *sums = &taking->sums[slice->process];
    uint64_t left = less(slice->cpu_ns, taking->ticked[i]);
    sums->left += left;
    if (slice->end_ns > sums->end_ns) sums->end_ns = slice->end_ns;
    if (!taking->slices[i]) continue;
    sums->cpu_ns += slice->cpu_ns;
    sums->system_ns += slice->system_ns;
    sums->left_taken += left;
  }
}

/* Which part of the CPU time without ticks was in the interval. */
static double unsampled_part(const struct slice_sums *sums) {
  return sums->left ? (double)sums->left_taken / sums->left : 0;
}

/* Sets user and system time so that a tick stands for as much time as in the whole run: see struct
 * process_time (books.h). */
static void take_cpu_time(struct profile_process *process, const struct profile_metric *metric,
                          const struct slice_sums *sum, uint64_t ticked_ns) {
  uint64_t cpu_ns = process->cpu_user_ns + process->cpu_system_ns;
  double system = cpu_ns ? (double)process->cpu_system_ns / cpu_ns : 0;
  uint64_t rest = less(sum->cpu_ns, ticked_ns);
  process->cpu_system_ns = sum->system_ns;
  if (metric->kind != METRIC_CPU) {
    ticked_ns = sum->cpu_ns;
    process->cpu_system_ns = scaled(ticked_ns, system);
  } else if (process->tick_flags & TICK_USER_ONLY) {
    ticked_ns += rest;
    process->cpu_system_ns = rest;
  } else {
    ticked_ns += process->threads_unsampled_ns;
  }
  process->cpu_user_ns = less(ticked_ns, process->cpu_system_ns);
}

static void take_process(const struct taking *taking, uint32_t id) {
  struct profile_process *process = &taking->profile->processes[id];
  const struct profile_metric *metric = &taking->profile->metrics[0];
  const struct share *share = &taking->of_process[id];
  double part = part_of(*share);
  struct slice_sums sum = taking->sums[id];
  if (!sum.cpu_ns) /* not known of slices: recorded from outside */
    sum.cpu_ns = scaled(process->cpu_user_ns + process->cpu_system_ns, part);
  double others = taking->contexts ? 0 : part; /* what no function has */
  process->handler_ns = scaled(process->handler_ns, others);
  process->recorder_ns = scaled(process->recorder_ns, others);
  process->drops[DROP_TICKS] = scaled(process->drops[DROP_TICKS], others);
  if (taking->contexts)
    sum = (struct slice_sums){.cpu_ns = metric->kind == METRIC_CPU ? share->taken.raw_ns
                                                                   : scaled(sum.cpu_ns, part)};
  uint64_t ticked_ns =
      share->taken.raw_ns + process->handler_ns + process->drops[DROP_TICKS] * process->period_ns;
  if (id < metric->measure_count) ticked_ns += metric->measures[id].profiler.raw_ns;
  process->threads_unsampled_ns = scaled(process->threads_unsampled_ns, unsampled_part(&sum));
  take_cpu_time(process, metric, &sum, ticked_ns);
  process->paused_user_ns = process->paused_system_ns = 0;
  process->lived_ns = process->looked_ns = process->ready_ns = 0;
  process->unknown_ns = process->increments = process->slow_steps = 0;
  process->heap = (struct profile_heap){.mean = process->heap.mean};
}

static uint64_t within(uint64_t time, uint64_t from, uint64_t to) {
  return time < from ? from : time > to ? to : time;
}

/* Cuts the lives of processes to the interval, each by the clock of its run, which begins with the
 * run's first process. */
static void take_lives(struct profile *profile, struct profile_interval interval) {
  uint64_t start = 0, last = interval_last(profile);
  uint64_t length = interval.to_ns < last ? interval.to_ns : last;
  for (size_t i = 0; i < profile->process_count; i++) {
    struct profile_process *process = &profile->processes[i];
    if (!i || process->run != process[-1].run) start = process->started_ns;
    uint64_t from = start + interval.from_ns, to = start + length;
    process->started_ns = within(process->started_ns, from, to);
    process->updated_ns = within(process->updated_ns, from, to);
  }
}

static void take_threads(const struct taking *taking) {
  struct profile *profile = taking->profile;
  for (size_t i = 0; i < profile->thread_count; i++) {
    struct profile_thread *thread = &profile->threads[i];
    thread->ticks = taking->of_thread[i].ticks;
    thread->cpu_ns = taking->of_thread[i].raw_ns;
    thread->lost = thread->unsampled_ns = 0;
  }
}

/* ---- calls and contexts ---- */

/* Entries of the slices that were taken. */
static void take_entries(const struct taking *taking) {
  struct profile *centres = taking->profile->centres;
  size_t kept = 0;
  centres->calls_unknown = !centres->slice_entry_count;
  if (centres->calls_unknown) centres->transition_count = 0;
  for (size_t i = 0; i < centres->transition_count; i++)
    centres->transitions[i].count = 0;
  for (size_t i = 0; i < centres->slice_entry_count; i++) {
    struct profile_slice_entries entries = centres->slice_entries[i];
    if (!taking->slices[entries.slice]) continue;
    centres->transitions[entries.transition].count += entries.count;
    centres->slice_entries[kept++] = entries;
  }
  centres->slice_entry_count = kept;
}

static void drop_calls(struct profile *profile) {
  profile->transition_count = profile->count_count = 0;
  profile->calls_unknown = true;
  profile->call_place_count = profile->possible_call_count = 0;
  profile->message_count = 0; /* nobody knows when */
  profile->expression_count = profile->line_count_count = profile->copy_count = 0;
  for (size_t i = 0; profile->process_calls && i < profile->process_count; i++)
    profile->process_calls[i] = 0;
}

/* Whether a function is in it that none had so far. Now they are known. */
static bool tells_of_function(const struct profile_context *context, bool *known) {
  bool new = false;
  for (uint32_t i = 0; i < context->length; i++) {
    bool *function = &known[history_function(context->history[i])];
    new |= !*function;
    *function = true;
  }
  return new;
}

/* Without calls, those in which no tick is left say only which functions the run had: that the
 * total of these is 0 is known. Roots stay. */
static void drop_contexts(struct profile *profile) {
  bool *known = memory_zeroed(profile->function_count, sizeof *known);
  uint32_t *numbers = memory_zeroed(profile->context_count, sizeof *numbers), kept = 0;
  for (size_t i = 0; i < profile->metric_count; i++)
    for (size_t k = 0; k < profile->metrics[i].tick_count; k++)
      numbers[profile->metrics[i].ticks[k].context] = 1;
  for (size_t i = 0; i < profile->context_count; i++) {
    bool new = tells_of_function(&profile->contexts[i], known);
    if (!numbers[i] && !new && profile->contexts[i].length) continue;
    numbers[i] = kept;
    profile->contexts[kept++] = profile->contexts[i];
  }
  profile->context_count = kept;
  for (size_t i = 0; i < profile->metric_count; i++)
    for (size_t k = 0; k < profile->metrics[i].tick_count; k++) {
      uint32_t *context = &profile->metrics[i].ticks[k].context;
      *context = numbers[*context];
    }
  free(numbers);
  free(known);
}

/* ---- runs of a merged profile ---- */

/* The rows of the first metric that are in the interval, by run. */
struct run_rows {
  size_t *rows, *first; /* of run i: rows[first[i]] up to rows[first[i + 1]] */
};

/* Whatever a damaged file says. */
static uint32_t run_of(const struct profile *profile, size_t row) {
  uint32_t process = profile->slices[profile->metrics[0].series[row].slice].process;
  uint32_t run = profile->processes[process].run;
  return run < profile->run_count ? run : 0;
}

static struct run_rows rows_by_run(const struct taking *taking) {
  const struct profile *profile = taking->profile;
  const struct profile_metric *metric = &profile->metrics[0];
  struct run_rows by = {memory_zeroed(metric->series_count, sizeof *by.rows),
                        memory_zeroed(profile->run_count + 2, sizeof *by.first)};
  for (size_t i = 0; i < metric->series_count; i++)
    if (is_taken(taking, metric, i)) by.first[run_of(profile, i) + 2]++;
  for (size_t i = 2; i < profile->run_count + 2; i++)
    by.first[i] += by.first[i - 1];
  for (size_t i = 0; i < metric->series_count; i++)
    if (is_taken(taking, metric, i)) by.rows[by.first[run_of(profile, i) + 1]++] = i;
  return by;
}

/* Those of a run, as if each run had the same part of what they did. */
static struct profile_thread *threads_of_run(const struct profile *profile, size_t runs) {
  struct profile_thread *threads = memory_zeroed(profile->thread_count, sizeof *threads);
  for (size_t i = 0; i < profile->thread_count; i++) {
    threads[i] = profile->threads[i];
    threads[i].process = 0;
    threads[i].owners /= runs;
    threads[i].cpu_ns /= runs;
  }
  return threads;
}

/* The profile of one run, with the first metric only. It uses the memory of `profile`, but for the
 * ticks and the sums of contexts. */
static struct profile view_of_run(struct profile *profile, struct profile_metric *metric,
                                  uint32_t run, const struct run_rows *by) {
  struct profile view = *profile;
  uint32_t first = 0;
  while (first < profile->process_count && profile->processes[first].run != run)
    first++;
  *metric = profile->metrics[0];
  metric->ticks = memory_zeroed(metric->tick_count, sizeof *metric->ticks);
  metric->self = NULL;
  for (size_t i = 0; i < metric->tick_count; i++) {
    metric->ticks[i] = profile->metrics[0].ticks[i];
    metric->ticks[i].amount = (struct amount){0};
  }
  for (size_t i = by->first[run]; i < by->first[run + 1]; i++) {
    const struct profile_slice_tick *part = &metric->series[by->rows[i]];
    add(&metric->ticks[part->tick].amount, part->amount);
  }
  view.metrics = metric;
  view.metric_count = 1;
  view.processes += first;
  for (view.process_count = 0; first + view.process_count < profile->process_count &&
                               view.processes[view.process_count].run == run;)
    view.process_count++;
  if (view.process_calls) view.process_calls += first;
  metric->measures += first;
  metric->measure_count = view.process_count;
  view.run_count = view.run_cost_count = 0;
  return view;
}

static void add_run(struct profile *profile, uint32_t number, const struct run_rows *by,
                    struct profile_thread *threads) {
  struct profile_metric metric;
  struct profile_run run;
  struct profile view = view_of_run(profile, &metric, number, by);
  size_t count;
  view.threads = threads;
  metrics_charge(&view);
  runs_make(&view, profile->pool, &run);
  profile_add_run(profile, run);
  struct costs *costs = costs_compute(&view, NULL);
  struct profile_run_cost *list = runs_costs(&view, costs, &count);
  for (size_t i = 0; i < count; i++) {
    list[i].run = number;
    profile_add_run_cost(profile, list[i]);
  }
  costs_free(costs);
  free(list);
  free(metric.ticks);
  free(metric.self);
}

/* The figures of each run are found anew: of its part of the interval. How lines and contexts vary
 * is not. */
static void take_runs(const struct taking *taking) {
  struct profile *profile = taking->profile;
  size_t count = profile->run_count;
  if (!count) return;
  struct run_rows by = rows_by_run(taking);
  struct profile_thread *threads = threads_of_run(profile, count);
  metrics_measure(&profile->metrics[0], (uint32_t)profile->process_count - 1);
  profile->run_count = profile->run_cost_count = 0;
  profile_forget_spreads(profile);
  for (uint32_t i = 0; i < count; i++)
    add_run(profile, i, &by, threads);
  free(threads);
  free(by.rows);
  free(by.first);
}

/* ---- the interval ---- */

/* How many slices begin in the interval. */
static size_t choose(struct taking *taking, struct profile_interval interval) {
  const struct profile *profile = taking->profile;
  size_t count = 0;
  taking->slices = memory_zeroed(profile->slice_count, sizeof *taking->slices);
  for (size_t i = 0; i < profile->slice_count; i++) {
    uint64_t start = profile->slices[i].start_ns;
    taking->slices[i] = start >= interval.from_ns && start < interval.to_ns;
    count += taking->slices[i];
  }
  return count;
}

/* How long the slice is that the moment lies in, in nanoseconds; 0: it lies in none. */
static double length_of_slice(const struct profile *profile, uint64_t ns) {
  for (size_t i = 0; i < profile->slice_count; i++)
    if (profile->slices[i].start_ns <= ns && ns < profile->slices[i].end_ns)
      return profile->slices[i].end_ns - profile->slices[i].start_ns;
  return 0;
}

static bool any_series(const struct profile *profile) {
  for (size_t i = 0; i < profile->metric_count; i++)
    if (profile->metrics[i].series_count) return true;
  return false;
}

static bool entries_are_whole(const struct profile *centres) {
  if (!centres->slice_entry_count) return true;
  bool whole = true;
  uint64_t *sums = memory_zeroed(centres->transition_count, sizeof *sums);
  for (size_t i = 0; i < centres->slice_entry_count; i++)
    sums[centres->slice_entries[i].transition] += centres->slice_entries[i].count;
  for (size_t i = 0; i < centres->transition_count; i++)
    whole &= sums[i] == centres->transitions[i].count;
  free(sums);
  return whole;
}

static bool all_are_whole(const struct profile *profile) {
  if (!entries_are_whole(profile->centres)) return false;
  for (size_t i = 0; i < profile->metric_count; i++)
    if (!is_whole(&profile->metrics[i])) return false;
  return true;
}

static void take(struct taking *taking) {
  struct profile *profile = taking->profile;
  taking->of_thread = memory_zeroed(profile->thread_count, sizeof *taking->of_thread);
  taking->ticked = memory_zeroed(profile->slice_count, sizeof *taking->ticked);
  taking->sums = memory_zeroed(profile->process_count, sizeof *taking->sums);
  sum_ticked(taking);
  sum_slices(taking);
  take_metrics(taking);
  for (size_t i = 0; i < profile->process_count; i++)
    take_process(taking, (uint32_t)i);
  take_threads(taking);
  drop_calls(profile);
  drop_contexts(profile);
  take_entries(taking);
  metrics_charge(profile);
}

static void take_marks(struct profile *profile, struct profile_interval interval) {
  size_t kept = 0;
  for (size_t i = 0; i < profile->mark_count; i++) {
    uint64_t time_ns = profile->marks[i].time_ns;
    if (time_ns >= interval.from_ns && time_ns < interval.to_ns)
      profile->marks[kept++] = profile->marks[i];
  }
  profile->mark_count = kept;
}

int interval_take_of(struct profile *profile, struct profile_interval interval,
                     const bool *contexts, struct error *error) {
  uint64_t last_ns = interval_last(profile);
  struct taking taking = {.profile = profile,
                          .contexts = contexts,
                          .to_ns = interval.to_ns < last_ns ? interval.to_ns : UINT64_MAX};
  if (!any_series(profile))
    return error_set(error, "nothing in it is known by time: it was imported, made by an earlier "
                            "version, or merged of such profiles or of very many, or no tick fell");
  if (!all_are_whole(profile))
    return error_set(error, "its parts do not add up to it: the profile is damaged");
  size_t count = choose(&taking, interval);
  if (count && (contexts || count < profile->slice_count)) {
    take(&taking);
    if (count < profile->slice_count) {
      take_lives(profile, interval);
      take_marks(profile, interval);
      profile->interval = interval;
    }
    take_runs(&taking);
  }
  free(taking.slices);
  free(taking.ticked);
  free(taking.sums);
  free(taking.of_process);
  free(taking.of_thread);
  if (count) return 0;
  double length = length_of_slice(profile, interval.from_ns) / 1e6;
  if (length > 0)
    return error_set(error, "it is known in slices of %.3g ms there, and none of them begins then",
                     length);
  return error_set(error, "nothing was measured then: it took %.3f s", last_ns / 1e9);
}

int interval_take(struct profile *profile, struct profile_interval interval, struct error *error) {
  return interval_take_of(profile, interval, NULL, error);
}
