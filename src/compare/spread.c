#include "compare/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/ids.h"
#include "compare/student.h"

/* Standard deviations from run to run, as parts, where too few runs tell of them. Measured on a
 * machine with other load (docs/BENCHMARKS.md): of the whole 3.5 to 8 %, of most
 * functions' shares 1.3 to 3 %. */
static const double WHOLE_DEVIATION = 0.07, OWN_DEVIATION = 0.03;
/* Where runs tell: not less than this, as they are few. */
static const double LEAST_OWN_DEVIATION = 0.005;
static const double Z95 = 1.96;
enum { FEWEST_FREEDOM = 3 }; /* of a deviation that is measured */

struct side {
  bool steady; /* what the program does, not how long that takes: its runs are alike */
  int runs;
  double whole, deviation; /* NaN: not known */
};

static int read_side(struct workspace *workspace, size_t profile, struct side *side,
                     struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT sampled, runs, coalesce(run_deviation, -1), evidence IN"
                        " ('counted', 'sized') FROM profile WHERE id = %d",
                        (int)profile) != 0)
    return -1;
  int result = sqlite3_step(row) == SQLITE_ROW ? 0 : workspace_error(workspace, error);
  side->whole = sqlite3_column_double(row, 0);
  side->runs = sqlite3_column_int(row, 1);
  side->deviation = sqlite3_column_double(row, 2);
  side->steady = sqlite3_column_int(row, 3);
  sqlite3_finalize(row);
  return result;
}

/* The deviation of one run's whole, at 95 %: pooled, where enough runs tell of it. */
static double whole_of_one(const struct side sides[2], bool *measured) {
  double squares = 0;
  int freedom = 0;
  for (int i = 0; i < 2; i++) {
    if (sides[i].runs < 2 || !(sides[i].deviation >= 0)) continue;
    freedom += sides[i].runs - 1;
    squares += (sides[i].runs - 1) * sides[i].deviation * sides[i].deviation;
  }
  *measured = freedom >= FEWEST_FREEDOM;
  return *measured ? student((size_t)freedom) * sqrt(squares / freedom) : Z95 * WHOLE_DEVIATION;
}

/* ---- how far single functions lie apart ---- */

/* By function, over all runs: the variance of the sum of self times of runs that all had the mean
 * whole, and the part of it that ticks explain, both as parts of the square of that sum. Runs
 * without the function have 0. Only functions that ticks tell enough of. */
static const char own_sql[] =
    "WITH r AS (SELECT id, sampled_ns * 1.0 / (SELECT avg(sampled_ns) FROM p%1$d.runs) AS part"
    " FROM p%1$d.runs)"
    " SELECT seen / (self * self), ticks / (self * self) FROM (SELECT total(s) AS self,"
    " max(total(s * s) - total(s) * total(s) / runs, 0) * runs / (runs - 1) AS seen,"
    " pow(max(f.self_high_ns - f.self_ns, f.self_ns - f.self_low_ns) / 1.96, 2) AS ticks"
    " FROM (SELECT c.function, c.self_ns / r.part AS s, (SELECT runs FROM profile WHERE id = %1$d)"
    "  AS runs FROM p%1$d.raw_run_costs c JOIN r ON r.id = c.run) JOIN p%1$d.raw_functions f"
    " ON f.id = function GROUP BY function) WHERE ticks > 0 AND ticks < 0.0025 * self * self";

/* How far a function's share varies from run to run. */
struct variation {
  double seen, ticks; /* variances of the sum of runs: in all, and that which ticks explain */
  int runs;
};

struct variations {
  struct variation *items;
  size_t count;
};

static int read_variations(struct workspace *workspace, size_t profile, int runs,
                           struct variations *all, struct error *error) {
  sqlite3_stmt *row = NULL;
  char sql[1536];
  int step;
  snprintf(sql, sizeof sql, own_sql, (int)profile);
  if (workspace_prepare(workspace, &row, error, "%s", sql) != 0) return -1;
  while ((step = sqlite3_step(row)) == SQLITE_ROW) {
    all->items = memory_resized(all->items, all->count + 1, sizeof *all->items);
    all->items[all->count++] =
        (struct variation){sqlite3_column_double(row, 0), sqlite3_column_double(row, 1), runs};
  }
  int result = step == SQLITE_DONE ? 0 : workspace_error(workspace, error);
  sqlite3_finalize(row);
  return result;
}

static double expected(const struct variation *variation, double own) {
  return variation->ticks + own / variation->runs;
}

/* The slope of the likelihood of `own`, the variance of one run's share beyond ticks: what is seen
 * is distributed as chi-square about what is expected. */
static double slope(const struct variations *all, double own) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i++) {
    const struct variation *one = &all->items[i];
    double mean = expected(one, own);
    sum += (one->runs - 1) * (one->seen - mean) / (mean * mean) / one->runs;
  }
  return sum;
}

static double most_likely(const struct variations *all) {
  double low = 0, high = 1; /* a deviation of 100 % */
  if (slope(all, 0) <= 0) return 0;
  for (int step = 0; step < 50; step++) {
    double middle = (low + high) / 2;
    *(slope(all, middle) > 0 ? &low : &high) = middle;
  }
  return low;
}

/* Of one run, as whole_of_one. */
static int find_own(struct workspace *workspace, const size_t profiles[2],
                    const struct side sides[2], struct spread *spread, struct error *error) {
  struct variations all = {0};
  double deviation = OWN_DEVIATION;
  int result = 0, freedom = 0;
  for (int i = 0; result == 0 && i < 2; i++) {
    size_t before = all.count;
    if (!spread->measured || sides[i].runs < 2) continue;
    result = read_variations(workspace, profiles[i], sides[i].runs, &all, error);
    if (all.count > before) freedom += sides[i].runs - 1;
  }
  if (freedom >= FEWEST_FREEDOM) deviation = fmax(sqrt(most_likely(&all)), LEAST_OWN_DEVIATION);
  for (int i = 0; i < 2; i++)
    spread->own[i] = Z95 * deviation / sqrt(sides[i].runs);
  free(all.items);
  return result;
}

int spread_find(struct workspace *workspace, size_t first, size_t second, struct spread *spread,
                struct error *error) {
  const size_t profiles[] = {first, second};
  struct side sides[2];
  if (read_side(workspace, first, &sides[0], error) != 0 ||
      read_side(workspace, second, &sides[1], error) != 0)
    return -1;
  *spread = (struct spread){.ratio = 1, .runs = {sides[0].runs, sides[1].runs}};
  if (sides[0].steady || sides[1].steady || sides[0].runs < 1 || sides[1].runs < 1) return 0;
  spread->whole =
      whole_of_one(sides, &spread->measured) * sqrt(1.0 / sides[0].runs + 1.0 / sides[1].runs);
  if (find_own(workspace, profiles, sides, spread, error) != 0) return -1;
  double apart = log(sides[1].whole / sides[0].whole);
  if (isfinite(apart)) spread->ratio = exp(fmax(-spread->whole, fmin(apart, spread->whole)));
  return 0;
}

/* ---- functions of merged profiles ---- */

/* By function, over all runs: the deviations of self and total, of the sum of runs that all had the
 * mean whole. Runs without the function have 0. */
static const char deviations_sql[] =
    "WITH r AS (SELECT id, sampled_ns * 1.0 / (SELECT avg(sampled_ns) FROM p%1$d.runs) AS part"
    " FROM p%1$d.runs), n AS (SELECT runs, scale FROM profile WHERE id = %1$d)"
    " SELECT function, scale * sqrt(max(total(s * s) - total(s) * total(s) / runs, 0)"
    "  * runs / (runs - 1)),"
    " scale * sqrt(max(total(t * t) - total(t) * total(t) / runs, 0) * runs / (runs - 1)),"
    " scale * total(s), scale * total(t)"
    " FROM (SELECT c.function, c.self_ns / r.part AS s, c.total_ns / r.part AS t"
    "  FROM p%1$d.raw_run_costs c JOIN r ON r.id = c.run), n GROUP BY function ORDER BY function";

/* Few runs tell little of one function's spread, so its variance is drawn towards that of all
 * functions (Smyth, "Linear models and empirical Bayes methods", 2004: moderated t), as if that
 * were known of so many runs more. With 4, 2 % of simulated pairs of identical runs have a false
 * claim; with an estimate that goes up to 30, up to 8 % (tests/unit/judgement.c has the model). */
enum { FREEDOM_OF_ALL = 4 };

/* `own`: what is added to the uncertainty later. */
static void widen(double *uncertainties, size_t place, double deviation, double own, int runs) {
  if (!uncertainties || !(uncertainties[place] > 0)) return;
  double ticks = uncertainties[place];
  double all = (ticks * ticks + own * own) / (Z95 * Z95);
  int freedom = FREEDOM_OF_ALL + runs - 1;
  double variance = (FREEDOM_OF_ALL * all + (runs - 1) * deviation * deviation) / freedom;
  double t = student((size_t)freedom), square = t * t * variance - own * own;
  if (square > ticks * ticks) uncertainties[place] = sqrt(square);
}

int spread_widen(const struct spread *spread, int side, struct workspace *workspace, size_t profile,
                 struct entry_figures *figures, struct error *error) {
  sqlite3_stmt *row = NULL;
  char sql[1024];
  int runs = spread->runs[side], step;
  if (spread->whole == 0 || runs <= FEWEST_FREEDOM) return 0;
  snprintf(sql, sizeof sql, deviations_sql, (int)profile);
  if (workspace_prepare(workspace, &row, error, "%s", sql) != 0) return -1;
  double own = spread->own[side];
  while ((step = sqlite3_step(row)) == SQLITE_ROW) {
    size_t place = ids_find(figures->ids, figures->count, sqlite3_column_int64(row, 0));
    if (place == figures->count) continue;
    widen(figures->of[FIGURE_SELF_UNCERTAINTY], place, sqlite3_column_double(row, 1),
          own * sqlite3_column_double(row, 3), runs);
    widen(figures->of[FIGURE_TOTAL_UNCERTAINTY], place, sqlite3_column_double(row, 2),
          own * sqlite3_column_double(row, 4), runs);
  }
  int result = step == SQLITE_DONE ? 0 : workspace_error(workspace, error);
  sqlite3_finalize(row);
  return result;
}
