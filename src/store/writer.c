#include "store/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/context_table.h"
#include "attribution/costs.h"
#include "attribution/map.h"
#include "attribution/run.h"
#include "runtime/history.h"
#include "store/database.h"
#include "store/row.h"
#include "store/schema.h"
#include "store/source_text.h"

struct writer {
  sqlite3 *database;
  const char *path;
  const struct profile *profile;
  const struct costs *costs;
  struct books books;
  const char **files; /* by id; in the order of their first use */
  size_t file_count, file_room;
  struct map file_ids;
  struct row_out row;
  struct error *error;
};

/* ---- rows ---- */

static int begin(struct writer *writer, const char *sql) {
  writer->row = (struct row_out){0};
  return database_prepare(writer->database, writer->path, sql, &writer->row.statement,
                          writer->error);
}

static struct row_out *row(struct writer *writer) {
  writer->row.column = 0;
  return &writer->row;
}

static int write_row(struct writer *writer) {
  bool done = sqlite3_step(writer->row.statement) == SQLITE_DONE;
  /* Before the reset: the system's reason is gone after it. */
  int result = done ? 0 : database_error(writer->database, writer->path, writer->error);
  sqlite3_reset(writer->row.statement);
  return result;
}

static int end(struct writer *writer, int result) {
  sqlite3_finalize(writer->row.statement);
  return result;
}

static void put_estimate(struct writer *writer, struct amount amount) {
  struct estimate estimate = books_estimate(&writer->books, amount);
  put_number(&writer->row, estimate.ns);
  put_number(&writer->row, estimate.uncertainty_ns);
}

static void put_ns(struct writer *writer, struct amount amount) {
  put_number(&writer->row, books_ns(&writer->books, amount));
}

/* Calls of code without hooks are not known. */
static void put_calls(struct row_out *out, bool known, uint64_t calls) {
  if (known)
    put_number(out, calls);
  else
    put_null(out);
}

static void put_file(struct writer *writer, const char *path) {
  if (!path) {
    put_null(&writer->row);
    return;
  }
  uint32_t id = map_find_or_add(&writer->file_ids, (uintptr_t)path, 0, writer->file_count);
  if (id == writer->file_count) {
    MEMORY_GROW(writer->files, writer->file_count, writer->file_room);
    writer->files[writer->file_count++] = path;
  }
  put_id(&writer->row, id);
}

/* ---- tables ---- */

static int write_objects(struct writer *writer) {
  const struct profile *profile = writer->profile;
  int result = begin(writer, "INSERT INTO raw_objects VALUES(?,?,?,?)");
  for (size_t i = 0; result == 0 && i < profile->object_count; i++) {
    const struct profile_object *object = &profile->objects[i];
    struct row_out *out = row(writer);
    put_id(out, i);
    put_text(out, object->path);
    put_text(out, object->build_id);
    put_text(out, object->message);
    result = write_row(writer);
  }
  return end(writer, result);
}

static void put_function(struct writer *writer, uint32_t id) {
  const struct profile_function *function = &writer->profile->functions[id];
  const struct function_cost *cost = &writer->costs->functions[id];
  struct row_out *out = row(writer);
  put_id(out, id);
  put_text(out, function->name);
  put_text(out, function->linkage);
  put_file(writer, function->file);
  put_number(out, function->line);
  put_id(out, function->object);
  put_number(out, function->kind);
  bool known = function->kind != FUNCTION_SAMPLED;
  put_calls(out, known, cost->calls);
  put_calls(out, known, cost->recursive);
  put_estimate(writer, cost->self);
  put_number(out, cost->self.ticks);
  if (known) {
    put_estimate(writer, cost->total);
    put_number(out, cost->total.ticks);
  } else {
    put_null(out);
    put_null(out);
    put_null(out);
  }
}

static int write_functions(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_functions VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->function_count; i++) {
    put_function(writer, i);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_arcs(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_arcs VALUES(?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->costs->arc_count; i++) {
    const struct arc_cost *arc = &writer->costs->arcs[i];
    struct row_out *out = row(writer);
    put_id(out, arc->caller);
    put_id(out, arc->callee);
    put_calls(out, arc_counted(writer->profile, arc), arc->calls);
    put_ns(writer, arc->out_self);
    put_ns(writer, arc->out_child);
    put_ns(writer, arc->in_self);
    put_ns(writer, arc->in_child);
    struct amount in = amount_sum(arc->in_self, arc->in_child);
    put_number(out, books_estimate(&writer->books, in).uncertainty_ns);
    put_number(out, in.ticks);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_sites(struct writer *writer) {
  const struct profile *profile = writer->profile;
  int result = begin(writer, "INSERT INTO raw_sites VALUES(?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    struct row_out *out = row(writer);
    put_id(out, i);
    put_id(out, site->caller);
    put_id(out, site->callee);
    put_id(out, site->within);
    put_id(out, site->object);
    put_number(out, site->offset);
    put_file(writer, site->file);
    put_number(out, site->line);
    put_number(out, writer->costs->site_calls[i]);
    result = write_row(writer);
  }
  return end(writer, result);
}

static void put_process(struct row_out *out, const struct profile_process *process) {
  put_number(out, process->pid);
  put_number(out, process->parent_pid);
  put_number(out, process->sequence);
  put_text(out, process->executable);
  put_text(out, process->command);
  put_text(out, process->directory);
  put_text(out, process->host);
  put_number(out, process->started_ns);
  put_number(out, process->updated_ns);
  put_number(out, process->cpu_user_ns);
  put_number(out, process->cpu_system_ns);
  put_number(out, process->finished);
  put_number(out, process->truncated);
  put_number(out, process->ways);
  put_number(out, process->tick_source);
  put_number(out, process->tick_errno);
  put_number(out, process->tick_flags);
  put_number(out, process->rate_hz);
  put_number(out, process->period_ns);
  put_number(out, process->profiler.ticks);
  put_number(out, process->profiler.raw_ns);
  put_number(out, process->hook_ps);
  put_number(out, process->slow_steps);
  put_number(out, process->rebuilds);
  put_number(out, process->overflow_calls);
  put_number(out, process->threads_started);
  for (int kind = 0; kind < DROP_KINDS; kind++)
    put_number(out, process->drops[kind]);
}

static int write_processes(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_processes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                             "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->process_count; i++) {
    put_id(row(writer), i);
    put_process(&writer->row, &writer->profile->processes[i]);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_threads(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_threads VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->thread_count; i++) {
    const struct profile_thread *thread = &writer->profile->threads[i];
    struct row_out *out = row(writer);
    put_id(out, i);
    put_id(out, thread->process);
    put_number(out, thread->tid);
    put_number(out, thread->owners);
    put_id(out, thread->start_function);
    put_id(out, thread->spawned_in);
    put_number(out, thread->ticks);
    put_number(out, thread->lost);
    put_number(out, thread->cpu_ns);
    put_text(out, thread->name);
    put_ns(writer, writer->costs->thread_self[i]);
    result = write_row(writer);
  }
  return end(writer, result);
}

/* ---- contexts ---- */

/* A history as a JSON array of function ids, negative where the entry is not marked. */
static const char *history_text(const struct profile_context *context, char **text, size_t *room) {
  size_t needed = (size_t)context->length * 12 + 3;
  if (needed > *room) {
    *room = 2 * needed;
    *text = memory_resized(*text, *room, 1);
  }
  char *at = *text;
  *at++ = '[';
  for (uint32_t i = 0; i < context->length; i++)
    at += sprintf(at, "%s%s%u", i ? "," : "", history_marked(context->history[i]) ? "" : "-",
                  history_function(context->history[i]) + 1);
  *at++ = ']';
  *at = '\0';
  return *text;
}

static void count_context_calls(const struct profile *profile, uint64_t *calls,
                                uint64_t *recursive) {
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    uint32_t caller = context_running(&profile->contexts[transition->from]);
    uint32_t callee = context_running(&profile->contexts[transition->to]);
    (caller == callee ? recursive : calls)[transition->to] += transition->count;
  }
}

/* A root is entered by nobody, which is known. */
static bool is_counted(const struct profile *profile, const struct profile_context *context) {
  uint32_t running = context_running(context);
  return running == NOTHING || profile->functions[running].kind != FUNCTION_SAMPLED;
}

/* Most histories are an earlier context's with one entry more: then that context says it all. */
static int write_contexts(struct writer *writer) {
  const struct profile *profile = writer->profile;
  struct context_table table;
  context_table_open(&table, (struct profile *)profile);
  uint64_t *calls = memory_zeroed(profile->context_count, sizeof *calls);
  uint64_t *recursive = memory_zeroed(profile->context_count, sizeof *recursive);
  count_context_calls(profile, calls, recursive);
  char *text = NULL;
  size_t room = 0;
  int result = begin(writer, "INSERT INTO raw_contexts VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    uint32_t parent = NOTHING;
    if (context->length)
      parent = context_find(&table, context->thread, context->history, context->length - 1);
    if (parent != NOTHING && parent > i) parent = NOTHING;
    struct row_out *out = row(writer);
    put_id(out, i);
    put_id(out, context->thread);
    put_id(out, parent);
    put_id(out, context_running(context));
    put_number(out, context->length);
    put_calls(out, is_counted(profile, context), calls[i]);
    put_calls(out, is_counted(profile, context), recursive[i]);
    put_number(out, context->self.ticks);
    put_number(out, context->self.raw_ns);
    put_ns(writer, context->self);
    put_text(out,
             parent == NOTHING && context->length ? history_text(context, &text, &room) : NULL);
    result = write_row(writer);
  }
  free(text);
  free(calls);
  free(recursive);
  context_table_close(&table);
  return end(writer, result);
}

static int write_transitions(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_transitions VALUES(?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->transition_count; i++) {
    const struct profile_transition *transition = &writer->profile->transitions[i];
    struct row_out *out = row(writer);
    put_id(out, transition->from);
    put_id(out, transition->to);
    put_id(out, transition->site);
    put_number(out, transition->count);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_lines(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_lines VALUES(?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->line_count; i++) {
    const struct profile_line *line = &writer->profile->lines[i];
    struct row_out *out = row(writer);
    put_id(out, i);
    put_id(out, line->function);
    put_file(writer, line->file);
    put_number(out, line->line);
    put_number(out, writer->costs->line_self[i].ticks);
    put_estimate(writer, writer->costs->line_self[i]);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_ticks(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_ticks VALUES(?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->tick_count; i++) {
    const struct profile_tick *tick = &writer->profile->ticks[i];
    struct row_out *out = row(writer);
    put_id(out, tick->context);
    put_id(out, tick->line);
    put_number(out, tick->amount.ticks);
    put_number(out, tick->amount.raw_ns);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_files(struct writer *writer) {
  int result = begin(writer, "INSERT INTO raw_files VALUES(?,?)");
  for (size_t i = 0; result == 0 && i < writer->file_count; i++) {
    put_id(row(writer), i);
    put_text(&writer->row, writer->files[i]);
    result = write_row(writer);
  }
  return end(writer, result);
}

static int write_sources(struct writer *writer) {
  struct source_budget budget = SOURCE_BUDGET;
  int result = begin(writer, "INSERT INTO raw_sources VALUES(?,?)");
  for (size_t i = 0; result == 0 && i < writer->file_count; i++) {
    size_t bytes;
    char *text = source_text_read(writer->files[i], &budget, &bytes);
    if (!text) continue;
    put_text(row(writer), writer->files[i]);
    sqlite3_bind_blob64(writer->row.statement, 2, text, bytes, SQLITE_STATIC);
    result = write_row(writer);
    free(text);
  }
  return end(writer, result);
}

static int write_run(struct writer *writer) {
  const struct books *books = &writer->books;
  struct run run;
  char ways[WAYS_TEXT_BYTES];
  run_make(writer->profile, &run);
  ways_text(run.ways, ways);
  int result =
      begin(writer, "INSERT INTO raw_runs VALUES(1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                    "?,?,?,?,?)");
  if (result != 0) return end(writer, result);
  struct row_out *out = row(writer);
  put_text(out, writer->profile->version);
  put_text(out, run.command);
  put_text(out, run.directory);
  put_text(out, run.host);
  put_number(out, run.started_ns);
  put_number(out, run.ended_ns);
  put_text(out, ways);
  put_text(out, clock_text(run.tick_source));
  put_number(out, run.rate_hz);
  put_number(out, books->all.ticks);
  put_number(out, run.lost_ticks);
  put_number(out, books->user_ns);
  put_number(out, books->system_ns);
  put_number(out, books->sampled_ns);
  put_number(out, books->kernel_ns);
  put_number(out, books->unsampled_ns);
  put_number(out, books_charged_ns(books));
  put_ns(writer, books->profiler);
  put_number(out, books->hooks_ns);
  put_ns(writer, books->dropped);
  put_number(out, books->calls);
  for (int kind = DROP_CONTEXTS; kind <= DROP_PROCESSES; kind++)
    put_number(out, run.drops[kind]);
  return end(writer, write_row(writer));
}

static int write_tables(struct writer *writer) {
  static int (*const steps[])(struct writer *) = {
      write_objects, write_functions, write_arcs,        write_sites, write_processes,
      write_threads, write_contexts,  write_transitions, write_lines, write_ticks,
      write_files,   write_sources,   write_run};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i](writer) != 0) return -1;
  return 0;
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
                struct error *error) {
  struct costs *costs = costs_compute(profile, NULL);
  struct writer writer = {
      .database = database, .path = path, .profile = profile, .costs = costs, .error = error};
  books_make(profile, &writer.books);
  int result = write_all(&writer);
  free(writer.files);
  map_free(&writer.file_ids);
  costs_free(costs);
  return result;
}
