/* libFuzzer target: what users type as an expression. Aborts when a text that passes the check does
 * not stay between its parentheses, or may do more than read. */
#include "compare/expression.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct workspace *prepared_workspace(void) {
  static struct workspace workspace;
  struct error error;
  if (workspace.database) return &workspace;
  require(workspace_open(&workspace, &error) == 0);
  require(workspace_run(&workspace, &error, "CREATE TABLE a(calls REAL, self REAL, name TEXT)") ==
          0);
  return &workspace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct workspace *workspace = prepared_workspace();
  struct error error;
  sqlite3_stmt *statement = NULL;
  char *text = strndup((const char *)data, size);
  require(text != NULL);
  if (expression_check(text, &error) == 0) {
    expression_begin(workspace);
    int result = workspace_prepare(workspace, &statement, &error,
                                   "SELECT (%s\n) FROM a WHERE name = 'end'", text);
    expression_end(workspace);
    if (result == 0) {
      const char *sql = sqlite3_sql(statement); /* one statement: all of the text */
      require(sqlite3_stmt_readonly(statement) && sqlite3_column_count(statement) == 1);
      require(strcmp(sql + strlen(sql) - strlen("name = 'end'"), "name = 'end'") == 0);
    }
    sqlite3_finalize(statement);
  }
  free(text);
  return 0;
}
