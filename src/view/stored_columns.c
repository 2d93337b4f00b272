#include "view/stored_columns.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- what is kept ---- */

static struct column *find(struct stored_columns *columns, size_t profile, const char *table,
                           const char *name) {
  for (size_t i = 0; i < columns->count; i++) {
    struct column *column = &columns->items[i];
    if (column->profile == profile && strcmp(column->table, table) == 0 &&
        strcmp(column->name, name) == 0)
      return column;
  }
  return NULL;
}

static void drop_oldest(struct stored_columns *columns) {
  struct column *oldest = columns->items;
  for (size_t i = 1; i < columns->count; i++)
    if (columns->items[i].used < oldest->used) oldest = &columns->items[i];
  free(oldest->values);
  *oldest = columns->items[--columns->count];
}

/* Room for what comes, but not by dropping what is asked for now.  Its rows are not counted yet:
 * they are taken to be as many as the most that there are. */
static void make_room(struct stored_columns *columns, size_t coming) {
  for (;;) {
    size_t count = 0, most = 0, old = 0;
    for (size_t i = 0; i < columns->count; i++) {
      const struct column *column = &columns->items[i];
      count += column->count;
      if (column->count > most) most = column->count;
      old += column->used != columns->uses;
    }
    size_t bytes = (count + coming * most) * sizeof(double);
    if (!old || (columns->count + coming <= COLUMNS_MOST && bytes <= COLUMNS_BYTES)) return;
    drop_oldest(columns);
  }
}

/* ---- reading ---- */

struct reading {
  sqlite3_stmt *rows;
  double *values[COLUMNS_ASKED];
  size_t columns, count;
};

static void take_row(struct reading *reading) {
  for (size_t i = 0; i < reading->columns; i++) {
    sqlite3_value *value = sqlite3_column_value(reading->rows, (int)i);
    bool known = sqlite3_value_type(value) != SQLITE_NULL;
    ARRAY_GROW(reading->values[i], reading->count);
    reading->values[i][reading->count] = known ? sqlite3_value_double(value) : NAN;
  }
  reading->count++;
}

static int prepare(struct reading *reading, struct workspace *workspace, const char *sql,
                   const char *const *names, struct error *error) {
  sqlite3_str *list = sqlite3_str_new(NULL);
  for (size_t i = 0; i < reading->columns; i++)
    sqlite3_str_appendf(list, "%s\"%w\"", i ? "," : "", names[i]);
  char *text = sqlite3_str_finish(list);
  int result =
      text ? workspace_prepare(workspace, &reading->rows, error, "SELECT %s FROM (%s)", text, sql)
           : error_set(error, "out of memory");
  sqlite3_free(text);
  return result;
}

static int read_rows(struct reading *reading, struct workspace *workspace, struct error *error) {
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(reading->rows)) == SQLITE_ROW)
    take_row(reading);
  return step == SQLITE_DONE ? 0 : workspace_error(workspace, error);
}

static int load(struct stored_columns *columns, struct workspace *workspace, size_t profile,
                const char *table, const char *sql, const char *const *names, size_t missing,
                struct error *error) {
  struct reading reading = {.columns = missing};
  make_room(columns, missing);
  int result = prepare(&reading, workspace, sql, names, error);
  if (result == 0) result = read_rows(&reading, workspace, error);
  sqlite3_finalize(reading.rows);
  for (size_t i = 0; i < missing; i++) {
    if (result != 0) {
      free(reading.values[i]);
      continue;
    }
    struct column *column = &columns->items[columns->count++];
    *column = (struct column){.profile = profile,
                              .table = table,
                              .values = reading.values[i],
                              .count = reading.count,
                              .used = columns->uses};
    snprintf(column->name, sizeof column->name, "%s", names[i]);
  }
  return result;
}

void columns_release(struct stored_columns *columns) {
  columns->uses++;
}

int columns_take(struct stored_columns *columns, struct workspace *workspace, size_t profile,
                 const char *table, const char *sql, const char *const *names, size_t asked,
                 const double **values, size_t *count, struct error *error) {
  const char *missing[COLUMNS_ASKED];
  size_t missing_count = 0;
  for (size_t i = 0; i < asked; i++) {
    struct column *column = find(columns, profile, table, names[i]);
    bool twice = false;
    for (size_t k = 0; k < missing_count; k++)
      twice |= strcmp(missing[k], names[i]) == 0;
    if (column)
      column->used = columns->uses;
    else if (!twice)
      missing[missing_count++] = names[i];
  }
  if (missing_count &&
      load(columns, workspace, profile, table, sql, missing, missing_count, error) != 0)
    return -1;
  for (size_t i = 0; i < asked; i++) {
    const struct column *column = find(columns, profile, table, names[i]);
    values[i] = column->values;
    *count = column->count;
  }
  return 0;
}

void columns_free(struct stored_columns *columns) {
  for (size_t i = 0; i < columns->count; i++)
    free(columns->items[i].values);
  columns->count = 0;
}
