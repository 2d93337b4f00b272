#include "compare/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/expression.h"
#include "compare/ids.h"

const char comparison_columns[] =
    "calls, recursive_calls, self, total, child, ticks, total_ticks, share, total_share, whole,\n"
    "self_uncertainty, total_uncertainty, name, caller_name, object, file, line, source_column,\n"
    "way, present";

/* ---- the statement ---- */

/* What is bound of each side: figures first, in the order of enum entry_figure. */
enum {
  PART_WHOLE = ENTRY_FIGURES,
  PART_PRESENT,
  PART_TEXTS,
  PART_NAME = PART_TEXTS,
  PART_CALLER_NAME,
  PART_OBJECT,
  PART_FILE,
  PART_LINE,
  PART_COLUMN,
  PART_WAY,
  PARTS
};

/* With the numbers of the parameters.  From a table of one row, as SQLite then puts the parameters
 * where the expression has the columns. */
static const char side_sql[] =
    "(SELECT ?%d AS calls, ?%d AS recursive_calls, ?%d AS ticks, ?%d AS total_ticks, ?%d AS self,"
    " ?%d AS total, ?%d AS self_uncertainty, ?%d AS total_uncertainty, ?%d AS whole,"
    " ?%d AS present, ?%d AS name, ?%d AS caller_name, ?%d AS object, ?%d AS file, ?%d AS line,"
    " ?%d AS source_column, ?%d AS way,"
    " ?%d - ?%d AS child, ?%d / ?%d AS share, ?%d / ?%d AS total_share FROM one) AS %c";

static void write_side(char side, char *text, size_t size) {
  int p = side == 'b' ? 1 + PARTS : 1;
  snprintf(text, size, side_sql, p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7, p + PART_WHOLE,
           p + PART_PRESENT, p + PART_NAME, p + PART_CALLER_NAME, p + PART_OBJECT, p + PART_FILE,
           p + PART_LINE, p + PART_COLUMN, p + PART_WAY, p + FIGURE_TOTAL, p + FIGURE_SELF,
           p + FIGURE_SELF, p + PART_WHOLE, p + FIGURE_TOTAL, p + PART_WHOLE, side);
}

/* Of the two the condition, if there is one, is at fault. */
static int prepare_both(struct workspace *workspace, const char *expression, const char *condition,
                        sqlite3_stmt **statement, struct error *error) {
  struct error reason;
  char a[1024], b[1024];
  write_side('a', a, sizeof a);
  write_side('b', b, sizeof b);
  expression_begin(workspace);
  int result =
      workspace_prepare(workspace, statement, &reason,
                        "SELECT (%s\n), (%s\n) FROM %s CROSS JOIN %s", expression, condition, a, b);
  expression_end(workspace);
  if (result == 0 && sqlite3_column_count(*statement) != 2)
    result = error_set(&reason, "one expression only, not several");
  else if (result != 0)
    expression_explain(&reason);
  const char *wrong = strcmp(condition, "0") == 0 ? expression : condition;
  return result == 0 ? 0 : error_set(error, "%.200s: %s", wrong, reason.text);
}

static int check_text(const char *text, struct error *error) {
  struct error reason;
  if (expression_check(text, &reason) == 0) return 0;
  return error_set(error, "%.200s: %s", text, reason.text);
}

static int prepare_values(struct workspace *workspace, const char *expression,
                          const char *condition, sqlite3_stmt **statement, struct error *error) {
  if (check_text(expression, error) != 0 || check_text(condition, error) != 0 ||
      workspace_run(workspace, error,
                    "CREATE TABLE IF NOT EXISTS one(number INTEGER PRIMARY KEY);"
                    "INSERT OR IGNORE INTO one VALUES(1);") != 0 ||
      prepare_both(workspace, expression, "0", statement, error) != 0)
    return -1;
  if (strcmp(condition, "0") == 0) return 0;
  sqlite3_finalize(*statement);
  *statement = NULL;
  return prepare_both(workspace, expression, condition, statement, error);
}

/* ---- what the expressions look at ---- */

/* Whether the word stands in one of them: what does not cannot be looked at, but by subqueries. */
static bool mentions(const char *expression, const char *condition, const char *word) {
  return strcasestr(expression, word) || strcasestr(condition, word) ||
         strcasestr(expression, "select") || strcasestr(condition, "select");
}

struct used {
  bool figures[ENTRY_FIGURES];
  bool texts;
};

static struct used find_used(const char *expression, const char *condition) {
#define MENTIONS(word) mentions(expression, condition, word)
  bool self = MENTIONS("self") || MENTIONS("child") || MENTIONS("share");
  bool total = MENTIONS("total") || MENTIONS("child");
  return (struct used){.figures = {[FIGURE_CALLS] = MENTIONS("calls"),
                                   [FIGURE_RECURSIVE_CALLS] = MENTIONS("recursive_calls"),
                                   [FIGURE_TICKS] = MENTIONS("ticks"),
                                   [FIGURE_TOTAL_TICKS] = MENTIONS("total_ticks"),
                                   [FIGURE_SELF] = self,
                                   [FIGURE_TOTAL] = total,
                                   [FIGURE_SELF_UNCERTAINTY] = self,
                                   [FIGURE_TOTAL_UNCERTAINTY] = total},
                       .texts = MENTIONS("name") || MENTIONS("object") || MENTIONS("file") ||
                                MENTIONS("line") || MENTIONS("column") || MENTIONS("way")};
#undef MENTIONS
}

/* ---- one pair ---- */

struct side {
  struct entry_figures figures;
  double whole, unseen;      /* NaN: not known */
  sqlite3_stmt *texts;       /* of an entry; null: not needed */
  bool counts, counts_calls; /* calls of functions; what `calls` are of these entries */
  bool present;
  double of[ENTRY_FIGURES]; /* of the pair's entry */
};

struct evaluation {
  struct workspace *workspace;
  struct error *error;
  sqlite3_stmt *statement;
  struct used used;
  struct side sides[2];
  /* What doubling everything did to values that are not 0, which tells nothing. */
  bool kept, changed;
};

/* Moves the sampled figures of both sides by so many uncertainties, and all amounts by a factor. */
struct move {
  double self[2], total[2], factor;
};

static double moved(double value, double uncertainty, double by) {
  if (by == 0) return value;
  double there = value + by * uncertainty;
  return there < 0 ? 0 : there; /* NaN stays */
}

static double figure_moved(const struct side *side, int figure, const struct move *move,
                           int which) {
  double value = side->of[figure];
  if (figure == FIGURE_SELF)
    value = moved(value, side->of[FIGURE_SELF_UNCERTAINTY], move->self[which]);
  if (figure == FIGURE_TOTAL)
    value = moved(value, side->of[FIGURE_TOTAL_UNCERTAINTY], move->total[which]);
  return value * move->factor;
}

/* What is NaN is bound as NULL. */
static void bind_side(const struct evaluation *evaluation, int which, const struct move *move) {
  const struct side *side = &evaluation->sides[which];
  int first = 1 + which * PARTS;
  for (int figure = 0; figure < ENTRY_FIGURES; figure++)
    if (evaluation->used.figures[figure])
      sqlite3_bind_double(evaluation->statement, first + figure,
                          figure_moved(side, figure, move, which));
  sqlite3_bind_double(evaluation->statement, first + PART_WHOLE, side->whole * move->factor);
  sqlite3_bind_int(evaluation->statement, first + PART_PRESENT, side->present);
}

/* NaN: no number. */
static int evaluate(const struct evaluation *evaluation, const struct move *move, double *value,
                    enum truth *holds) {
  sqlite3_stmt *row = evaluation->statement;
  bind_side(evaluation, 0, move);
  bind_side(evaluation, 1, move);
  if (sqlite3_step(row) != SQLITE_ROW) {
    workspace_error(evaluation->workspace, evaluation->error);
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
static int add_move(const struct evaluation *evaluation, double here, int which, bool total,
                    double *below, double *above, bool *known) {
  const struct side *side = &evaluation->sides[which];
  if (!evaluation->used.figures[total ? FIGURE_TOTAL : FIGURE_SELF]) return 0;
  if (side->of[total ? FIGURE_TOTAL_UNCERTAINTY : FIGURE_SELF_UNCERTAINTY] == 0) return 0;
  double least = here, most = here, there;
  bool any = false;
  for (int way = -1; way <= 1; way += 2) {
    struct move move = {.factor = 1};
    *(total ? &move.total[which] : &move.self[which]) = way;
    if (evaluate(evaluation, &move, &there, NULL) != 0) return -1;
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

static int find_interval(const struct evaluation *evaluation, struct compared_value *value) {
  double below = 0, above = 0;
  bool known = true;
  for (int figure = 0; figure < 4 && known; figure++)
    if (add_move(evaluation, value->value, figure & 1, figure > 1, &below, &above, &known) != 0)
      return -1;
  if (!known) return 0;
  value->below = (float)sqrt(below);
  value->above = (float)sqrt(above);
  return 0;
}

/* One value that changes is enough to know. */
static int try_doubling(struct evaluation *evaluation, double here) {
  double there;
  if (evaluation->changed || isnan(here) || here == 0) return 0;
  if (evaluate(evaluation, &(struct move){.factor = 2}, &there, NULL) != 0) return -1;
  if (isnan(there)) return 0;
  bool kept = fabs(there - here) <= 1e-9 * fabs(here);
  evaluation->kept |= kept;
  evaluation->changed |= !kept;
  return 0;
}

/* All of a's and all of b's figures together, to either end. */
static int try_corners(const struct evaluation *evaluation, enum truth *holds) {
  double unused;
  for (int corner = 0; corner < 4 && *holds == TRUTH_YES; corner++) {
    double a = corner & 1 ? 1 : -1, b = corner & 2 ? 1 : -1;
    if (evaluate(evaluation, &(struct move){{a, b}, {a, b}, 1}, &unused, holds) != 0) return -1;
    if (*holds == TRUTH_UNKNOWN) *holds = TRUTH_NO;
  }
  return 0;
}

static int compare_pair(struct evaluation *evaluation, struct compared_value *value) {
  enum truth holds;
  *value = (struct compared_value){NAN, NAN, NAN, TRUTH_UNKNOWN, TRUTH_UNKNOWN};
  if (evaluate(evaluation, &(struct move){.factor = 1}, &value->value, &holds) != 0 ||
      try_corners(evaluation, &holds) != 0 || try_doubling(evaluation, value->value) != 0)
    return -1;
  value->failed = (signed char)holds;
  return isnan(value->value) ? 0 : find_interval(evaluation, value);
}

/* ---- its entries ---- */

/* Whether the profile has the entry. */
static bool take_entry(struct side *side, int64_t id) {
  const struct entry_figures *figures = &side->figures;
  size_t place = id == ENTRY_NONE ? figures->count : ids_find(figures->ids, figures->count, id);
  side->present = place < figures->count;
  for (int i = 0; i < ENTRY_FIGURES && side->present; i++)
    if (figures->of[i]) side->of[i] = figures->of[i][place];
  return side->present;
}

/* What an entry that one profile lacks has there: nothing, of which as much is known as of the
 * other's. */
static void take_nothing(struct side *side, const struct side *other) {
  for (int i = 0; i < ENTRY_FIGURES; i++)
    side->of[i] = other->of[i] * 0;
  if (!side->counts_calls) side->of[FIGURE_CALLS] = NAN;
  if (!side->counts) side->of[FIGURE_RECURSIVE_CALLS] = NAN;
  side->of[FIGURE_SELF_UNCERTAINTY] = side->of[FIGURE_TOTAL_UNCERTAINTY] = side->unseen;
}

/* Each side has its own texts, and where it has none the other's. */
static int bind_texts(const struct evaluation *evaluation, const struct entry_pair *pair) {
  const int64_t ids[] = {pair->a, pair->b};
  for (int i = 0; i < 2; i++) {
    sqlite3_bind_int64(evaluation->sides[i].texts, 1, ids[i]);
    int step = sqlite3_step(evaluation->sides[i].texts);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
      return workspace_error(evaluation->workspace, evaluation->error);
  }
  for (int i = 0; i < 2; i++)
    for (int part = PART_TEXTS; part < PARTS; part++) {
      int column = part - PART_TEXTS;
      sqlite3_stmt *own = evaluation->sides[i].texts, *other = evaluation->sides[!i].texts;
      sqlite3_value *text = sqlite3_data_count(own) ? sqlite3_column_value(own, column) : NULL;
      if ((!text || sqlite3_value_type(text) == SQLITE_NULL) && sqlite3_data_count(other))
        text = sqlite3_column_value(other, column);
      if (text)
        sqlite3_bind_value(evaluation->statement, 1 + i * PARTS + part, text);
      else
        sqlite3_bind_null(evaluation->statement, 1 + i * PARTS + part);
    }
  for (int i = 0; i < 2; i++)
    sqlite3_reset(evaluation->sides[i].texts);
  return 0;
}

static int take_pair(struct evaluation *evaluation, const struct entry_pair *pair) {
  struct side *a = &evaluation->sides[0], *b = &evaluation->sides[1];
  bool in_a = take_entry(a, pair->a), in_b = take_entry(b, pair->b);
  if (!in_a) take_nothing(a, b);
  if (!in_b) take_nothing(b, a);
  return evaluation->used.texts ? bind_texts(evaluation, pair) : 0;
}

/* ---- all pairs ---- */

static int open_side(struct evaluation *evaluation, int which, size_t profile,
                     enum compared_kind kind) {
  struct workspace *workspace = evaluation->workspace;
  struct side *side = &evaluation->sides[which];
  sqlite3_stmt *row = NULL;
  if (entry_figures_read(workspace, profile, kind, evaluation->used.figures, &side->figures,
                         evaluation->error) != 0 ||
      workspace_prepare(workspace, &row, evaluation->error,
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
  if (!evaluation->used.texts) return 0;
  return entry_texts_prepare(workspace, &side->texts, profile, kind, evaluation->error);
}

static void close_side(struct side *side) {
  entry_figures_free(&side->figures);
  sqlite3_finalize(side->texts);
}

static int compare_pairs(struct evaluation *evaluation, struct compared *compared) {
  const struct entry_pairs *pairs = &compared->pairs;
  compared->values = malloc((pairs->count + 1) * sizeof *compared->values);
  if (!compared->values) return error_set(evaluation->error, "out of memory");
  evaluation->workspace->pauses = 0;
  for (size_t i = 0; i < pairs->count; i++)
    if (take_pair(evaluation, &pairs->items[i]) != 0 ||
        compare_pair(evaluation, &compared->values[i]) != 0)
      return -1;
  return 0;
}

static void judge(struct compared *compared) {
  double neutral = compared->neutral;
  for (size_t i = 0; i < compared->pairs.count; i++) {
    struct compared_value *value = &compared->values[i];
    if (isnan(value->below)) continue;
    value->stands_out = value->value - value->below > neutral ||
                        value->value + value->above < neutral ||
                        (value->below == 0 && value->above == 0 && value->value != neutral);
  }
}

static int take_pairs(struct workspace *workspace, const struct comparison *comparison,
                      struct compared *compared, struct error *error) {
  free(compared->values);
  compared->values = NULL;
  if (compared->pairs.items && compared->kind == comparison->kind &&
      compared->first == comparison->first && compared->second == comparison->second)
    return 0;
  compared_free(compared);
  compared->kind = comparison->kind;
  compared->first = comparison->first;
  compared->second = comparison->second;
  if (match_entries(workspace, comparison->kind, comparison->first, comparison->second,
                    &compared->pairs, error) == 0)
    return 0;
  compared_free(compared);
  return -1;
}

int comparison_run(struct workspace *workspace, const struct comparison *comparison,
                   struct compared *compared, struct error *error) {
  const char *expression = comparison->expression ? comparison->expression : "b.self - a.self";
  const char *condition = comparison->fail_if ? comparison->fail_if : "0";
  struct evaluation evaluation = {
      .workspace = workspace, .error = error, .used = find_used(expression, condition)};
  int result = prepare_values(workspace, expression, condition, &evaluation.statement, error);
  if (result == 0) result = take_pairs(workspace, comparison, compared, error);
  if (result == 0) result = open_side(&evaluation, 0, comparison->first, comparison->kind);
  if (result == 0) result = open_side(&evaluation, 1, comparison->second, comparison->kind);
  if (result == 0) result = compare_pairs(&evaluation, compared);
  sqlite3_finalize(evaluation.statement);
  close_side(&evaluation.sides[0]);
  close_side(&evaluation.sides[1]);
  if (result != 0) {
    free(compared->values);
    compared->values = NULL;
    return -1;
  }
  bool ratio = evaluation.kept && !evaluation.changed;
  compared->neutral = isnan(comparison->neutral) ? ratio : comparison->neutral;
  judge(compared);
  return 0;
}

void compared_free(struct compared *compared) {
  entry_pairs_free(&compared->pairs);
  free(compared->values);
  *compared = (struct compared){0};
}

/* Where no id is left out it is found at once. */
size_t compared_find(const struct compared *compared, int64_t id) {
  const struct entry_pair *items = compared->pairs.items;
  size_t count = compared->pairs.count, low = 0, high = count;
  if (!count || id == ENTRY_NONE) return count;
  if (id >= items[0].a && (uint64_t)id - (uint64_t)items[0].a < count) {
    size_t ahead = (size_t)((uint64_t)id - (uint64_t)items[0].a);
    if (items[ahead].a == id) return ahead;
  }
  while (low < high) { /* what only b has is last */
    size_t middle = low + (high - low) / 2;
    if (items[middle].a != ENTRY_NONE && items[middle].a < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && items[low].a == id ? low : count;
}

/* ---- as a table ---- */

static void bind_id(sqlite3_stmt *insert, int parameter, int64_t id) {
  if (id == ENTRY_NONE)
    sqlite3_bind_null(insert, parameter);
  else
    sqlite3_bind_int64(insert, parameter, id);
}

static void bind_truth(sqlite3_stmt *insert, int parameter, signed char truth) {
  if (truth == TRUTH_UNKNOWN)
    sqlite3_bind_null(insert, parameter);
  else
    sqlite3_bind_int(insert, parameter, truth);
}

static int put_pair(struct workspace *workspace, sqlite3_stmt *insert,
                    const struct compared *compared, size_t place, struct error *error) {
  const struct compared_value *value = &compared->values[place];
  bind_id(insert, 1, compared->pairs.items[place].a);
  bind_id(insert, 2, compared->pairs.items[place].b);
  sqlite3_bind_double(insert, 3, value->value);
  sqlite3_bind_double(insert, 4, value->value - value->below);
  sqlite3_bind_double(insert, 5, value->value + value->above);
  bind_truth(insert, 6, value->stands_out);
  bind_truth(insert, 7, value->failed);
  int result = sqlite3_step(insert) == SQLITE_DONE ? 0 : workspace_error(workspace, error);
  sqlite3_reset(insert);
  return result;
}

int compared_table(struct workspace *workspace, const struct compared *compared,
                   const uint32_t *which, size_t count, struct error *error) {
  sqlite3_stmt *insert = NULL;
  if (!which) count = compared->pairs.count;
  if (workspace_run(workspace, error,
                    "DROP TABLE IF EXISTS compared;"
                    "CREATE TABLE compared(a INTEGER, b INTEGER, value REAL, low REAL, high REAL,"
                    " stands_out INTEGER, failed INTEGER);"
                    "DROP TABLE IF EXISTS comparing; CREATE TABLE comparing(neutral REAL);"
                    "INSERT INTO comparing VALUES(%!.17g); BEGIN",
                    compared->neutral) != 0)
    return -1;
  int result =
      workspace_prepare(workspace, &insert, error, "INSERT INTO compared VALUES(?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < count; i++)
    result = put_pair(workspace, insert, compared, which ? which[i] : i, error);
  sqlite3_finalize(insert);
  sqlite3_exec(workspace->database, result == 0 ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
  if (result != 0) return -1;
  return workspace_run(workspace, error, "CREATE INDEX compared_a ON compared(a)");
}
