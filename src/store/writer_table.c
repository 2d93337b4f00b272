/* Tables whose columns say all (tables.h), and the figures behind them. */
#include <stdio.h>
#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "attribution/own_code.h"
#include "base/json.h"
#include "base/memory.h"
#include "recording/history.h"
#include "store/writer_rows.h"

/* ---- values ---- */

static uint64_t number_of(const struct column *column, const char *element) {
  const void *member = element + column->offset;
  switch (column->bytes) {
  case 1:
    return *(const bool *)member;
  case 4:
    return *(const uint32_t *)member;
  default:
    return *(const uint64_t *)member;
  }
}

static void put_value(struct writer *writer, const struct column *column, const char *element) {
  const void *member = element + column->offset;
  struct row_out *out = &writer->row;
  switch (column->kind) {
  case COLUMN_NUMBER:
    put_number(out, number_of(column, element));
    break;
  case COLUMN_OPTIONAL_NUMBER:
    put_optional_number(out, *(const uint64_t *)member);
    break;
  case COLUMN_REAL:
    put_real(out, *(const double *)member);
    break;
  case COLUMN_ID:
  case COLUMN_OPTIONAL_ID:
    put_id(out, *(const uint32_t *)member);
    break;
  case COLUMN_TEXT:
  case COLUMN_OPTIONAL_TEXT:
    put_text(out, *(const char *const *)member);
    break;
  case COLUMN_FILE:
  case COLUMN_OPTIONAL_FILE:
    writer_put_file(writer, *(const char *const *)member);
    break;
  }
}

/* ---- figures ---- */

static void put_self(struct writer *writer, struct amount self) {
  put_number(&writer->row, self.ticks);
  writer_put_estimate(writer, self);
}

static void put_function(struct writer *writer, size_t i) {
  const struct function_cost *cost = &writer->costs->functions[i];
  struct row_out *out = &writer->row;
  bool counted = costs_calls_known(writer->profile, writer->costs, i);
  put_calls(out, counted, cost->calls);
  put_calls(out, counted, cost->recursive);
  bool known = costs_total_known(writer->profile, writer->costs, i);
  writer_put_cost(writer, cost->self, known ? &cost->total : NULL);
  uint64_t calls = counted ? cost->calls + cost->recursive : 0;
  struct range hooks =
      books_hooks_of(&writer->books, calls, books_estimate(&writer->books, cost->self));
  writer_put_range(out, hooks.high, hooks.low, hooks.high);
  put_number(out, own_code(writer->profile, i));
}

static void put_centre(struct writer *writer, size_t i) {
  const struct function_cost *cost = &writer->centres->costs->functions[i];
  bool known = !writer->centres->costs->calls_unknown;
  put_calls(&writer->row, known, cost->calls);
  put_calls(&writer->row, known, cost->recursive);
  writer_put_cost(writer, cost->self, &cost->total);
}

/* The functions that were active when a thread was made, outermost first, as a JSON array. */
static char *spawners_text(const struct profile *profile, uint32_t id) {
  char *text = NULL;
  size_t bytes;
  if (id == NOTHING) return NULL;
  const struct profile_context *context = &profile->contexts[id];
  struct json json = {.out = open_memstream(&text, &bytes), .first = true};
  if (!json.out) memory_exhausted();
  json_open(&json, NULL, '[');
  for (uint32_t i = 0; i < context->length; i++)
    json_text(&json, NULL, profile->functions[history_function(context->history[i])].name);
  json_close(&json, ']');
  if (fclose(json.out) != 0) memory_exhausted();
  return text;
}

static void put_thread(struct writer *writer, size_t i) {
  char *spawners = spawners_text(writer->profile, writer->profile->threads[i].spawned_in);
  put_self(writer, writer->costs->thread_self[i]);
  put_text(&writer->row, spawners);
  free(spawners);
}

static void put_expansion(struct writer *writer, size_t i) {
  char *through = expansion_text(writer->profile, i);
  put_text(&writer->row, through);
  free(through);
}

static void put_site(struct writer *writer, size_t i) {
  put_number(&writer->row, writer->costs->site_calls[i]);
}

static void put_line(struct writer *writer, size_t i) {
  put_self(writer, writer->costs->line_self[i]);
  bool known = costs_line_total_known(writer->profile, writer->costs, i);
  const struct amount *total = known ? &writer->costs->line_total[i] : NULL;
  put_calls(&writer->row, known, total ? total->ticks : 0);
  writer_put_optional(writer, total);
}

static void put_metric(struct writer *writer, size_t i) {
  const struct books *books = &writer->measured[i].books;
  put_number(&writer->row, books->sampled_ns);
  put_number(&writer->row, books_whole_ns(books));
  put_number(&writer->row, books->all.ticks);
}

static void put_instruction(struct writer *writer, size_t i) {
  const struct profile_metric *metric = profile_metric(writer->profile);
  writer_put_ns(writer, metric->instructions[i].self);
}

static void put_part(struct writer *writer, size_t i) {
  const struct profile_metric *metric = profile_metric(writer->profile);
  if (metric_is_level(metric))
    put_number(&writer->row, metric->series[i].amount.raw_ns);
  else
    writer_put_ns(writer, metric->series[i].amount);
}

/* Of a language host a tick knows the function, but not the place in it. */
static void put_expression(struct writer *writer, size_t i) {
  const struct profile *profile = writer->profile;
  uint32_t object = profile->functions[profile->expressions[i].function].object;
  bool known = object == NOTHING || profile->objects[object].kind != OBJECT_WORLD;
  put_calls(&writer->row, known, writer->expression_self[i].ticks);
  writer_put_optional(writer, known ? &writer->expression_self[i] : NULL);
}

static void put_copy(struct writer *writer, size_t i) {
  put_self(writer, writer->copy_self[i]);
}

static void (*const put_figures[STORED_TABLES])(struct writer *writer, size_t i) = {
    [TABLE_FUNCTIONS] = put_function,   [TABLE_CENTRES] = put_centre,
    [TABLE_METRICS] = put_metric,       [TABLE_THREADS] = put_thread,
    [TABLE_EXPANSIONS] = put_expansion, [TABLE_SITES] = put_site,
    [TABLE_LINES] = put_line,           [TABLE_INSTRUCTIONS] = put_instruction,
    [TABLE_SERIES] = put_part,          [TABLE_EXPRESSIONS] = put_expression,
    [TABLE_COPIES] = put_copy,
};

/* ---- tables ---- */

static void put_row(struct writer *writer, size_t i) {
  const struct table *table = &stored_tables[writer->table];
  const char *array = *table_array(table, writer->profile);
  struct row_out *out = writer_row(writer);
  if (table->numbered) put_id(out, i);
  if (table->of_metric) put_id(out, writer->profile->metric);
  for (size_t k = 0; k < table->column_count; k++)
    put_value(writer, &table->columns[k], array + i * table->element);
  if (put_figures[writer->table]) put_figures[writer->table](writer, i);
}

int writer_stored(struct writer *writer, enum stored_table id) {
  const struct table *table = &stored_tables[id];
  uint32_t metrics = table->of_metric ? (uint32_t)writer->profile->metric_count : 1;
  writer->table = id;
  int result = 0;
  for (uint32_t i = 0; result == 0 && i < metrics; i++) {
    writer_of_metric(writer, i);
    result = writer_table(writer, table->name, *table_count(table, writer->profile), put_row);
  }
  writer_of_metric(writer, 0);
  return result;
}
