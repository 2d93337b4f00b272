/* Merging adds up, in any order; what does not add up is refused. */
#include "attribution/merge/merge_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/costs.h"
#include "attribution/run_spread.h"
#include "check.h"
#include "profile/builder.h"
#include "profile_fixture.h"
#include "recording/history.h"

static struct program program;

/* ---- profiles ---- */

/* Random calls and ticks of a few functions, in one or two threads. */
static struct profile *random_profile(unsigned seed) {
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  srandom(seed);
  program_start(&program);
  for (int thread = 0; thread < 2; thread++) {
    if (thread) program_thread(&program, "worker");
    program_calls(&program, thread ? "start" : "main");
    for (int step = 0; step < 60; step++) {
      int what = random() % 4;
      if (what == 0 && program.depth > 2) program_return(&program);
      if (what == 1) program_tick(&program, 1 + random() % 5);
      if (what > 1 && program.depth < 12)
        program_call(&program, program_function(&program, names[random() % 5]));
    }
    program_tick(&program, 1);
  }
  return program_end(&program);
}

static struct profile *merged(struct profile *const *profiles, size_t count) {
  struct merge *merge = merge_begin();
  struct error error;
  for (size_t i = 0; i < count; i++)
    CHECK_EQUAL(merge_add(merge, profiles[i], "some profile", false, &error), 0);
  return merge_finish(merge);
}

static struct profile *sum(struct profile *a, struct profile *b) {
  return merged((struct profile *[]){a, b}, 2);
}

/* ---- comparison: all that a profile says, sorted ---- */

struct text {
  char **lines;
  size_t count, room;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...) {
  char line[4000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  ARRAY_GROW(text->lines, text->count);
  text->lines[text->count++] = strdup(line);
}

static const char *history_text(const struct profile *profile, uint32_t context, char *text) {
  const struct profile_context *of = &profile->contexts[context];
  char *at = text + sprintf(text, "%s:", profile->threads[of->thread].name);
  for (uint32_t i = 0; i < of->length; i++)
    at += sprintf(at, " %s%s", profile->functions[history_function(of->history[i])].name,
                  history_marked(of->history[i]) ? "" : "-");
  return text;
}

static const char *name_of(const struct profile *profile, uint32_t function) {
  return function == NOTHING ? "-" : profile->functions[function].name;
}

static void say_costs(struct text *text, const struct profile *profile) {
  struct costs *costs = costs_compute(profile, NULL);
  for (uint32_t i = 0; i < profile->function_count; i++) {
    const struct function_cost *cost = &costs->functions[i];
    if (cost->calls || cost->total.raw_ns)
      say(text, "function %s %lu %lu self %lu %lu total %lu %lu", name_of(profile, i), cost->calls,
          cost->recursive, cost->self.ticks, cost->self.raw_ns, cost->total.ticks,
          cost->total.raw_ns);
  }
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    say(text, "arc %s %s %lu %lu %lu %lu", name_of(profile, arc->caller),
        name_of(profile, arc->callee), arc->calls, arc->in_self.ticks, arc->in_child.raw_ns,
        arc->out_child.raw_ns);
  }
  for (size_t i = 0; i < profile->line_count; i++)
    say(text, "line %s:%u %lu", profile->lines[i].file, profile->lines[i].line,
        costs->line_self[i].ticks);
  costs_free(costs);
}

/* Which run has the most depends on their order: it is known by its process. */
static void say_spreads(struct text *text, const struct profile *profile) {
  const struct profile_metric *metric = &profile->metrics[0];
  char context[1000];
  for (size_t i = 0; i < metric->spread_count; i++) {
    const struct profile_spread *spread = &metric->spreads[i];
    const char *thing = spread->function != NOTHING ? name_of(profile, spread->function)
                        : spread->context != NOTHING
                            ? history_text(profile, spread->context, context)
                            : "a line";
    say(text, "spread of %s line %u: %u runs %lu, %lu to %lu, %lu %lu %lu %lu %lu", thing,
        spread->line == NOTHING ? 0 : profile->lines[spread->line].line, spread->runs, spread->sum,
        spread->least, spread->most, spread->uncertainty, spread->squares.high, spread->squares.low,
        spread->uncertainty_squares.high, spread->uncertainty_squares.low);
  }
  for (size_t i = 0; i < metric->spread_size_count; i++)
    say(text, "%s had size %u in %u runs", name_of(profile, metric->spread_sizes[i].function),
        metric->spread_sizes[i].size, metric->spread_sizes[i].runs);
}

static void say_all(struct text *text, const struct profile *profile) {
  char from[1000], to[1000];
  say_costs(text, profile);
  say_spreads(text, profile);
  for (uint32_t i = 0; i < profile->context_count; i++)
    say(text, "context %s %lu %lu", history_text(profile, i, from), context_self(profile, i).ticks,
        context_self(profile, i).raw_ns);
  for (size_t i = 0; i < profile->transition_count; i++)
    say(text, "calls %s > %s at %lx: %lu",
        history_text(profile, profile->transitions[i].from, from),
        history_text(profile, profile->transitions[i].to, to),
        profile->sites[profile->transitions[i].site].offset, profile->transitions[i].count);
  for (size_t i = 0; i < profile->metrics[0].tick_count; i++)
    say(text, "ticks %s line %u: %lu",
        history_text(profile, profile->metrics[0].ticks[i].context, from),
        profile->lines[profile->metrics[0].ticks[i].line].line,
        profile->metrics[0].ticks[i].amount.ticks);
  for (size_t i = 0; i < profile->thread_count; i++)
    say(text, "thread %s owners %u ticks %lu", profile->threads[i].name, profile->threads[i].owners,
        profile->threads[i].ticks);
  for (size_t i = 0; i < profile->process_count; i++)
    say(text, "process %u user %lu", profile->processes[i].pid, profile->processes[i].cpu_user_ns);
  for (size_t i = 0; i < profile->run_count; i++)
    say(text, "run %lu %lu %lu", profile->runs[i].user_ns, profile->runs[i].ticks,
        profile->runs[i].calls);
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_text(struct text *text) {
  for (size_t i = 0; i < text->count; i++)
    free(text->lines[i]);
  free(text->lines);
}

static void check_same(const struct profile *a, const struct profile *b) {
  struct text left = {0}, right = {0};
  say_all(&left, a);
  say_all(&right, b);
  qsort(left.lines, left.count, sizeof *left.lines, compare_texts);
  qsort(right.lines, right.count, sizeof *right.lines, compare_texts);
  CHECK_EQUAL(left.count, right.count);
  for (size_t i = 0; i < left.count && i < right.count; i++)
    CHECK_TEXT(left.lines[i], right.lines[i]);
  free_text(&left);
  free_text(&right);
}

/* ---- properties ---- */

static void test_any_order(void) {
  for (unsigned seed = 0; seed < 40; seed++) {
    struct profile *a = random_profile(3 * seed), *b = random_profile(3 * seed + 1);
    struct profile *c = random_profile(3 * seed + 2);
    struct profile *ab = sum(a, b), *bc = sum(b, c), *ba = sum(b, a);
    struct profile *left = sum(ab, c), *right = sum(a, bc);
    struct profile *all = merged((struct profile *[]){c, a, b}, 3);
    check_same(ab, ba);
    check_same(left, right);
    check_same(left, all);
    struct profile *const list[] = {a, b, c, ab, bc, ba, left, right, all};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
      profile_free(list[i]);
  }
}

static void test_itself_doubles(void) {
  struct profile *a = random_profile(7), *twice = sum(a, a);
  struct costs *one = costs_compute(a, NULL), *two = costs_compute(twice, NULL);
  CHECK_EQUAL(twice->function_count, a->function_count);
  CHECK_EQUAL(twice->context_count, a->context_count);
  CHECK_EQUAL(twice->site_count, a->site_count);
  CHECK_EQUAL(twice->transition_count, a->transition_count);
  CHECK_EQUAL(twice->metrics[0].tick_count, a->metrics[0].tick_count);
  CHECK_EQUAL(twice->thread_count, a->thread_count);
  CHECK_EQUAL(twice->process_count, 2 * a->process_count);
  CHECK_EQUAL(twice->run_count, 2);
  for (size_t i = 0; i < a->function_count; i++) {
    CHECK_EQUAL(two->functions[i].calls, 2 * one->functions[i].calls);
    CHECK_EQUAL(two->functions[i].self.ticks, 2 * one->functions[i].self.ticks);
    CHECK_EQUAL(two->functions[i].total.raw_ns, 2 * one->functions[i].total.raw_ns);
  }
  struct books books, doubled;
  books_make(a, &books);
  books_make(twice, &doubled);
  CHECK_EQUAL(doubled.sampled_ns, 2 * books.sampled_ns);
  CHECK_EQUAL(doubled.calls, 2 * books.calls);
  CHECK_EQUAL(doubled.all.ticks, 2 * books.all.ticks);
  /* Twice the ticks: the uncertainty grows by the root of two only. */
  struct estimate once = books_estimate(&books, one->functions[0].self);
  struct estimate both = books_estimate(&doubled, two->functions[0].self);
  double growth = (double)both.uncertainty_ns / once.uncertainty_ns;
  CHECK(growth > 1.2 && growth < 1.6);
  costs_free(one);
  costs_free(two);
  profile_free(a);
  profile_free(twice);
}

/* ---- matching ---- */

static struct profile *one_call(const char *build_id, uint32_t line) {
  program_start(&program);
  program_calls(&program, "main f");
  program_tick(&program, 5);
  struct profile *profile = program_end(&program);
  profile->objects[0].build_id = pool_string(profile->pool, build_id);
  profile->functions[1].line = line;
  return profile;
}

static void test_other_build(void) {
  struct profile *a = one_call("aaaa", 20), *b = one_call("bbbb", 25), *both = sum(a, b);
  CHECK_EQUAL(both->function_count, 2);
  CHECK_EQUAL(both->context_count, 3);
  CHECK_EQUAL(both->objects[0].build_id[0], '\0');
  CHECK_CONTAINS(both->objects[0].message, "several builds");
  CHECK_EQUAL(both->sites[0].offset, 0);
  profile_free(both);
  profile_free(b);
  b = one_call("aaaa", 25); /* in the same build another line is another function */
  both = sum(a, b);
  CHECK_EQUAL(both->function_count, 3);
  CHECK_TEXT(both->objects[0].build_id, "aaaa");
  profile_free(a);
  profile_free(b);
  profile_free(both);
}

static void test_three_builds(void) {
  struct profile *a = one_call("aaaa", 20), *b = one_call("bbbb", 25), *c = one_call("", 30);
  struct profile *ab = sum(a, b), *bc = sum(b, c);
  struct profile *left = sum(ab, c), *right = sum(a, bc);
  CHECK_EQUAL(left->function_count, 2);
  check_same(left, right);
  struct profile *const list[] = {a, b, c, ab, bc, left, right};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    profile_free(list[i]);
}

static void test_moved_program(void) {
  struct profile *a = one_call("aaaa", 20), *b = one_call("bbbb", 20);
  b->objects[0].path = b->processes[0].executable = "/home/me/fixture";
  struct profile *both = sum(a, b);
  CHECK_EQUAL(both->object_count, 2);
  CHECK_EQUAL(both->function_count, 2);
  profile_free(a);
  profile_free(b);
  profile_free(both);
}

/* ---- waiting ---- */

/* CPU time of the fixture, and `ticks` looks at its one context while it waited. */
static struct profile *that_waited(uint64_t ticks) {
  struct profile *profile = one_call("aaaa", 20);
  struct profile_metric *waits =
      &profile->metrics[metrics_add(profile, METRIC_WAITING, "waiting", NULL)];
  waits->ticks = memory_zeroed(1, sizeof *waits->ticks);
  waits->ticks[0] = profile->metrics[0].ticks[0];
  waits->ticks[0].amount = (struct amount){ticks, ticks * 1000};
  waits->tick_count = 1;
  metrics_charge(profile);
  profile->processes[0].lived_ns = profile->processes[0].looked_ns = 9000000;
  profile->processes[0].waited_ns = ticks * 1000;
  return profile;
}

static void test_waits_add_up(void) {
  struct profile *a = that_waited(30), *b = that_waited(12), *both = sum(a, b);
  struct profile view = metric_view(both, 1);
  struct books books;
  CHECK_EQUAL(both->metrics[1].tick_count, 1);
  CHECK_EQUAL(both->metrics[1].ticks[0].amount.ticks, 42);
  CHECK_EQUAL(both->metrics[0].ticks[0].amount.ticks, 10);
  books_make(&view, &books);
  CHECK_EQUAL(books.all.ticks, 42);
  CHECK_EQUAL(books.sampled_ns, 42000);
  struct costs *costs = costs_compute(&view, NULL);
  CHECK_EQUAL(books_ns(&books, costs->functions[1].self), 42000);
  costs_free(costs);
  books_make(both, &books);
  CHECK_EQUAL(books.all.ticks, 10);
  profile_free(a);
  profile_free(b);
  profile_free(both);
}

/* ---- refusals ---- */

static void check_refused(struct profile *a, struct profile *b, bool force, const char *part) {
  struct merge *merge = merge_begin();
  struct error error = {""};
  CHECK_EQUAL(merge_add(merge, a, "A", force, &error), 0);
  CHECK_EQUAL(merge_add(merge, b, "B", force, &error), -1);
  CHECK_CONTAINS(error.text, part);
  merge_discard(merge);
  profile_free(a);
  profile_free(b);
}

static struct profile *other_program(void) {
  struct profile *profile = one_call("cccc", 20);
  profile->objects[0].path = profile->processes[0].executable = "/tmp/other";
  return profile;
}

static struct profile *without_calls(void) {
  struct profile *profile = one_call("aaaa", 20);
  profile->transition_count = 0;
  return profile;
}

static struct profile *of_unit(const char *unit, const char *format) {
  struct profile *profile = one_call("aaaa", 20);
  profile->metrics[0].unit = unit;
  profile->origin.format = format;
  return profile;
}

/* As record --perf does. */
static struct profile *sampled_in_kernel(void) {
  struct profile *profile = one_call("aaaa", 20);
  profile->processes[0].tick_flags &= ~(uint32_t)TICK_USER_ONLY;
  return profile;
}

static void test_refusals(void) {
  check_refused(one_call("aaaa", 20), sampled_in_kernel(), true,
                "B was sampled in the kernel too, A in user code only");
  check_refused(sampled_in_kernel(), one_call("aaaa", 20), true,
                "A was sampled in the kernel too, B in user code only");
  check_refused(one_call("aaaa", 20), other_program(), false,
                "B is a profile of other, but A of fixture; --force merges them");
  check_refused(one_call("aaaa", 20), without_calls(), true,
                "B has sampled stacks, but A counted calls");
  check_refused(one_call("aaaa", 20), that_waited(3), true,
                "B measures cpu, waiting, but A cpu: they cannot be summed");
  check_refused(one_call("aaaa", 20), of_unit("cycles", NULL), true, "B counts cycles, but A ns");
  check_refused(one_call("aaaa", 20), of_unit(NULL, "pprof"), true,
                "B is from pprof, but A is a recording of Ascribe");
  struct profile *a = one_call("aaaa", 20), *b = other_program();
  struct merge *merge = merge_begin();
  CHECK_EQUAL(merge_add(merge, a, "A", true, NULL), 0);
  CHECK_EQUAL(merge_add(merge, b, "B", true, NULL), 0);
  struct profile *both = merge_finish(merge);
  CHECK_EQUAL(both->object_count, 3);
  CHECK_EQUAL(both->function_count, 4);
  profile_free(a);
  profile_free(b);
  profile_free(both);
}

/* ---- spread ---- */

static void test_spread(void) {
  struct profile *profiles[3];
  for (int i = 0; i < 3; i++) {
    program_start(&program);
    program_calls(&program, "main f");
    program_tick(&program, 1000 * (i + 1));
    program_return(&program);
    program_tick(&program, 1000);
    profiles[i] = program_end(&program);
  }
  struct profile *all = merged(profiles, 3);
  size_t count;
  struct function_spread *list = runs_spread(all, &count);
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(list[1].self.mean, 2000e6);
  CHECK_EQUAL(list[1].self.deviation, 1000e6);
  CHECK_EQUAL(list[1].self.least, 1000e6);
  CHECK_EQUAL(list[1].self.most, 3000e6);
  CHECK_EQUAL(list[0].total.mean, 3000e6);
  CHECK(spread_is_real(&list[1].self, 3));
  CHECK(!spread_is_real(&list[0].self, 3));
  CHECK_EQUAL(list[1].calls.deviation, 0);
  struct run_spread known = list[1].self;
  uint32_t f = list[1].function;
  free(list);
  /* The same where it is not kept what functions cost in each run. */
  all->run_cost_count = 0;
  list = runs_spread(all, &count);
  CHECK_EQUAL(count, 2);
  CHECK(list[1].function == f && !list[1].total_known && !list[1].calls_known);
  CHECK(list[1].self.mean == known.mean && list[1].self.deviation == known.deviation);
  CHECK(list[1].self.least == known.least && list[1].self.most_run == known.most_run);
  CHECK(fabs(list[1].self.from_ticks / known.from_ticks - 1) < 1e-9);
  CHECK(list[1].self.imbalance.ratio == known.imbalance.ratio);
  CHECK(list[1].self.imbalance.low <= known.imbalance.low + 1e-9);
  CHECK(list[1].self.imbalance.high >= known.imbalance.high - 1e-9);
  free(list);
  for (int i = 0; i < 3; i++) {
    double quantile = runs_quantile(all, f, (i + 0.5) / 3);
    CHECK(fabs(quantile / (1000e6 * (i + 1)) - 1) <= 1.0 / 32);
  }
  struct item_spread *items = runs_item_spread(all, SPREAD_OF_CONTEXTS, &count);
  CHECK_EQUAL(count, 2);
  CHECK(items[0].self.mean == known.mean && items[0].self.most == known.most);
  CHECK_EQUAL(items[1].self.deviation, 0);
  CHECK(spread_is_real_of(&items[0].self, 3, 1000) && !spread_is_real_of(&items[1].self, 3, 1));
  free(items);
  /* What is not known of some runs is not known of all. */
  struct profile_spread *spread = &all->metrics[0].spreads[1], known_spread = *spread;
  CHECK_EQUAL(spread->function, f);
  spread_forget(spread);
  spread_add(spread, &known_spread);
  CHECK_EQUAL(spread->runs, 0);
  CHECK_EQUAL(runs_quantile(all, f, 0.5), UINT64_MAX);
  list = runs_spread(all, &count);
  CHECK_EQUAL(count, 1);
  free(list);
  items = runs_item_spread(all, SPREAD_OF_LINES, &count);
  CHECK(count >= 1 && items[0].self.most >= known.most);
  free(items);
  profile_free(all);
  for (int i = 0; i < 3; i++)
    profile_free(profiles[i]);
}

static void test_sizes(void) {
  static const uint64_t amounts[] = {
      0, 1, 15, 16, 31, 32, 33, 1000, 1u << 31, UINT64_MAX / 3, UINT64_MAX >> 1, UINT64_MAX};
  for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
    double middle = spread_size_middle(spread_size(amounts[i])), amount = amounts[i];
    CHECK(fabs(middle - amount) <= amount / 32);
    CHECK(i == 0 || spread_size(amounts[i - 1]) <= spread_size(amounts[i]));
  }
  CHECK(spread_size_middle(UINT32_MAX) == UINT64_MAX);
  struct wide_sum sum = {0};
  for (int i = 0; i < 100; i++)
    wide_add_square(&sum, UINT64_C(300000000000000000));
  CHECK(fabs((sum.high * 0x1p60 + sum.low) / 9e36 - 1) < 1e-12);
}

/* Of more than a limit it is not kept what functions cost in each run, in whatever order they are
 * merged. */
static void test_many_runs(void) {
  struct profile *profiles[4];
  struct error error;
  for (unsigned i = 0; i < 4; i++)
    profiles[i] = random_profile(i);
  for (size_t most = 8; most < 20; most += 11) {
    struct merge *left = merge_begin(), *right = merge_begin(), *both = merge_begin();
    left->most_run_costs = right->most_run_costs = both->most_run_costs = most;
    for (int i = 0; i < 4; i++)
      CHECK_EQUAL(merge_add(i < 3 ? left : right, profiles[i], "one", false, &error), 0);
    struct profile *first = merge_finish(left), *second = merge_finish(right);
    CHECK_EQUAL(merge_add(both, first, "first", false, &error), 0);
    CHECK_EQUAL(merge_add(both, second, "second", false, &error), 0);
    struct profile *all = merge_finish(both);
    CHECK(second->run_cost_count > 0);
    CHECK_EQUAL(all->run_count, 4);
    CHECK_EQUAL(all->run_cost_count, 0);
    CHECK(all->metrics[0].spread_count > 0);
    profile_free(first);
    profile_free(second);
    profile_free(all);
  }
  for (int i = 0; i < 4; i++)
    profile_free(profiles[i]);
}

/* ---- imbalance ---- */

enum { RANKS = 16, JOBS = 2000, TICKS = 10000 };

/* Ticks of a rank that has each of TICKS with this probability: Poisson's, as it is small. */
static unsigned ticks_met(double mean) {
  double product = 1, limit = exp(-mean);
  unsigned count = 0;
  while ((product *= (random() + 1.0) / (RAND_MAX + 2.0)) > limit)
    count++;
  return count;
}

/* Each function is a job of its own, whose ranks had `mean` ticks in it, and the fourth `fourth`
 * times as many. */
static struct profile *random_jobs(double mean, double fourth) {
  struct profile *profile = profile_create();
  const double tick = 1e6;
  for (uint32_t rank = 0; rank < RANKS; rank++) {
    profile_add_run(profile, (struct profile_run){.ticks = TICKS, .sampled_ns = TICKS * tick});
    for (uint32_t job = 0; job < JOBS; job++) {
      if (rank == 0) profile_add_function(profile, (struct profile_function){.name = "f"});
      unsigned met = ticks_met(rank == 3 ? mean * fourth : mean);
      double share = (double)met / TICKS;
      struct interval interval = share_interval(share, TICKS, 1);
      double off = fmax(share - interval.low, interval.high - share) * TICKS * tick;
      struct profile_run_cost cost = {
          .run = rank, .function = job, .self_ns = met * tick, .self_uncertainty_ns = off};
      if (met) profile_add_run_cost(profile, cost);
    }
  }
  return profile;
}

/* Of that many trials with this probability: the mean and five standard deviations above it. */
static double at_most(double probability) {
  return JOBS * probability + 5 * sqrt(JOBS * probability * (1 - probability));
}

/* The rank that happened to get most ticks is not called slow; one that is slow is, and its
 * imbalance lies in the interval. */
static void check_imbalance(double mean, double fourth) {
  double truth = fourth * RANKS / (RANKS - 1 + fourth);
  size_t count, outside = 0, found = 0, fourths = 0;
  srandom(11);
  struct profile *profile = random_jobs(mean, fourth);
  struct function_spread *list = runs_spread(profile, &count);
  for (size_t i = 0; i < count; i++) {
    const struct imbalance *imbalance = &list[i].self.imbalance;
    CHECK(1 <= imbalance->low && imbalance->low <= imbalance->ratio);
    CHECK(imbalance->ratio <= imbalance->high && imbalance->high <= RANKS);
    outside += truth < imbalance->low - 1e-9 || truth > imbalance->high + 1e-9;
    found += imbalance->low > 1;
    fourths += list[i].self.most_run == 3;
  }
  CHECK(outside <= at_most(0.05));
  if (fourth == 1) CHECK(found <= at_most(0.025));
  if (fourth == 3 && mean >= 30) CHECK(found == count && fourths == count);
  free(list);
  profile_free(profile);
}

static void test_imbalance(void) {
  static const double means[] = {0.2, 3, 30, 200};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    check_imbalance(means[i], 1);
    check_imbalance(means[i], 3);
  }
}

static void test_exact_imbalance(void) {
  struct profile *profile = profile_create();
  size_t count;
  profile_add_function(profile, (struct profile_function){.name = "f"});
  for (uint32_t run = 0; run < 4; run++)
    profile_add_run(profile, (struct profile_run){0});
  profile_add_run_cost(profile, (struct profile_run_cost){.run = 2, .self_ns = 60, .calls = 1});
  profile_add_run_cost(profile, (struct profile_run_cost){.run = 3, .self_ns = 20, .calls = 1});
  struct function_spread *list = runs_spread(profile, &count);
  CHECK_EQUAL(count, 1);
  CHECK(list->self.imbalance.ratio == 3 && list->self.imbalance.low == 3);
  CHECK(list->self.imbalance.high == 3 && list->self.most_run == 2 && list->calls.most_run == 2);
  CHECK(isnan(list->total.imbalance.ratio));
  free(list);
  profile->run_costs[0].self_uncertainty_ns = UNCERTAINTY_UNKNOWN;
  list = runs_spread(profile, &count);
  CHECK(list->self.imbalance.ratio == 3 && isnan(list->self.imbalance.low));
  free(list);
  profile_free(profile);
}

int main(void) {
  test_any_order();
  test_itself_doubles();
  test_other_build();
  test_three_builds();
  test_moved_program();
  test_refusals();
  test_waits_add_up();
  test_spread();
  test_sizes();
  test_many_runs();
  test_imbalance();
  test_exact_imbalance();
  return check_result();
}
