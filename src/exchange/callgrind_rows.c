#include "exchange/callgrind_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "recording/history.h"

struct table {
  const struct export_data *data;
  struct map places, ids;
  size_t place_count;
  struct callgrind_row *rows;
  size_t count;
};

/* The row of a function (and its callee) on a line; made when it is first wanted. */
static struct callgrind_row *row_at(struct table *table, uint32_t function, uint32_t callee,
                                    struct source_line place) {
  uint32_t place_id =
      map_find_or_add(&table->places, (uintptr_t)place.file, place.line, table->place_count);
  if (place_id == table->place_count) table->place_count++;
  uint32_t id =
      map_find_or_add(&table->ids, (uint64_t)function << 32 | callee, place_id, table->count);
  if (id == table->count) {
    ARRAY_GROW(table->rows, table->count);
    table->rows[table->count++] =
        (struct callgrind_row){.function = function, .callee = callee, .place = place};
  }
  return &table->rows[id];
}

static void charge(struct callgrind_row *row, uint64_t ns, uint64_t ticks) {
  row->ns += ns;
  row->ticks += ticks;
}

static void charge_sample(struct table *table, const struct export_sample *sample,
                          const struct source_line *lines) {
  const struct profile_context *context = &table->data->profile->contexts[sample->context];
  const uint32_t *history = context->history;
  uint32_t last = context->length - 1;
  charge(row_at(table, history_function(history[last]), NOTHING, lines[last]), sample->ns,
         sample->amount.ticks);
  for (uint32_t i = 0; i <= last; i++) {
    if (!history_marked(history[i])) continue;
    uint32_t caller = i ? history_function(history[i - 1]) : NOTHING;
    struct source_line place = i ? lines[i - 1] : (struct source_line){0};
    charge(row_at(table, caller, history_function(history[i]), place), sample->ns,
           sample->amount.ticks);
  }
}

static void charge_samples(struct table *table, struct call_lines *call_lines) {
  const struct export_data *data = table->data;
  struct source_line *lines = NULL;
  for (size_t i = 0; i < data->sample_count; i++) {
    const struct export_sample *sample = &data->samples[i];
    uint32_t length = data->profile->contexts[sample->context].length;
    ARRAY_ROOM(lines, length);
    call_lines_of(call_lines, sample, lines);
    charge_sample(table, sample, lines);
  }
  free(lines);
}

static void count_calls(struct table *table) {
  const struct profile *profile = table->data->profile;
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    uint32_t callee = context_running(&profile->contexts[transition->to]);
    if (!table->data->selected[transition->to] || callee == NOTHING || !transition->count) continue;
    uint32_t caller = context_running(&profile->contexts[transition->from]);
    struct source_line place = call_lines_of_site(&profile->sites[transition->site]);
    row_at(table, caller, callee, place)->calls += transition->count;
  }
}

static void count_calls_at_sites(struct table *table) {
  const struct profile *profile = table->data->profile;
  const bool *processes = table->data->options->selection.processes;
  if (export_site_counts(table->data) != SITE_COUNTS_KNOWN) return;
  for (size_t i = 0; i < profile->count_count; i++) {
    const struct profile_count *count = &profile->counts[i];
    const struct profile_site *site = &profile->sites[count->site];
    if (!count->calls || (processes && !processes[count->process])) continue;
    row_at(table, site->caller, site->callee, call_lines_of_site(site))->calls += count->calls;
  }
}

/* ---- figures from elsewhere (attribution/given.h) ---- */

static void take(struct table *table, uint32_t function, uint32_t callee, struct source_line place,
                 struct amount amount) {
  charge(row_at(table, function, callee, place), books_ns(&table->data->books, amount),
         amount.ticks);
}

/* What stands on no line of a function stands in none. */
static void take_self(struct table *table, const struct costs *given) {
  const struct profile *profile = table->data->profile;
  struct amount *rest = memory_zeroed(profile->function_count, sizeof *rest);
  for (size_t i = 0; i < profile->function_count; i++)
    rest[i] = given->functions[i].self;
  for (size_t i = 0; i < profile->line_count; i++) {
    const struct profile_line *line = &profile->lines[i];
    struct amount self = given->line_self[i], *left = &rest[line->function];
    if (!self.raw_ns || self.raw_ns > left->raw_ns || self.ticks > left->ticks) continue;
    *left = (struct amount){left->ticks - self.ticks, left->raw_ns - self.raw_ns};
    take(table, line->function, NOTHING, (struct source_line){line->file, line->line}, self);
  }
  for (size_t i = 0; i < profile->function_count; i++)
    if (rest[i].raw_ns) take(table, i, NOTHING, (struct source_line){0}, rest[i]);
  free(rest);
}

static void take_arcs(struct table *table, const struct costs *given,
                      const struct call_lines *call_lines) {
  for (size_t i = 0; i < given->arc_count; i++) {
    const struct arc_cost *arc = &given->arcs[i];
    struct source_line place = call_lines_of_arc(call_lines, arc->caller, arc->callee);
    take(table, arc->caller, arc->callee, place, amount_sum(arc->in_self, arc->in_child));
    row_at(table, arc->caller, arc->callee, place)->calls += arc->calls;
  }
  for (size_t i = 0; i < table->data->profile->function_count; i++)
    if (given->functions[i].recursive)
      row_at(table, i, i, (struct source_line){0})->calls += given->functions[i].recursive;
}

/* ---- the rows ---- */

static int compare_files(const char *a, const char *b) {
  if (a == b) return 0;
  return a && b ? strcmp(a, b) : a ? 1 : -1;
}

static int compare_rows(const void *left, const void *right) {
  const struct callgrind_row *a = left, *b = right;
  if (a->function != b->function) return a->function < b->function ? -1 : 1;
  if (a->callee != b->callee) return a->callee + 1 < b->callee + 1 ? -1 : 1;
  int order = compare_files(a->place.file, b->place.file);
  if (order) return order;
  return (a->place.line > b->place.line) - (a->place.line < b->place.line);
}

static bool same_arc(const struct callgrind_row *a, const struct callgrind_row *b) {
  return a->function == b->function && a->callee == b->callee;
}

/* Calls of an arc of which none was counted. */
static uint64_t uncounted_calls(const struct table *table, uint32_t callee) {
  bool elsewhere = export_site_counts(table->data) == SITE_COUNTS_KNOWN &&
                   table->data->profile->functions[callee].kind == FUNCTION_COUNTED;
  return elsewhere ? 0 : 1;
}

/* Rows of one arc: calls and time on the same lines, or both in none. */
static size_t settle_arc(const struct table *table, struct callgrind_row *rows, size_t count) {
  uint64_t calls = 0;
  bool apart = false;
  for (size_t i = 0; i < count; i++) {
    calls += rows[i].calls;
    apart |= !rows[i].calls;
  }
  for (size_t i = 0; !calls && i < count; i++)
    rows[i].calls = uncounted_calls(table, rows[i].callee);
  if (!calls || !apart) return count;
  for (size_t i = 1; i < count; i++) {
    rows[0].ns += rows[i].ns;
    rows[0].ticks += rows[i].ticks;
  }
  rows[0].calls = calls;
  rows[0].place = (struct source_line){0};
  return 1;
}

static void settle(struct table *table) {
  size_t kept = 0, end;
  for (size_t start = 0; start < table->count; start = end) {
    struct callgrind_row *rows = &table->rows[start];
    for (end = start + 1; end < table->count && same_arc(rows, &table->rows[end]);)
      end++;
    size_t count = rows->callee == NOTHING ? end - start : settle_arc(table, rows, end - start);
    memmove(&table->rows[kept], rows, count * sizeof *rows);
    kept += count;
  }
  table->count = kept;
}

struct callgrind_row *callgrind_rows(const struct export_data *data, size_t *count) {
  struct table table = {.data = data};
  struct call_lines *call_lines = call_lines_open(data->profile);
  if (data->profile->given) {
    take_self(&table, data->profile->given);
    take_arcs(&table, data->profile->given, call_lines);
  } else {
    charge_samples(&table, call_lines);
    count_calls(&table);
    count_calls_at_sites(&table);
  }
  call_lines_close(call_lines);
  map_free(&table.places);
  map_free(&table.ids);
  if (table.count) qsort(table.rows, table.count, sizeof *table.rows, compare_rows);
  settle(&table);
  *count = table.count;
  return table.rows;
}
