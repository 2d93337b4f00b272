#include "attribution/books.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/reader.h"

/* ns: what the kernel does to end a process is behind its last look. */
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
  if (profile->process_sums && profile->process_count)
    return memcpy(sums, profile->process_sums, profile->process_count * sizeof *sums);
  for (size_t i = 0; i < profile->tick_count; i++) {
    const struct profile_tick *tick = &profile->ticks[i];
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

/* The hooks of -pg, and those that compilers call, are the runtime's code, which ticks find. */
static bool hooks_are_called(const struct profile_process *process) {
  return process->ways == WAY_PG ||
         (process->ways & (WAYS_WITH_CONTEXTS | WAY_COUNTS)) == WAY_CONTEXTS_CALLED;
}

static uint64_t inline_hooks(const struct profile_process *process, uint64_t calls) {
  if (hooks_are_called(process)) return 0;
  if (process->ways == WAY_COUNTS) return process->increments;
  return less(calls, process->slow_steps);
}

static void add_hooks(struct books *books, const struct profile_process *process, uint64_t calls) {
  books->calls += calls;
  double hooks = inline_hooks(process, calls);
  books->hooks.low += hooks * process->hook_low_ps / 1000;
  books->hooks.high += hooks * process->hook_high_ps / 1000;
  if (process->ways == WAY_COUNTS) return;
  books->hooks_of_calls.low += hooks * process->hook_low_ps / 1000;
  books->hooks_of_calls.high += hooks * process->hook_high_ps / 1000;
  books->hooked_calls += calls;
}

static void add_lives(struct books *books, const struct profile_process *process) {
  books->lived_ns += process->lived_ns;
  books->looked_ns += process->looked_ns;
  books->ready_ns += process->ready_ns;
  books->waited_ns += process->waited_ns;
}

/* For a view of waits: the profiler never waits. */
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

/* The kernel knows the sum of user and system time exactly, but splits it by what it finds at
 * its own ticks, which short turns in user code slip between. If our ticks exceed that split by
 * more than chance, they are the better figure. */
static void mend_split(uint64_t *user, uint64_t *system, uint64_t in_user, uint64_t period) {
  enum { TICKS_BEYOND_CHANCE = 3 };
  if (in_user <= 2 * *user || in_user - *user <= TICKS_BEYOND_CHANCE * period) return;
  uint64_t moved = in_user - *user < *system ? in_user - *user : *system;
  *user += moved;
  *system -= moved;
}

/* What ticks may be apart: CPU timers come at the kernel's own, of which it may have few. */
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

void process_time_make(const struct profile_process *process, uint64_t raw_ns,
                       struct process_time *time) {
  bool user_only = process->tick_flags & TICK_USER_ONLY;
  uint64_t user = less(process->cpu_user_ns, process->paused_user_ns);
  uint64_t system = less(process->cpu_system_ns, process->paused_system_ns);
  *time = (struct process_time){.paused_ns =
                                    process->cpu_user_ns + process->cpu_system_ns - user - system};
  if (user_only) mend_split(&user, &system, raw_ns + process->handler_ns, process->period_ns);
  /* The kernel's figure of a process that was killed is as old as the last refresh. */
  bool killed = process->end == PROCESS_END_UNKNOWN || process->end == PROCESS_END_SIGNAL;
  if (killed && user_only) user = larger(user, raw_ns + process->handler_ns);
  time->user_ns = user;
  time->system_ns = system;
  time->handlers_ns = process->handler_ns < user ? process->handler_ns : user;
  time->kernel_ns = user_only ? system : 0;
  uint64_t ticked = user + system - time->handlers_ns - time->kernel_ns;
  uint64_t meant = less(ticked, process->threads_unsampled_ns);
  bool all = raw_ns >= meant || process_time_is_covered(raw_ns, meant) ||
             process_time_is_chance(process, meant - raw_ns, meant, 0);
  time->sampled_ns = all ? meant : raw_ns;
  time->unsampled_ns = ticked - time->sampled_ns;
}

static bool is_sampled_time(const struct profile_process *process, bool imported) {
  return !imported && (process->tick_source == TICK_PERF || process->tick_source == TICK_TIMER ||
                       process->tick_source == TICK_PERF_OUTSIDE);
}

/* Other processes keep the kernel's figures. */
static struct process_time time_of(const struct profile_process *process, uint64_t raw_ns,
                                   bool imported) {
  struct process_time time;
  process_time_make(process, raw_ns, &time);
  if (is_sampled_time(process, imported)) return time;
  time.user_ns = less(process->cpu_user_ns, process->paused_user_ns);
  time.system_ns = less(process->cpu_system_ns, process->paused_system_ns);
  return time;
}

static struct amount dropped_of(const struct profile_process *process) {
  uint64_t ticks = process->drops[DROP_TICKS];
  return (struct amount){ticks, ticks * process->period_ns};
}

static struct amount all_of(const struct profile_process *process, struct amount delivered) {
  return amount_sum(amount_sum(delivered, process->profiler), dropped_of(process));
}

static void add_process(struct books *books, const struct profile_process *process,
                        struct amount delivered, bool imported) {
  struct amount ticks = all_of(process, delivered);
  struct process_time time = time_of(process, ticks.raw_ns, imported);
  books->recorder_ns += process->recorder_ns;
  books->unknown_ns += process->unknown_ns;
  add(&books->profiler, process->profiler);
  add(&books->dropped, dropped_of(process));
  add(&books->all, ticks);
  books->paused_ns += time.paused_ns;
  books->user_ns += time.user_ns;
  books->system_ns += time.system_ns;
  add_lives(books, process);
  if (imported || process->tick_source == TICK_TSC) {
    books->sampled_ns += ticks.raw_ns;
  } else if (process->tick_source == TICK_EVENT) {
    books->events = true;
    books->sampled_ns += larger(process->events_counted, ticks.raw_ns);
    books->handlers_ns += time.handlers_ns;
    books->measured = false;
  } else if (process->tick_source == TICK_NONE) {
    books->unsampled_ns += time.user_ns + time.system_ns;
  } else {
    books->kernel_ns += time.kernel_ns;
    books->handlers_ns += time.handlers_ns;
    books->sampled_ns += time.sampled_ns;
    books->unsampled_ns += time.unsampled_ns;
    books->measured = false;
  }
}

/* The mean weight of the event in a tick, not of the tick: a few heavy ticks are all the evidence
 * there is for most events, however many light ones there are. */
static double weight_of_events(const struct profile *profile) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < profile->tick_count; i++) {
    const struct amount *amount = &profile->ticks[i].amount;
    sum += amount->raw_ns;
    if (amount->ticks) squares += (double)amount->raw_ns * amount->raw_ns / amount->ticks;
  }
  return sum ? squares / sum : 1;
}

static bool has_cycle_counter(const struct profile *profile) {
  for (size_t i = 0; i < profile->process_count; i++)
    if (profile->processes[i].tick_source == TICK_TSC) return true;
  return false;
}

/* Looks stand for what their own threads waited (waits.c): the rest is that of threads without. Of
 * all processes together, for merged ones share contexts. */
static void leave_out_unseen(struct books *books) {
  books->unsampled_ns = less(books->sampled_ns, books->all.raw_ns);
  books->sampled_ns -= books->unsampled_ns;
}

/* What its ticks stand for before they are scaled, if all are of user code. */
static double user_ticks_ns(struct books *books, const struct profile_process *process,
                            struct amount delivered) {
  if (!(process->tick_flags & TICK_USER_ONLY)) return 0;
  books->user_period_ns = larger(books->user_period_ns, process->period_ns);
  return (double)all_of(process, delivered).ticks * process->period_ns;
}

/* In a short program the kernel, which has few ticks of its own, may have found none in user code,
 * and calls all time its own: one tick of ours refutes that. Of all processes together, as of them
 * it gives too little to one and too much to another; what it gives too little to one alone is
 * mended there (mend_split). */
static void mend_split_of_all(struct books *books, double in_user) {
  enum { DEVIATIONS = 3 };
  double known = books->sampled_ns, period = books->user_period_ns;
  double chance = DEVIATIONS * fmin(period, sqrt(known * period));
  if (in_user <= 2 * known || in_user - known <= chance) return;
  uint64_t moved = fmin(in_user - known, books->kernel_ns);
  books->split_by_ticks = moved > 0;
  books->user_ns += moved;
  books->system_ns -= moved;
  books->sampled_ns += moved;
  books->kernel_ns -= moved;
}

/* Without any tick there is nothing to share out. */
static void leave_out_unticked(struct books *books) {
  if (books->all.raw_ns || books->events) return;
  books->unsampled_ns += books->sampled_ns;
  books->sampled_ns = 0;
}

/* They took no more than the program had. */
static void limit_hooks(struct books *books) {
  uint64_t most = less(books->user_ns + books->system_ns, books->handlers_ns);
  if (books->hooks.low > most) books->hooks.low = most;
  if (books->hooks.high > most) books->hooks.high = most;
}

void books_make(const struct profile *profile, struct books *books) {
  const struct profile_origin *origin = &profile->origin;
  struct process_sum *sums = process_sums_make(profile);
  double in_user = 0;
  *books =
      (struct books){.measured = has_cycle_counter(profile) || origin->evidence == EVIDENCE_COUNTED,
                     .evidence_unknown = origin->evidence == EVIDENCE_UNKNOWN,
                     .imported = origin->format != NULL};
  for (size_t i = 0; i < profile->process_count; i++) {
    if (profile->is_waits)
      add_waits(books, &profile->processes[i], sums[i].delivered);
    else
      add_process(books, &profile->processes[i], sums[i].delivered, origin->format != NULL);
    add_hooks(books, &profile->processes[i], sums[i].calls);
    in_user += user_ticks_ns(books, &profile->processes[i], sums[i].delivered);
  }
  free(sums);
  if (!books->events && !books->imported && !profile->is_waits) mend_split_of_all(books, in_user);
  limit_hooks(books);
  if (profile->is_waits)
    leave_out_unseen(books);
  else
    leave_out_unticked(books);
  if (books->unknown_ns < UNKNOWN_LEAST + profile->process_count * UNKNOWN_OF_EACH ||
      books->unknown_ns < (books->user_ns + books->system_ns) / 100)
    books->unknown_ns = 0;
  if (!books->events) return;
  books->weight = weight_of_events(profile);
  if (books->all.ticks == books->sampled_ns) books->measured = true; /* every event was seen */
}

uint64_t books_ns(const struct books *books, struct amount amount) {
  if (!books->all.raw_ns) return 0;
  return llround((double)amount.raw_ns / books->all.raw_ns * books->sampled_ns);
}

uint64_t books_whole_ns(const struct books *books) {
  return books->sampled_ns + (books->events ? 0 : books->kernel_ns + books->unsampled_ns);
}

struct range books_profiler_ns(const struct books *books) {
  uint64_t sampled = books->events ? 0 : books_ns(books, books->profiler);
  uint64_t known = sampled + books->handlers_ns;
  return (struct range){known + books->hooks.low, known + books->hooks.high};
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

struct interval wilson(double k, double n) {
  const double z = 1.959963984540054; /* the normal distribution's 97.5 % point */
  if (n <= 0) return (struct interval){0, 1};
  double p = k / n, z2 = z * z / n;
  double centre = (p + z2 / 2) / (1 + z2);
  double half = z / (1 + z2) * sqrt(p * (1 - p) / n + z2 / (4 * n));
  return (struct interval){fmax(0, centre - half), fmin(1, centre + half)};
}

/* The same of a rate (the score interval of Poisson's distribution): of how many the k are is not
 * known, so as a share of them it goes beyond 1. */
static struct interval rate_interval(double k) {
  const double z2 = 3.841458820694124;
  double centre = k + z2 / 2, half = sqrt(z2 * (k + z2 / 4));
  return (struct interval){fmax(0, centre - half), centre + half};
}

/* What of all ticks the k may be. */
static struct interval share_of(const struct books *books, double k, double n) {
  if (!books->split_by_ticks) return wilson(k, n);
  struct interval rate = rate_interval(k);
  return (struct interval){rate.low / n, rate.high / n};
}

/* What a function may have at most. */
static double most_ns(const struct books *books) {
  return books->sampled_ns + (books->split_by_ticks ? books->kernel_ns : 0);
}

/* Wilson's interval keeps its 95 % for the small counts that most functions have, where the
 * normal approximation says +- 0 for a function that no tick met.  The evidence is the number of
 * delivered ticks; a tick that stands for several periods is one piece of evidence that weighs
 * more, so the interval is that of the ticks, stretched by their mean weight. */
struct estimate books_estimate(const struct books *books, struct amount amount) {
  struct estimate estimate = {.ns = books_ns(books, amount)};
  if (books->measured) return estimate;
  bool assumed =
      amount.raw_ns && !amount.ticks && books->all.ticks; /* no sample stands behind it */
  if (books->evidence_unknown || assumed) {
    estimate.uncertainty_ns = UNCERTAINTY_UNKNOWN;
    return estimate;
  }
  if (!books->all.ticks || !books->sampled_ns) { /* without evidence it may be all */
    uint64_t all = books->sampled_ns + books->unsampled_ns;
    if (!all) all = llround(fmin(books->kernel_ns, rate_interval(0).high * books->user_period_ns));
    bool unknown = !all && (books->imported || books->all.ticks);
    estimate.uncertainty_ns = unknown ? UNCERTAINTY_UNKNOWN : all;
    return estimate;
  }
  double n = books->all.ticks, k = amount.ticks;
  if (books->events) {
    n = books->all.raw_ns / books->weight;
    k = amount.raw_ns / books->weight;
  }
  struct interval share = share_of(books, k, n);
  double stretch = k ? (double)amount.raw_ns / books->all.raw_ns / (k / n) : 1;
  double low = share.low * stretch * books->sampled_ns;
  double high = fmin(most_ns(books), share.high * stretch * books->sampled_ns);
  estimate.uncertainty_ns = llround(fmax(0, fmax(estimate.ns - low, high - estimate.ns)));
  return estimate;
}
