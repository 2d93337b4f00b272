/* The books balance, and 95 % intervals hold 95 % of the time. */
#include "attribution/books.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/costs.h"
#include "check.h"
#include "profile_fixture.h"

static struct program program;

static void time_is_the_kernels(void) {
  program_start(&program);
  program_calls(&program, "main work");
  program_tick(&program, 60);
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  process->cpu_user_ns = 80000000;
  process->cpu_system_ns = 15000000;
  profile->metrics[0].measures[0].profiler = (struct amount){20, 20000000};
  process->drops[DROP_TICKS] = 10;
  process->hook_low_ps = 1500;
  process->hook_high_ps = 4500;
  process->slow_steps = 1;
  struct books books;
  books_make(profile, &books);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(books.user_ns + books.system_ns,
              books.sampled_ns + books.kernel_ns + books.unsampled_ns);
  CHECK_EQUAL(books.kernel_ns, 5000000);
  struct amount all = amount_sum(amount_sum(costs->self, books.profiler), books.dropped);
  CHECK_EQUAL(books.sampled_ns, books_ns(&books, all));
  CHECK_EQUAL(books.all.ticks, all.ticks);
  CHECK_EQUAL(books_ns(&books, books.profiler), 20000000);
  CHECK_EQUAL(books.hooks.low, 1); /* one inline hook of two calls */
  CHECK_EQUAL(books.hooks.high, 4);
  struct estimate runtime = books_estimate(&books, books.profiler);
  CHECK(runtime.low_ns < 20000000 && runtime.high_ns > 20000000);
  CHECK_EQUAL(books_charged_ns(&books).low, 95000000 - runtime.high_ns - 4);
  CHECK_EQUAL(books_charged_ns(&books).high, 95000000 - runtime.low_ns - 1);
  costs_free(costs);
  profile_free(profile);
}

static void no_clock(void) {
  program_start(&program);
  program_calls(&program, "main");
  struct profile *profile = program_end(&program);
  profile->processes[0].tick_source = TICK_NONE;
  profile->processes[0].cpu_user_ns = 1000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.unsampled_ns, 1000);
  CHECK_EQUAL(books.sampled_ns, 0);
  CHECK_EQUAL(books_estimate(&books, (struct amount){0}).uncertainty_ns, 1000);
  profile_free(profile);
}

/* Too short for a tick. */
static void no_tick(void) {
  program_start(&program);
  program_calls(&program, "main");
  struct profile *profile = program_end(&program);
  profile->processes[0].tick_source = TICK_PERF;
  profile->processes[0].period_ns = 1000000;
  profile->processes[0].end = PROCESS_END_EXIT;
  profile->processes[0].cpu_user_ns = 400000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.unsampled_ns, 400000);
  CHECK_EQUAL(books.sampled_ns, 0);
  profile_free(profile);
}

/* Ticks in user code tell its part of the CPU time, the kernel only guesses it: the sum stays. */
static void split_too_coarse(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 22);
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  process->cpu_user_ns = 77000;
  process->cpu_system_ns = 1000000000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 22000000);
  CHECK_EQUAL(books.user_ns + books.system_ns, 1000077000);
  CHECK_EQUAL(books.kernel_ns, books.system_ns);
  process->cpu_user_ns = 33000000;
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 22000000);
  CHECK_EQUAL(books.kernel_ns, 1011000000);
  process->cpu_user_ns = 0;
  process->cpu_system_ns = 1000000; /* less than the ticks stand for */
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 1000000);
  CHECK_EQUAL(books.kernel_ns, 0);
  profile_free(profile);
}

/* The kernel found no user time, two ticks did: how much of the sum it is, only they tell, and no
 * function's time is certain, nor is the kernel's. */
static void no_user_time(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 1);
  program_calls(&program, "work");
  program_tick(&program, 1);
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  process->cpu_user_ns = 0;
  process->cpu_system_ns = 2179000;
  profile->threads[0].cpu_ns = 2179000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.user_ns, 2000000);
  CHECK_EQUAL(books.sampled_ns, 2000000);
  CHECK_EQUAL(books.system_ns, 179000);
  CHECK_EQUAL(books.kernel_ns, 179000);
  CHECK_EQUAL(books_whole_ns(&books), 2179000);
  struct estimate met = books_estimate(&books, profile->metrics[0].ticks[0].amount);
  CHECK_EQUAL(met.ns, 1000000);
  CHECK(met.low_ns < 300000 && met.high_ns > 1900000 && met.high_ns <= 2179000);
  struct estimate kernel = books_kernel_estimate(&books);
  CHECK_EQUAL(kernel.ns, 179000);
  CHECK(kernel.low_ns < 5000 && kernel.high_ns > 1400000 && kernel.high_ns <= 2179000);
  CHECK(books_estimate(&books, (struct amount){0}).high_ns > 1300000);
  process->cpu_user_ns = 900000; /* its guess does not matter */
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 2000000);
  CHECK_EQUAL(books.kernel_ns, 1079000);
  process->cpu_user_ns = 0;
  process->cpu_system_ns = 500000; /* less than the ticks stand for */
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 500000);
  CHECK_EQUAL(books.kernel_ns, 0);
  process->cpu_system_ns = 0;
  books_make(profile, &books);
  CHECK_EQUAL(books_estimate(&books, profile->metrics[0].ticks[0].amount).uncertainty_ns,
              UNCERTAINTY_UNKNOWN);
  profile_free(profile);
}

/* Also of a process without a tick. */
static void split_of_all_processes(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 2);
  struct profile *profile = program_end(&program);
  struct profile_process processes[2] = {profile->processes[0], profile->processes[0]};
  struct profile_process *own = profile->processes;
  processes[0].cpu_user_ns = 0;
  processes[0].cpu_system_ns = 3000000;
  profile->threads[0].cpu_ns = 3000000;
  processes[1].cpu_user_ns = 3000000;
  profile->processes = processes;
  profile->process_count = 2;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.user_ns, 2000000);
  CHECK_EQUAL(books.kernel_ns, 4000000);
  struct estimate kernel = books_kernel_estimate(&books);
  CHECK(kernel.low_ns < 3000000 && kernel.high_ns > 5000000);
  profile->processes = own;
  profile->process_count = 1;
  profile_free(profile);
}

/* No tick, and by the kernel no user time: that is not certain either. */
static void no_tick_no_user_time(void) {
  program_start(&program);
  program_calls(&program, "main");
  struct profile *profile = program_end(&program);
  profile->processes[0].cpu_user_ns = 0;
  profile->processes[0].cpu_system_ns = 700000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.kernel_ns, 700000);
  CHECK_EQUAL(books_estimate(&books, (struct amount){0}).uncertainty_ns, 592105);
  profile->processes[0].cpu_system_ns = 5000000000; /* of more there would have been a tick */
  books_make(profile, &books);
  CHECK_EQUAL(books_estimate(&books, (struct amount){0}).uncertainty_ns, 3838510);
  profile_free(profile);
}

/* What lacks ticks by more than chance is nobody's; what chance explains is shared out. */
static void ticks_kept_out(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 500);
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  process->cpu_user_ns = 1000000000;
  process->cpu_system_ns = 3000000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 500000000);
  CHECK_EQUAL(books.unsampled_ns, 500000000);
  CHECK_EQUAL(books_whole_ns(&books), 1003000000);
  process->cpu_user_ns = 530000000;
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 500000000);
  CHECK_EQUAL(books.kernel_ns, 33000000);
  CHECK_EQUAL(books.unsampled_ns, 0);
  profile->metrics[0].ticks[0].amount = (struct amount){5000, 5000000000};
  metrics_charge(profile);
  process->cpu_user_ns = 6000000000; /* most came: the others are like these */
  books_make(profile, &books);
  CHECK_EQUAL(books.sampled_ns, 6000000000);
  CHECK_EQUAL(books.kernel_ns, 3000000);
  profile_free(profile);
}

/* Wilson's interval of 15 of 50: a textbook value; and the score interval of Poisson's 15. */
static void known_interval(void) {
  struct interval interval = share_interval(0.3, 50, 0);
  CHECK(fabs(interval.low - 0.1910) < 0.0001);
  CHECK(fabs(interval.high - 0.4375) < 0.0001);
  CHECK(share_interval(0, 10, 0).low == 0);
  CHECK(share_interval(1, 10, 0).high > 0.999999);
  CHECK(share_interval(0, 0, 0).low == 0 && share_interval(0, 0, 0).high == 1);
  interval = share_interval(0.3, 50, 1.0 / 50);
  CHECK(fabs(interval.low * 50 - 9.0906) < 0.0001);
  CHECK(fabs(interval.high * 50 - 24.7509) < 0.0001);
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / (double)(1ull << 53);
}

/* Runs of `n` ticks, each of which meets the function with probability `share`. */
static double coverage(double share, int n, uint64_t *state) {
  enum { RUNS = 2000 };
  int covered = 0;
  for (int run = 0; run < RUNS; run++) {
    struct books books = {
        .sampled_ns = 1000000000, .all = {n, n * 1000000ull}, .squares = 1e18 / n, .within = 1};
    uint64_t ticks = 0;
    for (int tick = 0; tick < n; tick++)
      ticks += uniform(state) < share;
    struct estimate estimate = books_estimate(&books, (struct amount){ticks, ticks * 1000000});
    covered += estimate.low_ns <= share * 1e9 && share * 1e9 <= estimate.high_ns;
  }
  return (double)covered / RUNS;
}

static void intervals_cover(void) {
  static const double shares[] = {0.001, 0.01, 0.05, 0.2, 0.5, 0.9};
  static const int sizes[] = {10, 50, 200, 1000};
  uint64_t state = 4;
  double sum = 0;
  for (size_t s = 0; s < 6; s++)
    for (size_t n = 0; n < 4; n++) {
      double covered = coverage(shares[s], sizes[n], &state);
      if (covered < 0.88) printf("share %g, %d ticks: %g\n", shares[s], sizes[n], covered);
      CHECK(covered >= 0.88);
      sum += covered;
    }
  CHECK(sum / 24 >= 0.945 && sum / 24 <= 0.975);
}

/* A tick that stands for several periods is one piece of evidence; where some weigh more than
 * others, all of them tell less. */
static void overruns_are_no_evidence(void) {
  struct books books = {
      .sampled_ns = 1000000000, .all = {100, 100000000}, .squares = 1e16, .within = 1};
  struct books heavy = {
      .sampled_ns = 1000000000, .all = {100, 300000000}, .squares = 1e16, .within = 1};
  struct books late = books;
  late.squares = 4e16;
  late.within = 4;
  struct estimate plain = books_estimate(&books, (struct amount){50, 50000000});
  struct estimate merged = books_estimate(&heavy, (struct amount){50, 150000000});
  struct estimate bunches = books_estimate(&late, (struct amount){50, 50000000});
  CHECK_EQUAL(plain.ns, merged.ns);
  CHECK_EQUAL(plain.uncertainty_ns, merged.uncertainty_ns);
  CHECK(bunches.uncertainty_ns > 1.8 * plain.uncertainty_ns);
}

/* What may be behind cut stacks is sampled as all else is. */
static void unseen_time_is_sampled(void) {
  struct books books = {
      .sampled_ns = 1000000000, .all = {100, 100000000}, .squares = 1e16, .within = 1};
  struct estimate least = books_estimate(&books, (struct amount){10, 10000000});
  struct estimate most = books_estimate(&books, (struct amount){50, 50000000});
  struct estimate between = books_estimate(&books, (struct amount){10, 10000000, 40000000});
  CHECK_EQUAL(between.ns, least.ns);
  CHECK_EQUAL(between.low_ns, least.low_ns);
  CHECK_EQUAL(between.high_ns, most.high_ns);
}

/* Nothing is known of pauses: they are in no other figure. */
static void pauses_are_apart(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 60);
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  process->cpu_user_ns = 100000000;
  process->cpu_system_ns = 10000000;
  process->paused_user_ns = 40000000;
  process->paused_system_ns = 4000000;
  struct books books;
  books_make(profile, &books);
  CHECK_EQUAL(books.user_ns, 60000000);
  CHECK_EQUAL(books.system_ns, 6000000);
  CHECK_EQUAL(books.paused_ns, 44000000);
  CHECK_EQUAL(books.sampled_ns, 60000000);
  process->paused_user_ns = 200000000; /* more than there is, of a damaged file */
  books_make(profile, &books);
  CHECK_EQUAL(books.paused_ns, 104000000);
  profile_free(profile);
}

/* The kernel's count is the whole; ticks that weigh more are the evidence. */
static void events(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 10);
  program_calls(&program, "work");
  program_tick(&program, 10);
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  process->tick_source = TICK_EVENT;
  profile->metrics[0].measures[0].counted = 4040;
  profile->metrics[0].kind = METRIC_EVENT;
  profile->metrics[0].unit = "page-faults";
  profile->metrics[0].ticks[0].amount = (struct amount){10, 10};
  profile->metrics[0].ticks[1].amount = (struct amount){10, 4000};
  struct books books;
  books_make(profile, &books);
  CHECK(books.events && !books.measured);
  CHECK_EQUAL(books.sampled_ns, 4040);
  struct estimate light = books_estimate(&books, profile->metrics[0].ticks[0].amount);
  CHECK_EQUAL(light.ns, 10);
  CHECK(light.uncertainty_ns > 400); /* it fits into one tick of the others */
  profile->metrics[0].ticks[1].amount = (struct amount){10, 10};
  profile->metrics[0].measures[0].counted = 20;
  books_make(profile, &books);
  CHECK(books.measured); /* a tick for each */
  CHECK_EQUAL(books_estimate(&books, profile->metrics[0].ticks[0].amount).uncertainty_ns, 0);
  profile_free(profile);
}

int main(void) {
  time_is_the_kernels();
  pauses_are_apart();
  events();
  no_clock();
  no_tick();
  split_too_coarse();
  no_user_time();
  split_of_all_processes();
  no_tick_no_user_time();
  ticks_kept_out();
  known_interval();
  intervals_cover();
  overruns_are_no_evidence();
  unseen_time_is_sampled();
  return check_result();
}
