/* Runs of one program are simulated: of pairs of identical runs 5 % may have false claims, and what
 * has changed is found. */
#include "compare/judgement.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "compare/comparison.h"
#include "small_profile.h"

/* ---- chance ---- */

static uint64_t state; /* each part begins with its own: what others draw does not move it */

static double uniform(void) { /* xorshift*; never 0 */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (double)((state * 0x2545f4914f6cdd1d >> 11) + 1) * 0x1p-53;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double poisson(double mean) {
  if (mean > 50) return fmax(rint(mean + sqrt(mean) * normal()), 0);
  double left = exp(-mean), count = 0;
  for (double product = uniform(); product > left; product *= uniform())
    count++;
  return count;
}

/* ---- runs ---- */

enum { FUNCTIONS = 40, CHANGED = 2, RUNS_MOST = 5 }; /* function 2 has 21 % of the time */

/* Each function calls the next: the first's total is all time. */
struct simulated_run {
  double ticks, whole_deviation, own_deviation; /* of one run */
  double slower;                                /* function CHANGED takes so many times its time */
  int runs;                                     /* that are merged; 0: one alone */
  bool uneven;                                  /* every fifth function varies twice as much */
};

struct drawn {
  double seconds, ticks[FUNCTIONS], sum;
};

/* Runs of one side. */
struct merged {
  struct drawn runs[RUNS_MOST];
  struct drawn all;
  double self[FUNCTIONS];
  int count;
};

static void draw(const struct simulated_run *run, struct drawn *drawn) {
  double seconds[FUNCTIONS], share = 0.3;
  *drawn = (struct drawn){0};
  for (int i = 0; i < FUNCTIONS; i++, share *= 0.7 + 0.3 * (i > 10)) {
    seconds[i] = share * exp(run->own_deviation * (run->uneven && i % 5 == 4 ? 2 : 1) * normal());
    if (i == CHANGED - 1) seconds[i] *= run->slower;
    drawn->seconds += seconds[i];
  }
  drawn->seconds *= exp(run->whole_deviation * normal());
  for (int i = 0; i < FUNCTIONS; i++)
    drawn->sum += drawn->ticks[i] = poisson(run->ticks * seconds[i]);
}

static void draw_runs(const struct simulated_run *run, struct merged *merged) {
  *merged = (struct merged){.count = run->runs ? run->runs : 1};
  for (int r = 0; r < merged->count; r++) {
    struct drawn *one = &merged->runs[r];
    draw(run, one);
    merged->all.seconds += one->seconds;
    merged->all.sum += one->sum;
    for (int i = 0; i < FUNCTIONS; i++) {
      merged->all.ticks[i] += one->ticks[i];
      merged->self[i] += one->ticks[i] * one->seconds / one->sum;
    }
  }
}

/* Of one run's CPU time, as a part of it; negative: one run does not tell. */
static double deviation_of(const struct merged *merged) {
  double mean = merged->all.seconds / merged->count, squares = 0;
  if (merged->count < 2) return -1;
  for (int r = 0; r < merged->count; r++)
    squares += pow(merged->runs[r].seconds - mean, 2);
  return sqrt(squares / (merged->count - 1)) / mean;
}

/* Half of Wilson's interval, of so many ticks of all. */
static double uncertainty(const struct drawn *drawn, double ticks) {
  double share = ticks / drawn->sum, n = drawn->sum, z2 = 1.96 * 1.96;
  return 1.96 * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n) * drawn->seconds;
}

static void put_functions(sqlite3 *database, const struct merged *merged) {
  sqlite3_stmt *update = NULL;
  sqlite3_prepare_v2(
      database,
      "UPDATE raw_functions SET self_ns = ?2, self_low_ns = ?2 - ?3, self_high_ns = ?2 + ?3,"
      " total_ns = ?4, total_low_ns = ?4 - ?5, total_high_ns = ?4 + ?5 WHERE id = ?1",
      -1, &update, NULL);
  double ticks = 0, total = 0;
  for (int i = FUNCTIONS - 1; i >= 0; i--) {
    ticks += merged->all.ticks[i];
    total += merged->self[i];
    const double figures[] = {merged->self[i], uncertainty(&merged->all, merged->all.ticks[i]),
                              total, uncertainty(&merged->all, ticks)};
    sqlite3_bind_int(update, 1, i + 1);
    for (int figure = 0; figure < 4; figure++)
      sqlite3_bind_int64(update, 2 + figure, (int64_t)(1e9 * figures[figure]));
    CHECK_EQUAL(sqlite3_step(update), SQLITE_DONE);
    sqlite3_reset(update);
  }
  sqlite3_finalize(update);
}

/* Each run's own time, and that of its functions. */
static void put_runs(sqlite3 *database, const struct merged *merged) {
  char sql[128];
  sqlite3_stmt *insert = NULL;
  execute(database, "DELETE FROM raw_run_costs");
  sqlite3_prepare_v2(database,
                     "INSERT INTO raw_run_costs(run, function, calls, self_ns, total_ns,"
                     " total_known) VALUES(?1, ?2, 0, ?3, ?4, 1)",
                     -1, &insert, NULL);
  for (int r = 0; r < merged->count; r++) {
    const struct drawn *one = &merged->runs[r];
    double total = 0, unit = 1e9 * one->seconds / one->sum;
    snprintf(sql, sizeof sql, "UPDATE raw_runs SET sampled_ns = %.0f WHERE id = %d",
             1e9 * one->seconds, r + 1);
    execute(database, sql);
    for (int i = FUNCTIONS - 1; i >= 0; i--) {
      total += one->ticks[i];
      sqlite3_bind_int(insert, 1, r + 1);
      sqlite3_bind_int(insert, 2, i + 1);
      sqlite3_bind_int64(insert, 3, (int64_t)(unit * one->ticks[i]));
      sqlite3_bind_int64(insert, 4, (int64_t)(unit * total));
      CHECK_EQUAL(sqlite3_step(insert), SQLITE_DONE);
      sqlite3_reset(insert);
    }
  }
  sqlite3_finalize(insert);
}

/* Into the side's file, which is attached again, as attached files do not change, and what the
 * workspace noted of it. */
static void record(int side, const struct simulated_run *run) {
  struct merged merged;
  draw_runs(run, &merged);
  sqlite3 *database = NULL;
  sqlite3_open(paths[side], &database);
  execute(database, "PRAGMA synchronous=off; BEGIN");
  put_functions(database, &merged);
  if (merged.count > 1) put_runs(database, &merged);
  execute(database, "COMMIT");
  sqlite3_close(database);
  CHECK_EQUAL(workspace_attach(&workspace, side + 1, paths[side], &error), 0);
  CHECK_EQUAL(workspace_run(&workspace, &error,
                            "UPDATE profile SET sampled = %!.17g, whole = %!.17g, ticks = %d,"
                            " unseen = %!.17g, runs = %d, run_deviation = nullif(%!.17g, -1)"
                            " WHERE id = %d",
                            merged.all.seconds, merged.all.seconds, (int)merged.all.sum,
                            uncertainty(&merged.all, 0), merged.count, deviation_of(&merged),
                            side + 1),
              0);
}

/* Another run like the first. */
#define ANOTHER_RUN(id)                                                                            \
  "CREATE TEMP TABLE another AS SELECT * FROM raw_runs WHERE id = 1;"                              \
  "UPDATE another SET id = " id "; INSERT INTO raw_runs SELECT * FROM another;"                    \
  "DROP TABLE another;"

static void open_simulated(int runs, uint64_t first) {
  static const char more[] = ANOTHER_RUN("2") ANOTHER_RUN("3") ANOTHER_RUN("4") ANOTHER_RUN("5");
  static const char functions[] =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
      " INSERT INTO raw_functions SELECT i, 'f' || i, NULL, 1, i, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, "
      "0, 1, "
      "0, "
      "0, "
      "0, 1,"
      " NULL, NULL, 1 FROM n;";
  char rows[sizeof functions + sizeof more];
  snprintf(rows, sizeof rows, "%s%s", functions, runs > 1 ? more : "");
  for (int side = 0; side < 2; side++)
    profile_with(side, evidence_sampled, rows);
  open_both();
  state = first;
}

/* ---- what is claimed ---- */

struct claimed {
  int pairs, found, others; /* pairs where the changed function is claimed, and where another is */
};

struct asked {
  const char *expression, *fail_if;
};

/* Claims of one pair of runs, which were recorded. */
static void claim(const struct asked *asked, struct claimed *claimed) {
  const struct comparison comparison = {ENTRY_FUNCTIONS, 1,  2, asked->expression,
                                        asked->fail_if,  NAN};
  struct compared compared = {0};
  bool others = false;
  if (comparison_run(&workspace, &comparison, &compared, &error) != 0) {
    printf("%s\n", error.text);
    checks_failed++;
  }
  for (size_t i = 0; i < compared.pairs.count; i++) {
    bool yes =
        (asked->fail_if ? compared.values[i].failed : compared.values[i].stands_out) == TRUTH_YES;
    if (compared.pairs.items[i].a == CHANGED)
      claimed->found += yes;
    else
      others |= yes;
  }
  claimed->pairs++;
  claimed->others += others;
  compared_free(&compared);
}

/* Each question is asked of the same pairs: most of the time goes into recording them. */
static void claims_of(const struct asked *asked, size_t count, int pairs,
                      const struct simulated_run *a, const struct simulated_run *b,
                      struct claimed *claimed) {
  memset(claimed, 0, count * sizeof *claimed);
  for (int pair = 0; pair < pairs && !checks_failed; pair++) {
    record(0, a);
    record(1, b);
    for (size_t i = 0; i < count; i++)
      claim(&asked[i], &claimed[i]);
  }
}

static void check_at_most(const char *what, int got, int most, int of) {
  if (got <= most) return;
  printf("%s: %d of %d pairs, at most %d expected\n", what, got, of, most);
  checks_failed++;
}

/* Five standard deviations above 5 % of the pairs. (3 % of 600 pairs had claims of functions that
 * had not changed.) */
static int most_by_chance(int pairs) {
  const double rate = 0.05;
  return (int)(rate * pairs + 5 * sqrt(rate * (1 - rate) * pairs));
}

/* As far apart as real runs are on a machine with other load. */
static const struct simulated_run few_ticks = {300, 0.06, 0.02, 1, 0, false},
                                  some_ticks = {3000, 0.06, 0.02, 1, 0, false},
                                  many_ticks = {30000, 0.06, 0.02, 1, 0, false};

static void identical_runs(void) {
  static const struct asked asked[] = {{"b.self - a.self", NULL},
                                       {"b.self / a.self", NULL},
                                       {"b.total - a.total", NULL},
                                       {NULL, "b.total > a.total and b.total_share > 0.05"},
                                       {NULL, "b.self > a.self"}};
  enum { ASKED = sizeof asked / sizeof *asked };
  const struct simulated_run *const runs[] = {&few_ticks, &some_ticks, &many_ticks};
  struct claimed claimed[ASKED];
  open_simulated(1, 12);
  for (int r = 0; r < 3; r++) {
    claims_of(asked, ASKED, 100, runs[r], runs[r], claimed);
    for (int i = 0; i < ASKED; i++)
      check_at_most(asked[i].fail_if ? asked[i].fail_if : asked[i].expression,
                    claimed[i].found + claimed[i].others, 5, claimed[i].pairs);
  }
  close_both();
}

static void a_function_is_slower(void) {
  static const struct asked asked[] = {{"b.self - a.self", NULL}, {NULL, "b.self > a.self"}};
  struct simulated_run slower = many_ticks;
  struct claimed claimed[2];
  slower.slower = 1.25;
  open_simulated(1, 0xe8d8a60aa0340ad6);
  claims_of(asked, 2, 40, &many_ticks, &slower, claimed);
  for (int i = 0; i < 2; i++) {
    CHECK(claimed[i].found > claimed[i].pairs / 2);
    check_at_most(i ? "others that fail" : "others than the slower one", claimed[i].others,
                  most_by_chance(claimed[i].pairs), claimed[i].pairs);
  }
  close_both();
}

/* ---- several runs ---- */

/* Five runs a side, of a program that takes half a minute. */
static const struct simulated_run five_quiet = {50000, 0.02, 0.008, 1, 5, true},
                                  five_loaded = {30000, 0.08, 0.03, 1, 5, true};

static const struct asked by_self = {"b.self - a.self", NULL};

static void identical_repeated_runs(void) {
  const struct simulated_run *const runs[] = {&five_quiet, &five_loaded};
  open_simulated(5, 0xd00feef966a823fb);
  for (int r = 0; r < 2; r++) {
    struct claimed claimed;
    claims_of(&by_self, 1, 100, runs[r], runs[r], &claimed);
    check_at_most("five runs, by self", claimed.found + claimed.others, 5, claimed.pairs);
  }
  close_both();
}

/* A function is found that became 5 % slower: 1 % of the whole. */
static void a_repeated_function_is_slower(void) {
  struct simulated_run slower = five_quiet;
  slower.slower = 1.05;
  open_simulated(5, 0x48d75fe31952fa55);
  struct claimed claimed;
  claims_of(&by_self, 1, 40, &five_quiet, &slower, &claimed);
  CHECK(claimed.found >= 36);
  check_at_most("others than the slower one", claimed.others, most_by_chance(claimed.pairs),
                claimed.pairs);
  close_both();
}

/* Five runs of one function, all `slower`, with a spread of a few per cent. */
static void merged_rows(char *rows, size_t size, double slower, bool runs) {
  static const double parts[] = {0.98, 1.01, 1, 0.99, 1.02};
  int used = snprintf(
      rows, size,
      "INSERT INTO raw_functions VALUES(1, 'f', NULL, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, %1$.0f,"
      " %1$.0f - 1000000, %1$.0f + 1000000, 1, %1$.0f, %1$.0f - 1000000,"
      " %1$.0f + 1000000, 1, NULL, NULL, 1);"
      "UPDATE raw_runs SET sampled_ns = %2$.0f;",
      5e9 * slower, runs ? 1e9 * slower * parts[0] : 5e9 * slower);
  for (int run = 1; run < 5 && runs; run++)
    used += snprintf(rows + used, size - (size_t)used,
                     "CREATE TEMP TABLE another AS SELECT * FROM raw_runs WHERE id = 1;"
                     "UPDATE another SET id = %d, sampled_ns = %.0f;"
                     "INSERT INTO raw_runs SELECT * FROM another; DROP TABLE another;",
                     run + 1, 1e9 * slower * parts[run]);
}

static const char *judged(double slower, bool runs) {
  const struct comparison comparison = {ENTRY_FUNCTIONS, 1, 2, NULL, "b.self > a.self", NAN};
  static char rows[2][4096], text[32];
  struct compared compared = {0};
  for (int side = 0; side < 2; side++) {
    merged_rows(rows[side], sizeof rows[side], side ? slower : 1, runs);
    profile_with(side, evidence_sampled, rows[side]);
  }
  open_both();
  CHECK_EQUAL(comparison_run(&workspace, &comparison, &compared, &error), 0);
  CHECK_EQUAL(compared.spread.measured, runs);
  snprintf(text, sizeof text, "%d %d", compared.values[0].stands_out, compared.values[0].failed);
  compared_free(&compared);
  close_both();
  return text;
}

/* One run on each side says nothing of the whole's spread; five do. */
static void runs_tell_of_the_whole(void) {
  CHECK_TEXT(judged(1.12, false), "0 0");
  CHECK_TEXT(judged(1.12, true), "1 1");
  CHECK_TEXT(judged(1.01, true), "0 0");
  CHECK_TEXT(judged(1.4, false), "1 1");
}

int main(void) {
  identical_runs();
  a_function_is_slower();
  identical_repeated_runs();
  a_repeated_function_is_slower();
  runs_tell_of_the_whole();
  return check_result();
}
