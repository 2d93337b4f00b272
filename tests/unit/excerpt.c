/* A part of a source text, in one line. */
#include "compare/excerpt.h"

#include "check.h"
#include "compare/workspace.h"

static struct workspace workspace;
static struct error error;

static const char *excerpt_of(const char *text, int line, int column, int end_line,
                              int end_column) {
  static char found[256];
  sqlite3_stmt *row = NULL;
  CHECK_EQUAL(workspace_prepare(&workspace, &row, &error, "SELECT excerpt(%Q, %d, %d, %d, %d)",
                                text, line, column, end_line, end_column),
              0);
  CHECK_EQUAL(sqlite3_step(row), SQLITE_ROW);
  const char *value = (const char *)sqlite3_column_text(row, 0);
  snprintf(found, sizeof found, "%s", value ? value : "(null)");
  sqlite3_finalize(row);
  return found;
}

int main(void) {
  static const char text[] = "int f(int n) {\n  if (n < 0 ||\n      g(n))\n    return n;\n"
                             "  switch (n) { case 1: ; }\n}";
  char wide[512] = "\xc3\xa4";
  CHECK_EQUAL(workspace_open(&workspace, &error), 0);
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
  CHECK_TEXT(excerpt_of("(((", 1, 1, 1, 2), "(");
  for (int i = 0; i < 120; i++)
    strcpy(wide + 2 * i, "\xc3\xa4");
  CHECK_EQUAL(strlen(excerpt_of(wide, 1, 1, 1, 240)), 160 + 3);
  wide[1] = 'x', wide[0] = 'x', memmove(wide, wide + 1, sizeof wide - 1);
  CHECK_EQUAL(strlen(excerpt_of(wide, 1, 1, 1, 240)), 159 + 3);
  workspace_close(&workspace);
  return check_result();
}
