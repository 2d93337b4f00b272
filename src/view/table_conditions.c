#include "view/table_conditions.h"

#include <string.h>

bool table_has_column(sqlite3_stmt *statement, const char *name) {
  for (int i = 0; i < sqlite3_column_count(statement); i++)
    if (strcmp(sqlite3_column_name(statement, i), name) == 0) return true;
  return false;
}

static bool are_numbers(const char *text) {
  return *text && !text[strspn(text, "0123456789,")];
}

/* Columns are those of the rows, numbers are digits and commas; texts are bound. */
static int add_condition(struct table_query *query, sqlite3_stmt *shape,
                         const struct parameter *asked, sqlite3_str *where) {
  const char *column = asked->name + strlen("is.");
  if (!table_has_column(shape, column))
    return error_set(query->error, "the table has no column %.100s", column);
  if (are_numbers(asked->value) && asked->value[strlen(asked->value) - 1] != ',' &&
      asked->value[0] != ',' && !strstr(asked->value, ",,")) {
    sqlite3_str_appendf(where, " AND \"%w\" IN (%s)", column, asked->value);
    return 0;
  }
  query->values[query->value_count++] = asked->value;
  sqlite3_str_appendf(where, " AND \"%w\" = ?%d", column, (int)query->value_count);
  return 0;
}

static void add_filter(struct table_query *query, sqlite3_str *where) {
  const char *filter = table_query_text(query, "filter");
  if (!filter || !*filter) return;
  query->values[query->value_count++] = filter;
  sqlite3_str_appendf(where, " AND instr(lower(%s), lower(?%d)) > 0", query->texts,
                      (int)query->value_count);
}

int table_conditions(struct table_query *query, sqlite3_stmt *shape, sqlite3_str *where) {
  add_filter(query, where);
  for (size_t i = 0; i < query->parameters->count; i++) {
    const struct parameter *asked = &query->parameters->items[i];
    if (strncmp(asked->name, "is.", 3) == 0 && add_condition(query, shape, asked, where) != 0)
      return -1;
  }
  return 0;
}

/* What is not known comes last. */
int table_order(struct table_query *query, sqlite3_stmt *shape, sqlite3_str *order) {
  const char *sort = table_query_sort(query);
  if (!table_has_column(shape, sort))
    return error_set(query->error, "the table has no column %.100s", sort);
  sqlite3_str_appendf(order, " ORDER BY \"%w\" %s NULLS LAST", sort,
                      table_query_up(query) ? "ASC" : "DESC");
  return 0;
}
