#include "attribution/books.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/reader.h"

/* ns: a process's end takes CPU time after the last look at its clock. */
#define UNKNOWN_LEAST 10000000u
#define UNKNOWN_OF_EACH 500000u
#define KERNEL_TICK_NS 1e7 /* at most */

static void add(struct amount *sum, struct amount amount) {
  *sum = amount_sum(*sum, amount);
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

static struct process_sum *sum_of_context(const struct profile *profile, struct process_sum *sums,
                                          uint32_t context) {
  return &sums[profile->threads[profile->contexts[context].thread].process];
}

struct process_sum *process_sums_make(const struct profile *profile) {
  struct process_sum *sums = memory_zeroed(profile->process_count, sizeof *sums);
  const struct profile_metric *metric = profile_metric(profile);
  if (profile->process_calls) {
    for (size_t i = 0; i < profile->process_count; i++)
      sums[i] = (struct process_sum){metric->measures[i].delivered, profile->process_calls[i]};
    return sums;
  }
  for (size_t i = 0; i < metric->tick_count; i++) {
    const struct profile_tick *tick = &metric->ticks[i];
    add(&sum_of_context(profile, sums, tick->context)->delivered, tick->amount);
  }
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    sum_of_context(profile, sums, transition->to)->calls += transition->count;
  }
  for (size_t i = 0; i < profile->count_count; i++)
    sums[profile->counts[i].process].calls += profile->counts[i].calls;
  return sums;
}

/* The hooks of -pg, and those that compilers call, are code of the runtime, where ticks fall. */
static bool hooks_are_called(const struct profile_process *process) {
  return process->hooks == HOOKS_PG ||
         (process->hooks & (HOOKS_WITH_CONTEXTS | HOOKS_COUNTS)) == HOOKS_CONTEXTS_CALLED;
}

static uint64_t inline_hooks(const struct profile_process *process, uint64_t calls) {
  if (hooks_are_called(process)) return 0;
  if (process->hooks == HOOKS_COUNTS) return process->increments;
  return less(calls, process->slow_steps);
}

/* A damaged recording may claim any number of calls: what is at most a century in each process sums
 * up without overflowing. */
static struct range hooks_ns(const struct profile_process *process, uint64_t hooks) {
  const double century = 3e18;
  return (struct range){(uint64_t)fmin(century, (double)hooks * process->hook_low_ps / 1000),
                        (uint64_t)fmin(century, (double)hooks * process->hook_high_ps / 1000)};
}

/* A host's counters, and the word that tells what runs, may be hidden altogether; or they take up
 * to half of what entry and exit do. */
static struct range host_counters_ns(const struct profile_process *process) {
  if (!(process->hooks & HOOKS_HOST)) return (struct range){0, 0};
  return (struct range){0, hooks_ns(process, process->increments).high / 2};
}

static void add_range(struct range *sum, struct range part) {
  sum->low += part.low;
  sum->high += part.high;
}

static void add_hooks(struct books *books, const struct profile_process *process, uint64_t calls) {
  struct range hooks = hooks_ns(process, inline_hooks(process, calls));
  books->calls += calls;
  add_range(&books->hooks, hooks);
  add_range(&books->hooks, host_counters_ns(process));
  if (process->hooks == HOOKS_COUNTS) return;
  add_range(&books->hooks_of_calls, hooks);
  books->hooked_calls += calls;
}

static void add_lives(struct books *books, const struct profile_process *process) {
  books->lived_ns += process->lived_ns;
  books->looked_ns += process->looked_ns;
  books->ready_ns += process->ready_ns;
  books->waited_ns += process->waited_ns;
}

/* The profiler never waits. */
static void add_waits(struct books *books, const struct profile_process *process,
                      struct amount ticks) {
  add_lives(books, process);
  add(&books->all, ticks);
  books->user_ns += less(process->cpu_user_ns, process->paused_user_ns);
  books->system_ns += less(process->cpu_system_ns, process->paused_system_ns);
  books->handlers_ns += process->handler_ns;
  books->sampled_ns += process->waited_ns;
  books->measured = false;
}

/* The most that ticks may be apart: CPU timers tick only when the kernel's own clock does. */
static double longest_period(const struct profile_process *process) {
  return process->tick_source == TICK_TIMER ? fmax(process->period_ns, KERNEL_TICK_NS)
                                            : process->period_ns;
}

bool process_time_is_covered(uint64_t raw_ns, uint64_t time_ns) {
  const double enough = 0.8;
  return raw_ns >= enough * time_ns;
}

bool process_time_is_chance(const struct profile_process *process, uint64_t missing_ns,
                            uint64_t time_ns, uint64_t apart_ns) {
  const double deviations = 4;
  double own = sqrt(time_ns * longest_period(process)), kernels = sqrt(apart_ns * KERNEL_TICK_NS);
  return missing_ns <= deviations * (own + kernels);
}

/* Whether ticks stand for about as much time as they could fall into. Without the kernel's part,
 * that time is known only by the kernel's split of `user` and `system`, a guess from its own ticks.
 */
static bool is_expected(const struct profile_process *process, uint64_t raw_ns, uint64_t meant_ns,
                        double user, double system) {
  bool user_only = process->tick_flags & TICK_USER_ONLY;
  double split = user_only ? user * system / fmax(1, user + system) + KERNEL_TICK_NS : 0;
  return raw_ns >= meant_ns ||
         process_time_is_chance(process, meant_ns - raw_ns, meant_ns, llround(split));
}

/* Where ticks fall into user code only, the kernel had the time that they do not stand for. */
static void give_rest_to_kernel(struct process_time *time, uint64_t raw_ns) {
  uint64_t ticked = time->sampled_ns + time->kernel_ns;
  time->sampled_ns = raw_ns < ticked ? raw_ns : ticked;
  time->kernel_ns = ticked - time->sampled_ns;
  time->user_ns += time->system_ns - time->kernel_ns;
  time->system_ns = time->kernel_ns;
}

void process_time_make(const struct profile_process *process, uint64_t raw_ns,
                       struct process_time *time) {
  bool user_only = process->tick_flags & TICK_USER_ONLY;
  uint64_t user = less(process->cpu_user_ns, process->paused_user_ns);
  uint64_t system = less(process->cpu_system_ns, process->paused_system_ns);
  uint64_t paused_ns = process->cpu_user_ns + process->cpu_system_ns - user - system;
  uint64_t handlers = process->handler_ns < user + system ? process->handler_ns : user + system;
  uint64_t kernel = user_only ? less(system, less(handlers, user)) : 0;
  uint64_t ticked = user + system - handlers - kernel;
  uint64_t meant = less(ticked, process->threads_unsampled_ns);
  bool expected = is_expected(process, raw_ns, meant, user, system);
  bool known = expected || process_time_is_covered(raw_ns, meant);
  *time = (struct process_time){.user_ns = user,
                                .system_ns = system,
                                .paused_ns = paused_ns,
                                .sampled_ns = known ? meant : raw_ns,
                                .kernel_ns = kernel,
                                .unsampled_ns = ticked - (known ? meant : raw_ns),
                                .handlers_ns = handlers};
  if (user_only && expected) give_rest_to_kernel(time, raw_ns);
}

static bool is_sampled_time(const struct profile_process *process, bool imported) {
  return !imported && (process->tick_source == TICK_PERF || process->tick_source == TICK_TIMER ||
                       process->tick_source == TICK_PERF_OUTSIDE);
}

/* `ticked`: the profile has ticks. Without any, the kernel's split is as good as another, and no
 * time can be shared out. Processes that were not sampled by time keep the kernel's figures. */
static struct process_time time_of(const struct profile_process *process, uint64_t raw_ns,
                                   bool imported, bool ticked) {
  struct process_time time;
  process_time_make(process, raw_ns, &time);
  bool sampled = is_sampled_time(process, imported);
  if (sampled && ticked) return time;
  time.user_ns = less(process->cpu_user_ns, process->paused_user_ns);
  time.system_ns = less(process->cpu_system_ns, process->paused_system_ns);
  if (sampled) {
    bool user_only = process->tick_flags & TICK_USER_ONLY;
    time.sampled_ns = 0;
    time.kernel_ns = user_only ? less(time.system_ns, time.handlers_ns) : 0;
    time.unsampled_ns = time.user_ns + time.system_ns - time.kernel_ns - time.handlers_ns;
  }
  return time;
}

static struct amount dropped_of(const struct profile_process *process) {
  uint64_t ticks = process->drops[DROP_TICKS];
  return (struct amount){ticks, ticks * process->period_ns};
}

/* A metric in a process. */
struct part {
  const struct profile_process *process;
  struct profile_measure measure;
  struct amount ticks; /* of functions, of the profiler, and dropped */
};

static struct part part_of(const struct profile *profile, const struct process_sum *sums,
                           size_t i) {
  const struct profile_metric *metric = profile_metric(profile);
  struct part part = {.process = &profile->processes[i]};
  if (i < metric->measure_count) part.measure = metric->measures[i];
  part.ticks =
      amount_sum(amount_sum(sums[i].delivered, part.measure.profiler), dropped_of(part.process));
  return part;
}

/* At every change of context: what it says of each function is exact. */
static bool is_clock_read(const struct profile_process *process) {
  return process->tick_source == TICK_TSC || process->tick_source == TICK_HOST;
}

static void add_process(struct books *books, const struct part *part, bool ticked) {
  const struct profile_process *process = part->process;
  struct amount ticks = part->ticks;
  struct process_time time =
      time_of(process, ticks.raw_ns, books->imported || books->events, ticked);
  books->recorder_ns += process->recorder_ns;
  books->unknown_ns += process->unknown_ns;
  add(&books->profiler, part->measure.profiler);
  add(&books->dropped, dropped_of(process));
  add(&books->all, ticks);
  books->paused_ns += time.paused_ns;
  books->user_ns += time.user_ns;
  books->system_ns += time.system_ns;
  add_lives(books, process);
  if (books->imported || is_clock_read(process)) {
    books->sampled_ns += ticks.raw_ns;
  } else if (process->tick_source == TICK_NONE) {
    books->unsampled_ns += time.user_ns + time.system_ns;
  } else if (books->events) {
    books->sampled_ns += part->measure.counted;
    books->handlers_ns += time.handlers_ns;
    books->measured = false;
  } else {
    books->kernel_ns += time.kernel_ns;
    books->handlers_ns += time.handlers_ns;
    books->sampled_ns += time.sampled_ns;
    books->unsampled_ns += time.unsampled_ns;
    books->measured = false;
  }
}

/* They are counted, not sampled by time: all of them are known. */
static void add_calls(struct books *books, const struct profile_process *process,
                      struct amount delivered) {
  struct process_time time = time_of(process, 0, true, false);
  books->user_ns += time.user_ns;
  books->system_ns += time.system_ns;
  add(&books->all, delivered);
  books->sampled_ns += delivered.raw_ns;
}

/* ---- how much the sampled figures vary ---- */

/* As if all ticks of a row stood for the same. */
static double squares_of_rows(const struct profile_metric *metric, const struct books *books) {
  double squares = metric->row_squares;
  for (size_t i = 0; i < metric->tick_count; i++) {
    const struct amount *amount = &metric->ticks[i].amount;
    if (amount->ticks) squares += (double)amount->raw_ns * amount->raw_ns / amount->ticks;
  }
  if (squares > 0 || !books->all.ticks) return squares;
  return (double)books->all.raw_ns * books->all.raw_ns / books->all.ticks;
}

/* Periods vary from a quarter to seven quarters of their mean (runtime/ticks/period.h): of their
 * square the mean is 19/16 of the square of the mean; of what a moment has behind it in its period
 * the variance is 0.168 of that. Before the first tick of a thread, and after its last. */
#define SQUARE_OF_PERIOD (19.0 / 16)
#define VARIANCE_OF_ENDS (2 * 0.168)

static double variance_of_ends(const struct profile *profile) {
  double variance = 0;
  for (size_t i = 0; i < profile->thread_count; i++) {
    const struct profile_thread *thread = &profile->threads[i];
    const struct profile_process *process = &profile->processes[thread->process];
    double period = process->period_ns;
    if (!(process->tick_flags & TICK_USER_ONLY)) continue;
    variance += fmin(VARIANCE_OF_ENDS * period * period * fmax(1, thread->owners),
                     SQUARE_OF_PERIOD * period * thread->cpu_ns);
  }
  return variance;
}

static void find_variance(const struct profile *profile, struct books *books) {
  const struct profile_metric *metric = profile_metric(profile);
  double squares = 0, rows = squares_of_rows(metric, books);
  for (size_t i = 0; i < profile->process_count; i++)
    books->period_ns = fmax(books->period_ns, longest_period(&profile->processes[i]));
  for (size_t i = 0; i < metric->measure_count; i++)
    squares += metric->measures[i].squares;
  if (squares < rows) squares = rows;
  double scale = books->all.raw_ns ? (double)books->sampled_ns / books->all.raw_ns : 0;
  books->within = rows > 0 ? squares / rows : 1;
  books->squares = squares * scale * scale;
  if (metric->kind == METRIC_CPU && books->kernel_ns) books->ends = variance_of_ends(profile);
}

static bool has_cycle_counter(const struct profile *profile) {
  for (size_t i = 0; i < profile->process_count; i++)
    if (profile->processes[i].tick_source == TICK_TSC) return true;
  return false;
}

/* Looks stand for what their own threads waited (waits.c); threads without looks have the rest.
 * Known for all processes together only, as merged ones share contexts. */
static void leave_out_unseen(struct books *books) {
  books->unsampled_ns = less(books->sampled_ns, books->all.raw_ns);
  books->sampled_ns -= books->unsampled_ns;
}

static bool has_ticks(const struct profile *profile, const struct process_sum *sums) {
  for (size_t i = 0; i < profile->process_count; i++)
    if (part_of(profile, sums, i).ticks.raw_ns) return true;
  return false;
}

/* Hooks took no more time than the program had. */
static void limit_hooks(struct books *books) {
  uint64_t most = less(books->user_ns + books->system_ns, books->handlers_ns);
  if (books->hooks.low > most) books->hooks.low = most;
  if (books->hooks.high > most) books->hooks.high = most;
}

/* Small allocations are met as often as such of 16 bytes (runtime/heap/byte_samples.h): a sample of
 * bytes stands for the mean, one of blocks for a sixteenth, or for less. */
static double heaviest_sample(const struct profile *profile, const struct profile_metric *metric) {
  double mean = fmax(1, heap_mean(profile));
  return metric->unit && strcmp(metric->unit, "bytes") == 0 ? mean : fmax(1, mean / 16);
}

void books_make(const struct profile *profile, struct books *books) {
  const struct profile_metric *metric = profile_metric(profile);
  struct process_sum *sums = process_sums_make(profile);
  *books =
      (struct books){.measured = has_cycle_counter(profile) || metric->evidence == EVIDENCE_COUNTED,
                     .evidence_unknown = metric->evidence == EVIDENCE_UNKNOWN,
                     .imported = profile->origin.format != NULL,
                     .events = metric->kind == METRIC_EVENT || metric_is_of_calls(metric)};
  bool ticked = has_ticks(profile, sums);
  for (size_t i = 0; i < profile->process_count; i++) {
    struct part part = part_of(profile, sums, i);
    if (metric_is_of_calls(metric))
      add_calls(books, &profile->processes[i], sums[i].delivered);
    else if (metric->kind == METRIC_WAITING)
      add_waits(books, &profile->processes[i], sums[i].delivered);
    else
      add_process(books, &part, ticked);
    add_hooks(books, &profile->processes[i], sums[i].calls);
  }
  free(sums);
  limit_hooks(books);
  if (metric->kind == METRIC_WAITING) leave_out_unseen(books);
  /* Who closes the events' descriptors keeps them from being counted. */
  if (books->events) books->sampled_ns = larger(books->sampled_ns, books->all.raw_ns);
  if (books->unknown_ns < UNKNOWN_LEAST + profile->process_count * UNKNOWN_OF_EACH ||
      books->unknown_ns < (books->user_ns + books->system_ns) / 100)
    books->unknown_ns = 0;
  find_variance(profile, books);
  for (int area = 0; area < HEAP_BOOKS; area++)
    if (metric->kind == METRIC_HEAP && strcmp(metric->name, heap_metric_name(area, HEAP_PEAK)) == 0)
      books->of_peak = true;
  if (metric->evidence == EVIDENCE_SIZED)
    books->heaviest = heaviest_sample(profile, metric);
  else if (books->events && books->all.ticks == books->sampled_ns)
    books->measured = true; /* every event was seen */
}

uint64_t books_ns(const struct books *books, struct amount amount) {
  if (!books->all.raw_ns) return 0;
  return llround((double)amount.raw_ns / books->all.raw_ns * books->sampled_ns);
}

uint64_t books_whole_ns(const struct books *books) {
  return books->sampled_ns + (books->events ? 0 : books->kernel_ns + books->unsampled_ns);
}

/* Time in the runtime, by its ticks. A program that makes no counted call spends none there: then
 * no ticks mean 0, not an interval from 0. */
static struct range runtime_ns(const struct books *books) {
  if (books->events || (!books->profiler.raw_ns && !books->calls)) return (struct range){0, 0};
  struct estimate part = books_estimate(books, books->profiler);
  if (part.uncertainty_ns == UNCERTAINTY_UNKNOWN) return (struct range){part.ns, part.ns};
  return (struct range){part.low_ns, part.high_ns};
}

struct range books_profiler_ns(const struct books *books) {
  struct range runtime = runtime_ns(books);
  return (struct range){runtime.low + books->handlers_ns + books->hooks.low,
                        runtime.high + books->handlers_ns + books->hooks.high};
}

static uint64_t hooks_share(const struct books *books, uint64_t ns, uint64_t calls,
                            struct estimate self) {
  double most = self.ns;
  if (self.uncertainty_ns != UNCERTAINTY_UNKNOWN) most += self.uncertainty_ns;
  return fmin(most, (double)ns * calls / books->hooked_calls);
}

struct range books_hooks_of(const struct books *books, uint64_t calls, struct estimate self) {
  if (!books->hooked_calls || books->events) return (struct range){0, 0};
  return (struct range){hooks_share(books, books->hooks_of_calls.low, calls, self),
                        hooks_share(books, books->hooks_of_calls.high, calls, self)};
}

struct range books_charged_ns(const struct books *books) {
  uint64_t total = books->user_ns + books->system_ns;
  struct range profiler = books_profiler_ns(books);
  return (struct range){less(total, profiler.high), less(total, profiler.low)};
}

struct interval share_interval(double share, double n, double whole) {
  const double z2 = 3.841458820694124; /* the square of the normal distribution's 97.5 % point */
  if (n <= 0) return (struct interval){0, 1};
  whole = fmin(whole, 1 / n);
  double square = 1 + z2 / n - z2 * whole, centre = share + z2 / n / 2;
  double half = sqrt(fmax(0, centre * centre - square * share * share));
  return (struct interval){fmax(0, centre - half) / square, (centre + half) / square};
}

/* The time that periods ended in: the sampled time, and the kernel's where no tick could fall. */
static double spread_ns(const struct books *books) {
  return (double)books->sampled_ns + (books->events ? 0 : books->kernel_ns);
}

static double all_squares(const struct books *books) {
  if (!books->all.ticks || !books->sampled_ns) return spread_ns(books) * books->period_ns;
  return books->squares * spread_ns(books) / books->sampled_ns;
}

/* The sum of the squares of what the amount's ticks stand for. A few light ticks say little about
 * how heavy such ticks are: each counts as at least `least` times the mean tick. */
static double squares_of(const struct books *books, struct amount amount, double least) {
  if (!amount.ticks) return 0;
  double scale = (double)books->sampled_ns / books->all.raw_ns;
  double mean = (double)amount.raw_ns / amount.ticks;
  mean = fmax(mean, least * books->all.raw_ns / books->all.ticks);
  return fmin(amount.ticks * mean * mean * scale * scale * books->within, books->squares);
}

/* How many ticks of equal weight would give the share the same variance. Its own ticks and all
 * others contribute to it, each tick as one piece of evidence, whatever its weight. */
static double evidence(const struct books *books, struct amount amount, double share) {
  double whole = spread_ns(books), squares = all_squares(books);
  struct amount rest = {books->all.ticks - amount.ticks, books->all.raw_ns - amount.raw_ns};
  double own = squares_of(books, amount, 1);
  double others = squares_of(books, rest, books->events ? 0.25 : 1) + squares - books->squares;
  double variance = (1 - share) * (1 - share) * own + share * share * others;
  if (share <= 0 || share >= 1 || variance <= 0) return squares > 0 ? whole * whole / squares : 0;
  return share * (1 - share) * whole * whole / variance;
}

static uint64_t distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

static struct estimate estimate_of(uint64_t ns, double low, double high) {
  struct estimate estimate = {ns, ns, ns, 0};
  if (low < ns) estimate.low_ns = llround(low);
  if (high > ns) estimate.high_ns = llround(high);
  estimate.uncertainty_ns = larger(distance(ns, estimate.low_ns), distance(estimate.high_ns, ns));
  return estimate;
}

/* The interval of what the amount's ticks stand for, nanoseconds. */
static struct interval ticks_interval(const struct books *books, struct amount amount) {
  double whole = spread_ns(books), share = fmin(1, books_ns(books, amount) / whole);
  struct interval interval =
      share_interval(share, evidence(books, amount, share), books->ends / (whole * whole));
  return (struct interval){interval.low * whole, interval.high * whole};
}

/* The amount, if all of what may be behind cut stacks is its own. */
static struct amount with_unseen(const struct books *books, struct amount amount) {
  struct amount most = {less(books->all.ticks, amount.ticks),
                        less(books->all.raw_ns, amount.raw_ns)};
  uint64_t ticks = llround((double)amount.unseen_ns / books->all.raw_ns * books->all.ticks);
  if (amount.unseen_ns < most.raw_ns) most.raw_ns = amount.unseen_ns;
  if (ticks < most.ticks) most.ticks = ticks;
  return amount_sum(amount, most);
}

static struct estimate sampled_estimate(const struct books *books, struct amount amount) {
  uint64_t ns = books_ns(books, amount);
  double whole = spread_ns(books);
  if (whole <= 0) return estimate_of(ns, ns, ns);
  double high = ticks_interval(books, with_unseen(books, amount)).high;
  return estimate_of(ns, ticks_interval(books, amount).low, fmin(whole, high));
}

/* The 97.5 % point of chi squared with so many degrees of freedom, or, with -Z95, the 2.5 % one:
 * the approximation by Wilson and Hilferty. */
#define Z95 1.959963984540054
static double chi_squared(double freedom, double z) {
  double part = 2 / (9 * freedom), root = fmax(0, 1 - part + z * sqrt(part));
  return freedom * root * root * root;
}

/* A weighted sum of Poisson's counts, by the gamma distribution of its mean and variance; above, as
 * if one more of the heaviest samples had come (Fay and Feuer 1997, "Confidence intervals for
 * directly standardized rates"). Small allocations are never known to be none.
 *
 * The largest of many such sums is one that is too large, by up to 5 deviations if a million of
 * them were independent: that far down the truth may be. */
#define Z_OF_LARGEST 5.0
static struct estimate sized_estimate(const struct books *books, struct amount amount) {
  double sum = amount.raw_ns, variance = amount.variance, more = books->heaviest;
  double low = sum, high = sum + more, spread = variance + more * more;
  if (variance > 0 && sum > 0)
    low = variance / (2 * sum) *
          chi_squared(2 * sum * sum / variance, books->of_peak ? -Z_OF_LARGEST : -Z95);
  high = spread / (2 * high) * chi_squared(2 * high * high / spread, Z95);
  const double most = 9e18; /* of damaged profiles */
  return estimate_of(amount.raw_ns, low, fmin(high, most));
}

/* Wilson's interval keeps its 95 % for the small counts that most functions have, where the
 * normal approximation says +- 0 for a function that no tick met. */
struct estimate books_estimate(const struct books *books, struct amount amount) {
  uint64_t ns = books_ns(books, amount);
  struct estimate unknown = {ns, ns, ns, UNCERTAINTY_UNKNOWN};
  if (books->measured) return estimate_of(ns, ns, ns);
  if (books->heaviest > 0) return sized_estimate(books, amount);
  bool assumed =
      amount.raw_ns && !amount.ticks && books->all.ticks; /* no sample stands behind it */
  if (books->evidence_unknown || assumed) return unknown;
  if (books->all.ticks && books->sampled_ns) return sampled_estimate(books, amount);
  /* Without ticks it may be everything; the longer the run without any, the less. */
  double all = (double)books->sampled_ns + books->unsampled_ns + books->kernel_ns;
  if (!all && (books->imported || books->all.ticks)) return unknown;
  double n = books->period_ns > 0 ? all / books->period_ns : 0;
  return estimate_of(ns, 0, share_interval(0, n, 0).high * all);
}

struct estimate books_kernel_estimate(const struct books *books) {
  double whole = spread_ns(books);
  if (!books->all.ticks || books->measured || books->events || books->evidence_unknown)
    return (struct estimate){books->kernel_ns, 0, books->kernel_ns, UNCERTAINTY_UNKNOWN};
  struct estimate others = sampled_estimate(books, books->all);
  return estimate_of(books->kernel_ns, whole - others.high_ns, whole - others.low_ns);
}
