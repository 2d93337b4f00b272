#include "compare/pair_values.h"

#include <math.h>

#include "compare/ids.h"

/* ---- one evaluation ---- */

/* Moves the sampled figures of both sides by so many uncertainties, and all amounts by a factor. */
struct move {
  double self[2], total[2], factor;
};

static double moved(double value, double uncertainty, double by) {
  if (by == 0) return value;
  double there = value + by * uncertainty;
  return there < 0 ? 0 : there; /* NaN stays */
}

static double figure_moved(const struct pair_side *side, int figure, const struct move *move,
                           int which) {
  double value = side->of[figure];
  if (figure == FIGURE_SELF)
    value = moved(value, side->of[FIGURE_SELF_UNCERTAINTY], move->self[which]);
  if (figure == FIGURE_TOTAL)
    value = moved(value, side->of[FIGURE_TOTAL_UNCERTAINTY], move->total[which]);
  return value * move->factor;
}

/* What is NaN is bound as NULL. */
static void bind_side(const struct pair_values *values, int which, const struct move *move) {
  const struct pair_side *side = &values->sides[which];
  int first = 1 + which * PAIR_PARTS;
  for (int figure = 0; figure < ENTRY_FIGURES; figure++)
    if (values->used.figures[figure])
      sqlite3_bind_double(values->statement, first + figure,
                          figure_moved(side, figure, move, which));
  sqlite3_bind_double(values->statement, first + PAIR_PART_WHOLE, side->whole * move->factor);
  sqlite3_bind_int(values->statement, first + PAIR_PART_PRESENT, side->present);
}

/* NaN: no number. */
static int evaluate(const struct pair_values *values, const struct move *move, double *value,
                    enum truth *holds) {
  sqlite3_stmt *row = values->statement;
  bind_side(values, 0, move);
  bind_side(values, 1, move);
  if (sqlite3_step(row) != SQLITE_ROW) {
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

/* The squares of how far the figure's two moves go below and above. *known: false if its
 * uncertainty matters, and is not known. */
static int add_move(const struct pair_values *values, double here, int which, bool total,
                    double *below, double *above, bool *known) {
  const struct pair_side *side = &values->sides[which];
  if (!values->used.figures[total ? FIGURE_TOTAL : FIGURE_SELF]) return 0;
  if (side->of[total ? FIGURE_TOTAL_UNCERTAINTY : FIGURE_SELF_UNCERTAINTY] == 0) return 0;
  double least = here, most = here, there;
  bool any = false;
  for (int way = -1; way <= 1; way += 2) {
    struct move move = {.factor = 1};
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

static int find_interval(const struct pair_values *values, struct compared_value *value) {
  double below = 0, above = 0;
  bool known = true;
  for (int figure = 0; figure < 4 && known; figure++)
    if (add_move(values, value->value, figure & 1, figure > 1, &below, &above, &known) != 0)
      return -1;
  if (!known) return 0;
  value->below = (float)sqrt(below);
  value->above = (float)sqrt(above);
  return 0;
}

/* One value that changes is enough to know. */
static int try_doubling(struct pair_values *values, double here) {
  double there;
  if (values->changed || isnan(here) || here == 0) return 0;
  if (evaluate(values, &(struct move){.factor = 2}, &there, NULL) != 0) return -1;
  if (isnan(there)) return 0;
  bool kept = fabs(there - here) <= 1e-9 * fabs(here);
  values->kept |= kept;
  values->changed |= !kept;
  return 0;
}

/* All of a's and all of b's figures together, to either end. */
static int try_corners(const struct pair_values *values, enum truth *holds) {
  double unused;
  for (int corner = 0; corner < 4 && *holds == TRUTH_YES; corner++) {
    double a = corner & 1 ? 1 : -1, b = corner & 2 ? 1 : -1;
    if (evaluate(values, &(struct move){{a, b}, {a, b}, 1}, &unused, holds) != 0) return -1;
    if (*holds == TRUTH_UNKNOWN) *holds = TRUTH_NO;
  }
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
    int step = sqlite3_step(values->sides[i].texts);
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

/* ---- all of it ---- */

int pair_values_of(struct pair_values *values, const struct entry_pair *pair,
                   struct compared_value *value) {
  enum truth holds;
  if (take_pair(values, pair) != 0) return -1;
  *value = (struct compared_value){NAN, NAN, NAN, TRUTH_UNKNOWN, TRUTH_UNKNOWN};
  if (evaluate(values, &(struct move){.factor = 1}, &value->value, &holds) != 0 ||
      try_corners(values, &holds) != 0 || try_doubling(values, value->value) != 0)
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
      workspace_prepare(workspace, &row, values->error,
                        "SELECT whole, unseen, counts, executions FROM profile WHERE id = %d",
                        (int)profile) != 0)
    return -1;
  if (sqlite3_step(row) == SQLITE_ROW) {
    side->whole = sqlite3_column_double(row, 0);
    side->unseen = sqlite3_column_type(row, 1) == SQLITE_NULL ? NAN : sqlite3_column_double(row, 1);
    bool executed = kind == ENTRY_LINES || kind == ENTRY_EXPRESSIONS;
    side->counts = sqlite3_column_int(row, 2);
    side->counts_calls = executed ? sqlite3_column_int(row, 3) : side->counts;
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
  return open_side(values, 0, first, kind) != 0 ? -1 : open_side(values, 1, second, kind);
}

void pair_values_close(struct pair_values *values) {
  sqlite3_finalize(values->statement);
  for (int i = 0; i < 2; i++) {
    entry_figures_free(&values->sides[i].figures);
    sqlite3_finalize(values->sides[i].texts);
  }
}
