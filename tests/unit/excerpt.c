/* A part of a source text, in one line. */
#include "compare/excerpt.h"

#include "check.h"
#include "compare/workspace.h"

static struct workspace workspace;
static struct error error;

/* Each text is another file of profile 1. */
static const char *excerpt_at(const char *text, int line, int column, const char *end) {
  static char found[256];
  sqlite3_stmt *row = NULL;
  CHECK_EQUAL(workspace_run(&workspace, &error, "INSERT OR IGNORE INTO p1.sources VALUES(%Q, %Q)",
                            text, text),
              0);
  CHECK_EQUAL(workspace_prepare(&workspace, &row, &error, "SELECT excerpt(1, %Q, %d, %d, %s)", text,
                                line, column, end),
              0);
  CHECK_EQUAL(sqlite3_step(row), SQLITE_ROW);
  const char *value = (const char *)sqlite3_column_text(row, 0);
  snprintf(found, sizeof found, "%s", value ? value : "(null)");
  sqlite3_finalize(row);
  return found;
}

static const char *excerpt_of(const char *text, int line, int column, int end_line,
                              int end_column) {
  char end[64];
  snprintf(end, sizeof end, "%d, %d", end_line, end_column);
  return excerpt_at(text, line, column, end);
}

static const char *line_of(const char *text, int line) {
  return excerpt_at(text, line, 0, "NULL, NULL");
}

int main(void) {
  static const char text[] = "int f(int n) {\n  if (n < 0 ||\n      g(n))\n    return n;\n"
                             "  switch (n) { case 1: ; }\n}";
  char wide[512] = "\xc3\xa4";
  CHECK_EQUAL(workspace_open(&workspace, &error), 0);
  CHECK_EQUAL(workspace_run(&workspace, &error, "ATTACH ':memory:' AS p1"), 0);
  CHECK_EQUAL(workspace_run(&workspace, &error,
                            "CREATE TABLE p1.sources(path TEXT PRIMARY KEY, text TEXT)"),
              0);
  CHECK_TEXT(excerpt_of(text, 2, 7, 2, 12), "n < 0");
  CHECK_TEXT(excerpt_of(text, 2, 6, 2, 7), "(n < 0 || g(n))");
  CHECK_TEXT(excerpt_of(text, 2, 3, 2, 5), "if (n < 0 || g(n))");
  CHECK_TEXT(excerpt_of(text, 5, 3, 5, 9), "switch (n)");
  CHECK_TEXT(excerpt_of(text, 4, 12, 4, 13), "n");
  CHECK_TEXT(excerpt_of(text, 6, 1, 6, 2), "}");
  CHECK_TEXT(excerpt_of(text, 7, 1, 7, 2), "(null)");
  CHECK_TEXT(excerpt_of(text, 2, 900, 2, 901), "(null)");
  CHECK_TEXT(excerpt_of(text, 0, 1, 1, 2), "(null)");
  CHECK_TEXT(excerpt_of(text, 2, 12, 2, 7), "(null)");
  CHECK_TEXT(excerpt_of("v[f(i)] + 1", 1, 2, 1, 3), "[f(i)]");
  CHECK_TEXT(excerpt_of("(((", 1, 1, 1, 2), "(");
  CHECK_TEXT(excerpt_of("(f n (- n 1)) ; in a file.ss", 1, 4, 1, 5), "n");
  CHECK_TEXT(line_of(text, 1), "int f(int n) {");
  CHECK_TEXT(line_of(text, 3), "      g(n))");
  CHECK_TEXT(line_of(text, 6), "}");
  CHECK_TEXT(line_of(text, 7), "(null)");
  CHECK_TEXT(line_of("a\n\nb\n", 2), "(null)");
  CHECK_TEXT(line_of("a\n\nb\r\n", 3), "b");
  for (int i = 0; i < 120; i++)
    strcpy(wide + 2 * i, "\xc3\xa4");
  CHECK_EQUAL(strlen(excerpt_of(wide, 1, 1, 1, 240)), 160 + 3);
  wide[1] = 'x', wide[0] = 'x', memmove(wide, wide + 1, sizeof wide - 1);
  CHECK_EQUAL(strlen(excerpt_of(wide, 1, 1, 1, 240)), 159 + 3);
  CHECK_EQUAL(strlen(line_of(wide, 1)), 159 + 3);
  workspace_close(&workspace);
  return check_result();
}
