#include "store/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "attribution/counts/expressions.h"
#include "store/schema.h"
#include "store/writer_rows.h"

static void put_object(struct writer *writer, size_t i) {
  const struct profile_object *object = &writer->profile->objects[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_text(out, object->path);
  put_text(out, object->build_id);
  put_text(out, object->message);
  put_text(out, object->uncounted);
  put_number(out, object->counted);
}

static void put_function(struct writer *writer, size_t i) {
  const struct profile_function *function = &writer->profile->functions[i];
  const struct function_cost *cost = &writer->costs->functions[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_text(out, function->name);
  put_text(out, function->linkage);
  writer_put_file(writer, function->file);
  put_number(out, function->line);
  put_id(out, function->object);
  put_number(out, function->kind);
  put_number(out, function->copies);
  bool counted = function->kind != FUNCTION_SAMPLED;
  put_calls(out, counted, cost->calls);
  put_calls(out, counted, cost->recursive);
  writer_put_estimate(writer, cost->self);
  put_number(out, cost->self.ticks);
  bool known = costs_total_known(writer->profile, writer->costs, i);
  writer_put_optional(writer, known ? &cost->total : NULL);
  known ? put_number(out, cost->total.ticks) : put_null(out);
  uint64_t calls = counted ? cost->calls + cost->recursive : 0;
  struct range hooks =
      books_hooks_of(&writer->books, calls, books_estimate(&writer->books, cost->self));
  writer_put_range(out, hooks.high, hooks.low, hooks.high);
}

static void put_arc_cost(struct writer *writer, const struct arc_cost *arc) {
  enum { COLUMNS = 7 };
  for (int i = 0; arc->cost_unknown && i < COLUMNS; i++)
    put_null(&writer->row);
  if (arc->cost_unknown) return;
  struct amount in = amount_sum(arc->in_self, arc->in_child);
  writer_put_ns(writer, arc->out_self);
  writer_put_ns(writer, arc->out_child);
  writer_put_ns(writer, arc->in_self);
  writer_put_ns(writer, arc->in_child);
  writer_put_interval(writer, books_estimate(&writer->books, in));
  put_number(&writer->row, in.ticks);
}

static void put_arc(struct writer *writer, size_t i) {
  const struct arc_cost *arc = &writer->costs->arcs[i];
  struct row_out *out = writer_row(writer);
  put_id(out, arc->caller);
  put_id(out, arc->callee);
  put_calls(out, arc_counted(writer->profile, arc), arc->calls);
  put_number(out, arc->tail_calls);
  put_number(out, arc->doubtful_calls);
  put_arc_cost(writer, arc);
  writer_put_range(out, arc->solved, arc->least_calls, arc->most_calls);
}

static void put_site(struct writer *writer, size_t i) {
  const struct profile_site *site = &writer->profile->sites[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_id(out, site->caller);
  put_id(out, site->callee);
  put_id(out, site->within);
  put_id(out, site->object);
  put_number(out, site->offset);
  writer_put_file(writer, site->file);
  put_number(out, site->line);
  put_number(out, writer->costs->site_calls[i]);
  put_number(out, site->tail);
  put_number(out, site->in_doubt);
  put_id(out, site->expansion);
}

static void put_thread(struct writer *writer, size_t i) {
  const struct profile_thread *thread = &writer->profile->threads[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_id(out, thread->process);
  put_number(out, thread->tid);
  put_number(out, thread->owners);
  put_id(out, thread->start_function);
  put_id(out, thread->spawned_in);
  put_number(out, thread->ticks);
  put_number(out, thread->lost);
  put_number(out, thread->cpu_ns);
  put_number(out, thread->unsampled_ns);
  put_text(out, thread->name);
  writer_put_ns(writer, writer->costs->thread_self[i]);
}

static void put_transition(struct writer *writer, size_t i) {
  const struct profile_transition *transition = &writer->profile->transitions[i];
  struct row_out *out = writer_row(writer);
  put_id(out, transition->from);
  put_id(out, transition->to);
  put_id(out, transition->site);
  put_number(out, transition->count);
}

static void put_count(struct writer *writer, size_t i) {
  const struct profile_count *count = &writer->profile->counts[i];
  struct row_out *out = writer_row(writer);
  put_id(out, count->process);
  put_id(out, count->site);
  put_number(out, count->calls);
}

static void put_line(struct writer *writer, size_t i) {
  const struct profile_line *line = &writer->profile->lines[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_id(out, line->function);
  writer_put_file(writer, line->file);
  put_number(out, line->line);
  put_number(out, writer->costs->line_self[i].ticks);
  writer_put_estimate(writer, writer->costs->line_self[i]);
  bool known = costs_line_total_known(writer->profile, writer->costs, i);
  const struct amount *totals = known ? writer->costs->line_total : NULL;
  totals ? put_number(out, totals[i].ticks) : put_null(out);
  writer_put_optional(writer, totals ? &totals[i] : NULL);
}

static void put_stack(struct writer *writer, size_t i) {
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_id(out, writer->profile->stacks[i].parent);
  put_id(out, writer->profile->stacks[i].line);
}

static void put_instruction(struct writer *writer, size_t i) {
  const struct profile_instruction *instruction = &writer->profile->instructions[i];
  struct row_out *out = writer_row(writer);
  put_id(out, instruction->line);
  put_number(out, instruction->column);
  put_id(out, instruction->object);
  put_number(out, instruction->offset);
  put_number(out, instruction->self.ticks);
  put_number(out, instruction->self.raw_ns);
  writer_put_ns(writer, instruction->self);
  put_id(out, instruction->within);
  put_id(out, instruction->expansion);
  put_text(out, instruction->clone);
  put_number(out, instruction->discriminator);
}

static int write_expressions(struct writer *writer) {
  const struct profile *profile = writer->profile;
  struct amount *self = expressions_self(profile);
  int result = writer_begin(writer, "raw_expressions");
  for (size_t i = 0; result == 0 && i < profile->expression_count; i++) {
    const struct profile_expression *expression = &profile->expressions[i];
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_id(out, expression->function);
    writer_put_file(writer, expression->file);
    put_number(out, expression->line);
    put_number(out, expression->column);
    put_number(out, expression->end_line);
    put_number(out, expression->end_column);
    put_number(out, expression->way);
    put_number(out, expression->kind);
    put_number(out, expression->count);
    put_text(out, expression->label);
    put_number(out, expression->label_line);
    put_number(out, self[i].ticks);
    writer_put_estimate(writer, self[i]);
    result = writer_write(writer);
  }
  free(self);
  return writer_end(writer, result);
}

static void put_line_count(struct writer *writer, size_t i) {
  const struct profile_line_count *line = &writer->profile->line_counts[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  writer_put_file(writer, line->file);
  put_number(out, line->line);
  put_id(out, line->function);
  put_number(out, line->state);
  put_number(out, line->counted);
  put_number(out, line->count);
  put_calls(out, line->share != LINE_NO_SHARE, line->share);
}

static void put_tick(struct writer *writer, size_t i) {
  writer_put_tick(writer_row(writer), &writer->profile->ticks[i]);
}

static void put_file(struct writer *writer, size_t i) {
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_text(out, writer->files[i]);
}

/* ---- tables ---- */

struct plain_table {
  const char *name;
  size_t count;
  void (*put)(struct writer *writer, size_t i);
};

static int write_plain(struct writer *writer, const struct plain_table *tables, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (writer_table(writer, tables[i].name, tables[i].count, tables[i].put) != 0) return -1;
  return 0;
}

static int write_tables(struct writer *writer) {
  const struct profile *profile = writer->profile;
  const struct plain_table plain[] = {
      {"raw_objects", profile->object_count, put_object},
      {"raw_functions", profile->function_count, put_function},
      {"raw_arcs", writer->costs->arc_count, put_arc},
      {"raw_sites", profile->site_count, put_site},
      {"raw_threads", profile->thread_count, put_thread},
      {"raw_transitions", profile->transition_count, put_transition},
      {"raw_lines", profile->line_count, put_line},
      {"raw_stacks", profile->stack_count, put_stack},
      {"raw_counts", profile->count_count, put_count},
      {"raw_ticks", profile->tick_count, put_tick},
      {"raw_instructions", profile->instruction_count, put_instruction},
      {"raw_line_counts", profile->line_count_count, put_line_count}};
  static int (*const steps[])(struct writer *) = {
      writer_processes, writer_contexts,  write_expressions, writer_copies,
      writer_runs,      writer_run_costs, writer_origin,     writer_given,
      writer_possible,  writer_waits,     writer_cycles,     writer_call_lines};
  if (write_plain(writer, plain, sizeof plain / sizeof *plain) != 0) return -1;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i](writer) != 0) return -1;
  /* The files are known when all that names them was written. */
  if (writer_table(writer, "raw_files", writer->file_count, put_file) != 0) return -1;
  return writer_sources(writer);
}

static int write_all(struct writer *writer) {
  char versions[120];
  snprintf(versions, sizeof versions, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
           PROFILE_APPLICATION_ID, PROFILE_SCHEMA_VERSION);
  const char *before[] = {"PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                          "PRAGMA locking_mode=EXCLUSIVE;PRAGMA temp_store=MEMORY;",
                          versions, "BEGIN;", schema_tables};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (database_run(writer->database, writer->path, before[i], writer->error) != 0) return -1;
  if (write_tables(writer) != 0) return -1;
  if (database_run(writer->database, writer->path, schema_views, writer->error) != 0) return -1;
  return database_run(writer->database, writer->path, "COMMIT;", writer->error);
}

int writer_fill(sqlite3 *database, const char *path, const struct profile *profile,
                const struct kept_sources *kept, struct error *error) {
  struct costs *costs = costs_compute(profile, NULL);
  struct writer writer = {.database = database,
                          .path = path,
                          .profile = profile,
                          .costs = costs,
                          .kept = kept,
                          .error = error};
  books_make(profile, &writer.books);
  int result = write_all(&writer);
  free(writer.files);
  map_free(&writer.file_ids);
  costs_free(costs);
  return result;
}
