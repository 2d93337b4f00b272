#include "compare/expression.h"

#include <stdbool.h>
#include <string.h>

#include "base/begins.h"

/* ---- the text ---- */

enum { MOST_BYTES = 4000 };

/* The end of a quoted part that begins at `at`, or null. */
static const char *quote_end(const char *at) {
  char end = *at == '[' ? ']' : *at;
  for (at++; *at; at++) {
    if (*at != end) continue;
    if (end == ']' || at[1] != end) return at;
    at++; /* doubled: stands for itself */
  }
  return NULL;
}

int expression_check(const char *text, struct error *error) {
  int depth = 0;
  if (strlen(text) > MOST_BYTES)
    return error_set(error, "the expression is longer than %d bytes", MOST_BYTES);
  if (!text[strspn(text, " \t\n")]) return error_set(error, "the expression is empty");
  for (const char *at = text; *at; at++) {
    if (strchr("'\"`[", *at)) {
      const char *begin = at;
      at = quote_end(at);
      if (!at) return error_set(error, "%c is not closed", *begin);
    } else if ((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*')) {
      return error_set(error, "an expression has no comments (write - -1, not --1)");
    } else if (strchr(";?@#$:", *at)) {
      return error_set(error, "%c is not allowed in an expression", *at);
    } else if (*at == '(') {
      depth++;
    } else if (*at == ')' && depth-- == 0) {
      return error_set(error, ") without (");
    }
  }
  return depth ? error_set(error, "( is not closed") : 0;
}

/* ---- what is wrong with it ---- */

/* The text stands between parentheses of ours, so SQLite misses what is missing at its end. */
void expression_explain(struct error *reason) {
  struct error said = *reason;
  const char *name;
  if ((name = text_after(said.text, "ambiguous column name: ")))
    error_set(reason, "%s of which profile: a.%s or b.%s?", name, name, name);
  else if ((name = text_after(said.text, "no such column: ")) && !strchr(name, '.'))
    error_set(reason, "no such column: %s (names begin with a. or b., texts stand in '')", name);
  else if (strcmp(said.text, "near \")\": syntax error") == 0)
    error_set(reason, "something is missing at its end, or before a )");
  else if (strcmp(said.text, "row value misused") == 0)
    error_set(reason, "only one expression is allowed");
  else if ((name = text_after(said.text, "not authorized to use function: ")))
    error_set(reason, "%s() cannot be used: an expression sees one entry of each profile", name);
}

/* ---- what its value is ---- */

enum token { TOKEN_END, TOKEN_AMOUNT, TOKEN_NUMBER, TOKEN_OTHER }; /* or an operator's letter */

static int next_token(const char **at) {
  static const char *const amounts[] = {"self", "total", "child"};
  *at += strspn(*at, " \t\n");
  if (!**at) return TOKEN_END;
  size_t length = strspn(*at, "0123456789.");
  if (length) return *at += length, TOKEN_NUMBER;
  if (strchr("+-*/()", **at)) return *(*at)++;
  const char *word = *at;
  length = strcspn(word, " \t\n+-*/()");
  *at += length;
  for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
    if ((word[0] == 'a' || word[0] == 'b') && word[1] == '.' && strlen(amounts[i]) == length - 2 &&
        strncmp(word + 2, amounts[i], length - 2) == 0)
      return TOKEN_AMOUNT;
  return TOKEN_OTHER;
}

/* A number is right beside * or behind /, and nothing else is multiplied or divided by. */
bool expression_is_amount(const char *text) {
  int before = TOKEN_END, here = TOKEN_END, after = next_token(&text);
  bool any = false;
  while (after != TOKEN_END || here != TOKEN_END) {
    if (here == TOKEN_OTHER) return false;
    if (here == TOKEN_NUMBER && before != '*' && before != '/' && after != '*') return false;
    if (here == '*' && before != TOKEN_NUMBER && after != TOKEN_NUMBER) return false;
    if (here == '/' && (after != TOKEN_NUMBER || before == TOKEN_NUMBER)) return false;
    any |= here == TOKEN_AMOUNT;
    before = here;
    here = after;
    if (after != TOKEN_END) after = next_token(&text);
  }
  return any;
}

/* ---- what it may do ---- */

static bool function_allowed(const char *name) {
  static const char *const known[] = {
      "abs",      "acos", "asin",   "atan",      "atan2", "base_name", "ceil",  "ceiling",
      "coalesce", "cos",  "exp",    "floor",     "glob",  "ifnull",    "iif",   "instr",
      "length",   "like", "ln",     "log",       "log10", "log2",      "lower", "max",
      "min",      "mod",  "nullif", "pi",        "pow",   "power",     "round", "sign",
      "sin",      "sqrt", "substr", "substring", "tan",   "trim",      "trunc", "upper"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (sqlite3_stricmp(name, known[i]) == 0) return true;
  return false;
}

static int authorize(void *unused, int action, const char *first, const char *second,
                     const char *database, const char *trigger) {
  switch (action) {
  case SQLITE_SELECT:
    return SQLITE_OK;
  case SQLITE_READ: /* of a table in memory, or of a subquery, which has no database */
    if (database && strcmp(database, "main") != 0) return SQLITE_DENY;
    return sqlite3_strnicmp(first, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
  case SQLITE_FUNCTION:
    return function_allowed(second) ? SQLITE_OK : SQLITE_DENY;
  default:
    return SQLITE_DENY;
  }
}

void expression_begin(struct workspace *workspace) {
  sqlite3_set_authorizer(workspace->database, authorize, NULL);
  sqlite3_limit(workspace->database, SQLITE_LIMIT_EXPR_DEPTH, 200);
}

void expression_end(struct workspace *workspace) {
  sqlite3_set_authorizer(workspace->database, NULL, NULL);
}
