/* Tables whose columns say all (tables.h). */
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/line_counts.h"
#include "base/memory.h"
#include "store/loader.h"

static size_t rows_of(const struct profile *profile, enum stored_table table) {
  return *table_count(&stored_tables[table], (struct profile *)profile);
}

/* ---- values ---- */

static void set_number(const struct column *column, char *element, uint64_t value) {
  void *member = element + column->offset;
  switch (column->bytes) {
  case 1:
    *(bool *)member = value;
    break;
  case 4:
    *(uint32_t *)member = value;
    break;
  default:
    *(uint64_t *)member = value;
  }
}

/* How many rows a value may name: those before its own, and all that are still to come. */
static size_t rows_to_name(const struct loader *loader, enum stored_table from,
                           enum stored_table to) {
  return to > from ? NOTHING : rows_of(loader->profile, to);
}

static const char *file_of(const struct loader *loader, struct row_in *row, bool optional) {
  uint32_t id =
      optional ? get_optional_id(row, loader->file_count) : get_id(row, loader->file_count);
  return id == NOTHING ? NULL : loader->files[id];
}

static void take_value(const struct loader *loader, enum stored_table table,
                       const struct column *column, struct row_in *row, char *element) {
  struct pool *pool = loader->profile->pool;
  void *member = element + column->offset;
  switch (column->kind) {
  case COLUMN_NUMBER:
    set_number(column, element, get_number(row, column->limit));
    break;
  case COLUMN_OPTIONAL_NUMBER:
    *(uint64_t *)member = get_optional_number(row);
    break;
  case COLUMN_REAL:
    *(double *)member = get_real(row);
    break;
  case COLUMN_ID:
    *(uint32_t *)member = get_id(row, rows_to_name(loader, table, column->limit));
    break;
  case COLUMN_OPTIONAL_ID:
    *(uint32_t *)member = get_optional_id(row, rows_to_name(loader, table, column->limit));
    break;
  case COLUMN_TEXT:
    *(const char **)member = pool_string(pool, get_text(row));
    break;
  case COLUMN_OPTIONAL_TEXT:
    *(const char **)member = pool_string(pool, get_optional_text(row));
    break;
  case COLUMN_FILE:
    *(const char **)member = file_of(loader, row, false);
    break;
  case COLUMN_OPTIONAL_FILE:
    *(const char **)member = file_of(loader, row, true);
    break;
  }
}

/* ---- the sense of a row ---- */

static bool measure_is_sound(const struct profile *profile, size_t i) {
  return profile_metric(profile)->measures[i].process == i;
}

static bool slice_is_sound(const struct profile *profile, size_t i) {
  const struct profile_slice *slice = &profile->slices[i];
  bool follows = i && slice[-1].process == slice->process;
  return slice->start_ns <= slice->end_ns && (!follows || slice[-1].end_ns <= slice->start_ns);
}

static bool kind_is_sound(const struct profile *profile, size_t i) {
  const struct profile_kind *kind = &profile->kinds[i];
  return !kind->name == (kind->basis == KIND_UNKNOWN) && kind->least <= kind->most;
}

static bool transition_is_sound(const struct profile *profile, size_t i) {
  return profile->contexts[profile->transitions[i].to].length > 0;
}

static bool centre_transition_is_sound(const struct profile *profile, size_t i) {
  return transition_is_sound(profile->centres, i);
}

static bool centre_is_sound(const struct profile *profile, size_t i) {
  enum function_kind kind = profile->centres->functions[i].kind;
  profile->centres->functions[i].object = NOTHING;
  return kind <= FUNCTION_OVERFLOW;
}

static bool expression_is_sound(const struct profile *profile, size_t i) {
  const struct profile_expression *expression = &profile->expressions[i];
  return !expression->label || expression->kind == EXPRESSION_CASE;
}

static bool line_count_is_sound(const struct profile *profile, size_t i) {
  const struct profile_line_count *line = &profile->line_counts[i];
  return line->line && (i == 0 || line_counts_compare(line - 1, line) < 0);
}

static bool call_place_is_sound(const struct profile *profile, size_t i) {
  return profile->call_places[i].least <= profile->call_places[i].most;
}

static bool possible_call_is_sound(const struct profile *profile, size_t i) {
  const struct profile_possible_call *call = &profile->possible_calls[i];
  return call->least <= call->estimate && call->estimate <= call->most;
}

static bool spread_is_sound(const struct profile *profile, size_t i) {
  const struct profile_spread *spread = &profile_metric(profile)->spreads[i];
  int things =
      (spread->function != NOTHING) + (spread->line != NOTHING) + (spread->context != NOTHING);
  return things == 1 && spread->runs <= profile->run_count && spread->least <= spread->most;
}

static bool (*const is_sound[STORED_TABLES])(const struct profile *profile, size_t i) = {
    [TABLE_SLICES] = slice_is_sound,
    [TABLE_KINDS] = kind_is_sound,
    [TABLE_MEASURES] = measure_is_sound,
    [TABLE_TRANSITIONS] = transition_is_sound,
    [TABLE_CENTRES] = centre_is_sound,
    [TABLE_CENTRE_TRANSITIONS] = centre_transition_is_sound,
    [TABLE_EXPRESSIONS] = expression_is_sound,
    [TABLE_LINE_COUNTS] = line_count_is_sound,
    [TABLE_CALL_PLACES] = call_place_is_sound,
    [TABLE_POSSIBLE_CALLS] = possible_call_is_sound,
    [TABLE_SPREADS] = spread_is_sound,
};

/* ---- tables ---- */

/* What a file without the column has of it. */
static const char *absent_value(enum column_kind kind) {
  switch (kind) {
  case COLUMN_NUMBER:
    return "0";
  case COLUMN_REAL:
    return "0.0";
  case COLUMN_TEXT:
    return "''";
  default:
    return "NULL";
  }
}

/* The column as this file has it. */
static const char *column_in_file(const struct loader *loader, const char *table,
                                  const struct column *column) {
  const char *const names[] = {column->name, column->older};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i] && loader_has(loader, table, names[i])) return names[i];
  return absent_value(column->kind);
}

/* `first`: SQL of the column before those of the table, or null; `name`: of the table in the file.
 */
static char *selection(struct loader *loader, const struct table *table, const char *first,
                       const char *name) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  const char *between = "SELECT ";
  if (first) sqlite3_str_appendf(sql, "%s%s", between, first), between = ",";
  for (size_t i = 0; i < table->column_count; i++, between = ",")
    sqlite3_str_appendf(sql, "%s%s", between, column_in_file(loader, name, &table->columns[i]));
  sqlite3_str_appendf(sql, " FROM %s ORDER BY rowid", name);
  char *text = sqlite3_str_finish(sql);
  if (!text) memory_exhausted();
  return text;
}

static void take_row(struct loader *loader, struct row_in *row) {
  enum stored_table id = loader->table;
  const struct table *table = &stored_tables[id];
  struct profile *profile = loader->profile;
  if (table->of_metric) profile->metric = get_id(row, profile->metric_count);
  if (row->damaged) return;
  void **array = table_array(table, profile);
  size_t *count = table_count(table, profile);
  *array = array_grown(*array, *count + 1, table->element);
  char *element = (char *)*array + *count * table->element;
  memset(element, 0, table->element);
  if (table->numbered) loader_expect_id(row, *count);
  for (size_t i = 0; i < table->column_count; i++)
    take_value(loader, id, &table->columns[i], row, element);
  if (!row->damaged && is_sound[id] && !is_sound[id](profile, *count)) row->damaged = true;
  ++*count;
}

static int take_rows(struct loader *loader, enum stored_table id, const char *first,
                     const char *name) {
  char *sql = selection(loader, &stored_tables[id], first, name);
  loader->table = id;
  int result = loader_rows(loader, sql, take_row);
  sqlite3_free(sql);
  loader->profile->metric = 0;
  return result;
}

/* Of a file without metrics: there are at most two. */
static int take_older(struct loader *loader, enum stored_table id) {
  static const char *const metrics[] = {"1", "2"};
  const struct table *table = &stored_tables[id];
  int result = 0;
  for (size_t i = 0; result == 0 && i < 2 && i < loader->profile->metric_count; i++)
    if (table->older[i]) result = take_rows(loader, id, metrics[i], table->older[i]);
  return result;
}

int loader_table(struct loader *loader, enum stored_table id) {
  const struct table *table = &stored_tables[id];
  if (table->of_metric && !loader_has(loader, table->name, "metric")) return take_older(loader, id);
  const char *first = table->numbered ? "id" : table->of_metric ? "metric" : NULL;
  return take_rows(loader, id, first, table->name);
}

/* Of a column that names rows which were not read yet. */
static bool all_are_there(struct profile *profile, const struct table *table,
                          const struct column *column) {
  const char *element = *table_array(table, profile);
  size_t count = *table_count(table, profile), rows = rows_of(profile, column->limit);
  for (size_t i = 0; i < count; i++, element += table->element) {
    uint32_t id = *(const uint32_t *)(element + column->offset);
    if (id >= rows && id != NOTHING) return false;
  }
  return true;
}

int loader_check_later(const struct loader *loader) {
  for (int id = 0; id < STORED_TABLES; id++)
    for (size_t i = 0; i < stored_tables[id].column_count; i++) {
      const struct column *column = &stored_tables[id].columns[i];
      bool names = column->kind == COLUMN_ID || column->kind == COLUMN_OPTIONAL_ID;
      if (names && (int)column->limit > id && !loader_leaves_out(loader, column->limit) &&
          !all_are_there(loader->profile, &stored_tables[id], column))
        return loader_damaged(loader);
    }
  return 0;
}
