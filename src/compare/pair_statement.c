#include "compare/pair_statement.h"

#include <stdio.h>
#include <string.h>

#include "compare/expression.h"

/* With the numbers of the parameters.  From a table of one row, as SQLite then puts the parameters
 * where the expression has the columns. */
static const char side_sql[] =
    "(SELECT ?%d AS calls, ?%d AS recursive_calls, ?%d AS ticks, ?%d AS total_ticks, ?%d AS self,"
    " ?%d AS total, ?%d AS self_uncertainty, ?%d AS total_uncertainty, ?%d AS whole,"
    " ?%d AS present, ?%d AS name, ?%d AS caller_name, ?%d AS object, ?%d AS file, ?%d AS line,"
    " ?%d AS source_column, ?%d AS way,"
    " ?%d AS count, ?%d - ?%d AS child, ?%d / ?%d AS share, ?%d / ?%d AS total_share FROM one) AS "
    "%c";

static void write_side(char side, char *text, size_t size) {
  int p = side == 'b' ? 1 + PAIR_PARTS : 1;
  snprintf(text, size, side_sql, p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7,
           p + PAIR_PART_WHOLE, p + PAIR_PART_PRESENT, p + PAIR_PART_NAME,
           p + PAIR_PART_CALLER_NAME, p + PAIR_PART_OBJECT, p + PAIR_PART_FILE, p + PAIR_PART_LINE,
           p + PAIR_PART_COLUMN, p + PAIR_PART_WAY, p + FIGURE_CALLS, p + FIGURE_TOTAL,
           p + FIGURE_SELF, p + FIGURE_SELF, p + PAIR_PART_WHOLE, p + FIGURE_TOTAL,
           p + PAIR_PART_WHOLE, side);
}

/* Blames the condition, if there is one. */
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
    result = error_set(&reason, "only one expression is allowed");
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

int pair_statement_prepare(struct workspace *workspace, const char *expression,
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

struct pair_used pair_used_by(const char *expression, const char *condition) {
#define MENTIONS(word) mentions(expression, condition, word)
  bool self = MENTIONS("self") || MENTIONS("child") || MENTIONS("share");
  bool total = MENTIONS("total") || MENTIONS("child");
  return (struct pair_used){.figures = {[FIGURE_CALLS] = MENTIONS("calls") || MENTIONS("count"),
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
