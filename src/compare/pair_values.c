#include "compare/pair_values.h"

#include <math.h>

#include "compare/ids.h"
#include "store/database.h"

/* ---- one evaluation ---- */

/* Where the figures of both sides are: sampled ones moved by so many of their uncertainties, b's
 * times multiplied by a factor, and at last everything. */
struct move {
  double self[2], total[2], scale_b, factor;
};

static const double Z95 = 1.96;
static const struct move NO_MOVE = {.scale_b = 1, .factor = 1};

/* With what differs from run to run; exact figures stay exact. */
static double uncertainty_of(const struct pair_values *values, int which, bool total) {
  const struct pair_side *side = &values->sides[which];
  double sampled = side->of[total ? FIGURE_TOTAL_UNCERTAINTY : FIGURE_SELF_UNCERTAINTY];
  double own = values->spread.own[which] * side->of[total ? FIGURE_TOTAL : FIGURE_SELF];
  return sampled == 0 ? 0 : sqrt(sampled * sampled + own * own);
}

static double moved(double value, double uncertainty, double by) {
  if (by == 0) return value;
  double there = value + by * uncertainty;
  return there < 0 ? 0 : there; /* NaN stays */
}

static double figure_moved(const struct pair_values *values, int which, int figure,
                           const struct move *move) {
  double value = values->sides[which].of[figure];
  double scale = which ? move->scale_b : 1;
  switch (figure) {
  case FIGURE_SELF:
    return scale * moved(value, uncertainty_of(values, which, false), move->self[which]);
  case FIGURE_TOTAL:
    return scale * moved(value, uncertainty_of(values, which, true), move->total[which]);
  case FIGURE_SELF_UNCERTAINTY:
  case FIGURE_TOTAL_UNCERTAINTY:
    return scale * value;
  default:
    return value;
  }
}

/* What is NaN is bound as NULL. */
static void bind_side(const struct pair_values *values, int which, const struct move *move) {
  const struct pair_side *side = &values->sides[which];
  int first = 1 + which * PAIR_PARTS;
  double scale = which ? move->scale_b : 1;
  for (int figure = 0; figure < ENTRY_FIGURES; figure++)
    if (values->used.figures[figure])
      sqlite3_bind_double(values->statement, first + figure,
                          move->factor * figure_moved(values, which, figure, move));
  sqlite3_bind_double(values->statement, first + PAIR_PART_WHOLE,
                      move->factor * scale * side->whole);
  sqlite3_bind_int(values->statement, first + PAIR_PART_PRESENT, side->present);
}

/* NaN: no number. */
static int evaluate(const struct pair_values *values, const struct move *move, double *value,
                    enum truth *holds) {
  sqlite3_stmt *row = values->statement;
  bind_side(values, 0, move);
  bind_side(values, 1, move);
  if (database_step(row) != SQLITE_ROW) {
    workspace_error(values->workspace, values->error);
    sqlite3_reset(row);
    return -1;
  }
  int type = sqlite3_column_type(row, 0);
  double number = sqlite3_column_double(row, 0);
  *value = (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && isfinite(number) ? number : NAN;
  if (holds && sqlite3_column_type(row, 1) == SQLITE_NULL)
    *holds = TRUTH_UNKNOWN;
  else if (holds)
    *holds = sqlite3_column_double(row, 1) != 0;
  sqlite3_reset(row);
  return 0;
}

/* Whether the figure is looked at and is not exact. */
static bool moves(const struct pair_values *values, int which, bool total) {
  return values->used.figures[total ? FIGURE_TOTAL : FIGURE_SELF] &&
         uncertainty_of(values, which, total) != 0;
}

/* The squares of how far the figure's two moves go below and above. *known: false if its
 * uncertainty matters, and is not known. */
static int add_move(const struct pair_values *values, double here, int which, bool total,
                    double *below, double *above, bool *known) {
  if (!moves(values, which, total)) return 0;
  double least = here, most = here, there;
  bool any = false;
  for (int way = -1; way <= 1; way += 2) {
    struct move move = NO_MOVE;
    *(total ? &move.total[which] : &move.self[which]) = way;
    if (evaluate(values, &move, &there, NULL) != 0) return -1;
    if (isnan(there)) continue;
    least = fmin(least, there);
    most = fmax(most, there);
    any = true;
  }
  *below += (here - least) * (here - least);
  *above += (most - here) * (most - here);
  *known &= any;
  return 0;
}

/* The interval holds the value as it is, and that of wholes which are nearer to each other; where
 * most functions differ by one factor, it is the uncertainty of the latter that counts. */
static int find_interval(const struct pair_values *values, struct compared_value *value) {
  double below = 0, above = 0, scaled;
  bool known = true;
  for (int figure = 0; figure < 4 && known; figure++)
    if (add_move(values, value->value, figure & 1, figure > 1, &below, &above, &known) != 0)
      return -1;
  if (!known) return 0;
  struct move move = {.scale_b = 1 / values->spread.ratio, .factor = 1};
  if (evaluate(values, &move, &scaled, NULL) != 0) return -1;
  double here = value->value, least, most;
  if (isnan(scaled)) scaled = here;
  if (values->spread.common) {
    least = fmin(here, scaled - sqrt(below));
    most = fmax(here, scaled + sqrt(above));
  } else {
    least = fmin(here, scaled) - sqrt(below);
    most = fmax(here, scaled) + sqrt(above);
  }
  value->below = (float)(here - least);
  value->above = (float)(most - here);
  return 0;
}

/* One value that changes is enough to know. */
static int try_doubling(struct pair_values *values, double here) {
  double there;
  if (values->changed || isnan(here) || here == 0) return 0;
  if (evaluate(values, &(struct move){.scale_b = 1, .factor = 2}, &there, NULL) != 0) return -1;
  if (isnan(there)) return 0;
  bool kept = fabs(there - here) <= 1e-9 * fabs(here);
  values->kept |= kept;
  values->changed |= !kept;
  return 0;
}

/* ---- entries ---- */

/* Whether the profile has the entry. */
static bool take_entry(struct pair_side *side, int64_t id) {
  const struct entry_figures *figures = &side->figures;
  size_t place = id == ENTRY_NONE ? figures->count : ids_find(figures->ids, figures->count, id);
  side->present = place < figures->count;
  for (int i = 0; i < ENTRY_FIGURES && side->present; i++)
    if (figures->of[i]) side->of[i] = figures->of[i][place];
  return side->present;
}

/* What an entry that one profile lacks has there: nothing, of which as much is known as of the
 * other's. */
static void take_nothing(struct pair_side *side, const struct pair_side *other) {
  for (int i = 0; i < ENTRY_FIGURES; i++)
    side->of[i] = other->of[i] * 0;
  if (!side->counts_calls) side->of[FIGURE_CALLS] = NAN;
  if (!side->counts) side->of[FIGURE_RECURSIVE_CALLS] = NAN;
  side->of[FIGURE_SELF_UNCERTAINTY] = side->of[FIGURE_TOTAL_UNCERTAINTY] = side->unseen;
}

/* Each side has its own texts, and where it has none the other's. */
static int bind_texts(const struct pair_values *values, const struct entry_pair *pair) {
  const int64_t ids[] = {pair->a, pair->b};
  for (int i = 0; i < 2; i++) {
    sqlite3_bind_int64(values->sides[i].texts, 1, ids[i]);
    int step = database_step(values->sides[i].texts);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
      return workspace_error(values->workspace, values->error);
  }
  for (int i = 0; i < 2; i++)
    for (int part = PAIR_PART_TEXTS; part < PAIR_PARTS; part++) {
      int column = part - PAIR_PART_TEXTS;
      sqlite3_stmt *own = values->sides[i].texts, *other = values->sides[!i].texts;
      sqlite3_value *text = sqlite3_data_count(own) ? sqlite3_column_value(own, column) : NULL;
      if ((!text || sqlite3_value_type(text) == SQLITE_NULL) && sqlite3_data_count(other))
        text = sqlite3_column_value(other, column);
      if (text)
        sqlite3_bind_value(values->statement, 1 + i * PAIR_PARTS + part, text);
      else
        sqlite3_bind_null(values->statement, 1 + i * PAIR_PARTS + part);
    }
  for (int i = 0; i < 2; i++)
    sqlite3_reset(values->sides[i].texts);
  return 0;
}

static int take_pair(struct pair_values *values, const struct entry_pair *pair) {
  struct pair_side *a = &values->sides[0], *b = &values->sides[1];
  bool in_a = take_entry(a, pair->a), in_b = take_entry(b, pair->b);
  if (!in_a) take_nothing(a, b);
  if (!in_b) take_nothing(b, a);
  return values->used.texts ? bind_texts(values, pair) : 0;
}

/* ---- how far a claim holds ---- */

enum { DIRECTIONS = 16 };

/* Whether the claim holds with these figures. */
static int holds_there(const struct pair_values *values, const struct pair_claim *claim,
                       const struct move *move, bool *holds) {
  double there;
  enum truth condition;
  if (evaluate(values, move, &there, &condition) != 0) return -1;
  *holds = claim->side == 0 ? condition == TRUTH_YES
           : isnan(there)   ? true /* such as a quotient by what may be nothing */
                            : claim->side * (there - claim->neutral) > 0;
  return 0;
}

/* Both sides' figures in one direction; `signs`: self and total of a side together, or apart. */
static int holds_towards(const struct pair_values *values, const struct pair_claim *claim, double a,
                         double b, int signs, bool *holds) {
  double by[2] = {a, b}, totals[2] = {signs & 1 ? -a : a, signs & 2 ? -b : b};
  struct move move = {{by[0], by[1]}, {totals[0], totals[1]}, 1, 1};
  bool as_it_is = !values->spread.common || (a == 0 && b == 0);
  *holds = true;
  if (as_it_is && holds_there(values, claim, &move, holds) != 0) return -1;
  if (!*holds || (as_it_is && values->spread.ratio == 1)) return 0;
  move.scale_b = 1 / values->spread.ratio;
  return holds_there(values, claim, &move, holds);
}

static int holds_within(const struct pair_values *values, const struct pair_claim *claim, double z,
                        bool *holds) {
  bool both = values->used.figures[FIGURE_SELF] && values->used.figures[FIGURE_TOTAL];
  *holds = true;
  for (int direction = 0; *holds && direction < DIRECTIONS; direction++) {
    double angle = 2 * M_PI * direction / DIRECTIONS, by = z / Z95;
    for (int signs = 0; *holds && signs < (both ? 4 : 1); signs++)
      if (holds_towards(values, claim, by * cos(angle), by * sin(angle), signs, holds) != 0)
        return -1;
  }
  return 0;
}

/* Steps of an eighth are fine enough: a probability is never below the true one. */
static double step_z(int step) {
  return Z95 + 0.125 * step;
}

enum { STEPS = 36 }; /* the last: one in a hundred million */

static bool all_exact(const struct pair_values *values) {
  for (int figure = 0; figure < 4; figure++)
    if (moves(values, figure & 1, figure > 1)) return false;
  return true;
}

int pair_values_reach(struct pair_values *values, const struct entry_pair *pair,
                      const struct pair_claim *claim, double *z) {
  bool holds;
  int low = -1, high = STEPS; /* it holds at low, and not at high */
  if (take_pair(values, pair) != 0 || holds_towards(values, claim, 0, 0, 0, &holds) != 0) return -1;
  *z = 0;
  if (!holds) return 0;
  *z = INFINITY;
  if (all_exact(values)) return 0;
  while (high - low > 1) {
    int step = (low + high) / 2;
    if (holds_within(values, claim, step_z(step), &holds) != 0) return -1;
    *(holds ? &low : &high) = step;
  }
  *z = low < 0 ? 0 : step_z(low);
  return 0;
}

int pair_values_seen(struct pair_values *values, const struct entry_pair *pair, bool *seen) {
  *seen = false;
  if (take_pair(values, pair) != 0) return -1;
  for (int figure = 0; figure < 4; figure++) {
    int which = figure & 1, total = figure > 1;
    double amount = values->sides[which].of[total ? FIGURE_TOTAL : FIGURE_SELF];
    *seen |= moves(values, which, total) && !(amount <= uncertainty_of(values, which, total));
  }
  return 0;
}

/* The corners: all of a's and all of b's figures together, to either end. */
int pair_values_might(struct pair_values *values, const struct entry_pair *pair, bool *might) {
  const struct pair_claim condition = {0};
  *might = false;
  if (take_pair(values, pair) != 0) return -1;
  if (all_exact(values)) return 0;
  for (int corner = 0; corner < 4 && !*might; corner++)
    if (holds_towards(values, &condition, corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, 0, might) != 0)
      return -1;
  return 0;
}

/* ---- all of it ---- */

int pair_values_of(struct pair_values *values, const struct entry_pair *pair,
                   struct compared_value *value) {
  enum truth holds;
  if (take_pair(values, pair) != 0) return -1;
  *value = (struct compared_value){NAN, NAN, NAN, TRUTH_UNKNOWN, TRUTH_UNKNOWN};
  if (evaluate(values, &NO_MOVE, &value->value, &holds) != 0 ||
      try_doubling(values, value->value) != 0)
    return -1;
  value->failed = (signed char)holds;
  return isnan(value->value) ? 0 : find_interval(values, value);
}

static int open_side(struct pair_values *values, int which, size_t profile,
                     enum compared_kind kind) {
  struct workspace *workspace = values->workspace;
  struct pair_side *side = &values->sides[which];
  sqlite3_stmt *row = NULL;
  if (entry_figures_read(workspace, profile, kind, values->used.figures, &side->figures,
                         values->error) != 0 ||
      (kind == ENTRY_FUNCTIONS && spread_widen(&values->spread, which, workspace, profile,
                                               &side->figures, values->error) != 0) ||
      workspace_prepare(workspace, &row, values->error,
                        "SELECT whole, unseen, counts, executions FROM profile WHERE id = %d",
                        (int)profile) != 0)
    return -1;
  if (database_step(row) == SQLITE_ROW) {
    side->whole = sqlite3_column_double(row, 0);
    side->unseen = sqlite3_column_type(row, 1) == SQLITE_NULL ? NAN : sqlite3_column_double(row, 1);
    bool executed = kind == ENTRY_LINES || kind == ENTRY_EXPRESSIONS;
    side->counts = sqlite3_column_int(row, 2);
    side->counts_calls = executed ? sqlite3_column_int(row, 3) : side->counts;
    side->counts_calls |= entry_is_of_heap(kind);
  }
  sqlite3_finalize(row);
  if (!values->used.texts) return 0;
  return entry_texts_prepare(workspace, &side->texts, profile, kind, values->error);
}

int pair_values_prepare(struct pair_values *values, const char *expression, const char *condition) {
  values->used = pair_used_by(expression, condition);
  return pair_statement_prepare(values->workspace, expression, condition, &values->statement,
                                values->error);
}

int pair_values_open(struct pair_values *values, size_t first, size_t second,
                     enum compared_kind kind) {
  if (spread_find(values->workspace, first, second, &values->spread, values->error) != 0) return -1;
  return open_side(values, 0, first, kind) != 0 ? -1 : open_side(values, 1, second, kind);
}

void pair_values_close(struct pair_values *values) {
  sqlite3_finalize(values->statement);
  for (int i = 0; i < 2; i++) {
    entry_figures_free(&values->sides[i].figures);
    sqlite3_finalize(values->sides[i].texts);
  }
}
