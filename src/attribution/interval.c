#include "attribution/interval.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "recording/history.h"

/* The cost of one process or thread in the first metric: in the interval, and in the whole run. */
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
  struct share *of_process; /* by process */
  struct share *of_thread;  /* by thread */
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

static uint32_t process_of(const struct profile *profile, const struct profile_tick *tick) {
  return profile->threads[profile->contexts[tick->context].thread].process;
}

/* Memory that was live at the end of the interval. Each tick gets the amount of its last change
 * before that moment, or nothing if its process had ended by then. At the end of the run that is
 * what each process held when it ended, as in the whole. Relies on the order of such series: by
 * tick, then by time. */
static void take_levels(const struct taking *taking, struct profile_metric *metric) {
  for (size_t i = 0; i < metric->tick_count; i++)
    metric->ticks[i].amount = (struct amount){0};
  for (size_t i = 0; i < metric->series_count; i++) {
    const struct profile_slice_tick *part = &metric->series[i];
    if (taking->profile->slices[part->slice].start_ns < taking->to_ns)
      metric->ticks[part->tick].amount = part->amount;
  }
  for (size_t i = 0; taking->to_ns != UINT64_MAX && i < metric->tick_count; i++)
    if (taking->sums[process_of(taking->profile, &metric->ticks[i])].end_ns < taking->to_ns)
      metric->ticks[i].amount = (struct amount){0};
}

/* Sums up the slices of the interval. Ticks that are in no slice belong to no interval. */
static void take_amounts(const struct taking *taking, struct profile_metric *metric) {
  for (size_t i = 0; i < metric->tick_count; i++)
    metric->ticks[i].amount = (struct amount){0};
  for (size_t i = 0; i < metric->instruction_count; i++)
    metric->instructions[i].self = (struct amount){0};
  for (size_t i = 0; i < metric->series_count; i++) {
    const struct profile_slice_tick *part = &metric->series[i];
    if (!taking->slices[part->slice]) continue;
    add(&metric->ticks[part->tick].amount, part->amount);
    if (part->instruction != NOTHING)
      add(&metric->instructions[part->instruction].self, part->amount);
  }
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
    was_live[metric->series[i].tick] |= is_kept(taking, metric, metric->series[i].slice);
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

/* Adds the ticks to `all` of their processes and threads or, with `taken`, to `taken`. */
static void sum_shares(const struct taking *taking, const struct profile_metric *metric,
                       bool taken) {
  const struct profile *profile = taking->profile;
  for (size_t i = 0; i < metric->tick_count; i++) {
    const struct profile_tick *tick = &metric->ticks[i];
    uint32_t thread = profile->contexts[tick->context].thread;
    struct share *shares[] = {&taking->of_thread[thread],
                              &taking->of_process[profile->threads[thread].process]};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
      add(taken ? &shares[k]->taken : &shares[k]->all, tick->amount);
  }
}

static void take_measures(const struct taking *taking, struct profile_metric *metric) {
  for (size_t i = 0; i < metric->measure_count; i++) {
    struct profile_measure *measure = &metric->measures[i];
    double part = part_of(taking->of_process[i]);
    measure->squares *= part;
    measure->profiler = scaled_amount(measure->profiler, part);
    measure->counted = scaled(measure->counted, part);
  }
}

/* The cost that ticks give each slice, in the first metric that has slices. */
static void sum_ticked(const struct taking *taking) {
  const struct profile_metric *metric = taking->profile->metrics;
  while (!metric->series_count)
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
    if (!metric->series_count) {
      metric_free(metric);
      continue;
    }
    if (!kept) sum_shares(taking, metric, false);
    metric_is_level(metric) ? take_levels(taking, metric) : take_amounts(taking, metric);
    drop_empty(taking, metric);
    if (!kept) sum_shares(taking, metric, true);
    take_measures(taking, metric);
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
  process->handler_ns = scaled(process->handler_ns, part);
  process->recorder_ns = scaled(process->recorder_ns, part);
  process->drops[DROP_TICKS] = scaled(process->drops[DROP_TICKS], part);
  uint64_t ticked_ns =
      share->taken.raw_ns + process->handler_ns + process->drops[DROP_TICKS] * process->period_ns;
  if (id < metric->measure_count) ticked_ns += metric->measures[id].profiler.raw_ns;
  process->threads_unsampled_ns = scaled(process->threads_unsampled_ns, unsampled_part(&sum));
  take_cpu_time(process, metric, &sum, ticked_ns);
  process->paused_user_ns = process->paused_system_ns = 0;
  process->lived_ns = process->looked_ns = process->ready_ns = process->waited_ns = 0;
  process->unknown_ns = process->increments = process->slow_steps = 0;
  process->heap = (struct profile_heap){.mean = process->heap.mean};
}

static uint64_t within(uint64_t time, uint64_t from, uint64_t to) {
  return time < from ? from : time > to ? to : time;
}

/* Cuts the lives of processes to the interval. */
static void take_lives(struct profile *profile, struct profile_interval interval) {
  uint64_t start = profile->processes[0].started_ns;
  uint64_t from = start + interval.from_ns, to = start + interval_last(profile);
  if (interval.to_ns < to - start) to = start + interval.to_ns;
  for (size_t i = 0; i < profile->process_count; i++) {
    struct profile_process *process = &profile->processes[i];
    process->started_ns = within(process->started_ns, from, to);
    process->updated_ns = within(process->updated_ns, from, to);
  }
}

static void take_threads(const struct taking *taking) {
  struct profile *profile = taking->profile;
  for (size_t i = 0; i < profile->thread_count; i++) {
    struct profile_thread *thread = &profile->threads[i];
    thread->ticks = taking->of_thread[i].taken.ticks;
    thread->cpu_ns = taking->of_thread[i].taken.raw_ns;
    thread->lost = thread->unsampled_ns = 0;
  }
}

/* ---- the interval ---- */

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
  profile->expression_count = profile->line_count_count = profile->copy_count = 0;
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
  taking->of_process = memory_zeroed(profile->process_count, sizeof *taking->of_process);
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
  free(taking->ticked);
  free(taking->sums);
  free(taking->of_process);
  free(taking->of_thread);
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

int interval_take(struct profile *profile, struct profile_interval interval, struct error *error) {
  uint64_t last_ns = interval_last(profile);
  struct taking taking = {.profile = profile,
                          .to_ns = interval.to_ns < last_ns ? interval.to_ns : UINT64_MAX};
  if (!any_series(profile))
    return error_set(error, "nothing in it is known by time: it was merged, "
                            "imported, made by an earlier version, or no tick fell");
  if (!all_are_whole(profile))
    return error_set(error, "its parts do not add up to it: the profile is damaged");
  size_t count = choose(&taking, interval);
  if (count && count < profile->slice_count) {
    take(&taking);
    take_lives(profile, interval);
    take_marks(profile, interval);
    profile->interval = interval;
  }
  free(taking.slices);
  if (count) return 0;
  double length = length_of_slice(profile, interval.from_ns) / 1e6;
  if (length > 0)
    return error_set(error, "it is known in slices of %.3g ms there, and none of them begins then",
                     length);
  return error_set(error, "nothing was measured then: it took %.3f s", last_ns / 1e9);
}
