#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribution/counts/line_counts.h"
#include "store/loader.h"
#include "store/schema.h"
#include "store/store.h"

static const char *take_text(struct loader *loader, struct row_in *row) {
  return pool_string(loader->profile->pool, get_text(row));
}

const char *loader_text(struct loader *loader, struct row_in *row) {
  return pool_string(loader->profile->pool, get_optional_text(row));
}

const char *loader_file(struct loader *loader, struct row_in *row) {
  uint32_t id = get_optional_id(row, loader->file_count);
  return id == NOTHING ? NULL : loader->files[id];
}

/* ---- rows ---- */

static void take_file_name(struct loader *loader, struct row_in *row) {
  loader_expect_id(row, loader->file_count);
  MEMORY_GROW(loader->files, loader->file_count, loader->file_room);
  loader->files[loader->file_count++] = take_text(loader, row);
}

static void take_object(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->object_count);
  MEMORY_GROW(profile->objects, profile->object_count, loader->object_room);
  struct profile_object *object = &profile->objects[profile->object_count++];
  object->path = take_text(loader, row);
  object->build_id = take_text(loader, row);
  object->message = take_text(loader, row);
  object->uncounted = loader_text(loader, row);
  object->counted = get_number(row, COUNTED_OPTIMIZED | COUNTED_AS_WRITTEN);
}

static void take_function(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->function_count);
  MEMORY_GROW(profile->functions, profile->function_count, loader->function_room);
  struct profile_function *function = &profile->functions[profile->function_count++];
  function->name = take_text(loader, row);
  function->linkage = loader_text(loader, row);
  function->file = loader_file(loader, row);
  function->line = get_number(row, UINT32_MAX);
  function->object = get_optional_id(row, profile->object_count);
  function->kind = get_number(row, FUNCTION_CUT);
  function->copies = get_number(row, COPY_OWN | COPY_INLINED);
}

static void take_process(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->process_count);
  MEMORY_GROW(profile->processes, profile->process_count, loader->process_room);
  struct profile_process *process = &profile->processes[profile->process_count++];
  *process = (struct profile_process){0}; /* waiting is read later */
  process->run = get_id(row, NOTHING);    /* checked when runs are there */
  process->pid = get_number(row, UINT32_MAX);
  process->parent_pid = get_number(row, UINT32_MAX);
  process->sequence = get_number(row, UINT32_MAX);
  process->executable = take_text(loader, row);
  process->command = take_text(loader, row);
  process->directory = take_text(loader, row);
  process->host = take_text(loader, row);
  process->started_ns = get_number(row, INT64_MAX);
  process->updated_ns = get_number(row, INT64_MAX);
  process->cpu_user_ns = get_number(row, INT64_MAX);
  process->cpu_system_ns = get_number(row, INT64_MAX);
  process->paused_user_ns = get_number(row, INT64_MAX);
  process->paused_system_ns = get_number(row, INT64_MAX);
  process->end = get_number(row, PROCESS_END_SIGNAL);
  process->end_signal = get_number(row, INT32_MAX);
  process->truncated = get_number(row, UINT32_MAX);
  process->ways = get_number(row, UINT32_MAX);
  process->tick_source = get_number(row, UINT32_MAX);
  process->tick_errno = get_number(row, UINT32_MAX);
  process->tick_flags = get_number(row, UINT32_MAX);
  process->hindrances = get_number(row, UINT32_MAX);
  process->rate_hz = get_number(row, UINT32_MAX);
  process->period_ns = get_number(row, INT64_MAX);
  process->events_counted = get_number(row, INT64_MAX);
  process->profiler = get_amount(row);
  process->handler_ns = get_number(row, INT64_MAX);
  process->threads_unsampled_ns = get_number(row, INT64_MAX);
  process->recorder_ns = get_number(row, INT64_MAX);
  process->unknown_ns = get_number(row, INT64_MAX);
  process->increments = get_number(row, INT64_MAX);
  process->hook_low_ps = get_number(row, INT64_MAX);
  process->hook_high_ps = get_number(row, INT64_MAX);
  process->squares = get_real(row);
  process->slow_steps = get_number(row, INT64_MAX);
  process->rebuilds = get_number(row, INT64_MAX);
  process->overflow_calls = get_number(row, INT64_MAX);
  process->threads_started = get_number(row, INT64_MAX);
  for (int kind = 0; kind < DROP_KINDS; kind++)
    process->drops[kind] = get_number(row, INT64_MAX);
}

static void take_thread(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->thread_count);
  MEMORY_GROW(profile->threads, profile->thread_count, loader->thread_room);
  struct profile_thread *thread = &profile->threads[profile->thread_count++];
  thread->process = get_id(row, profile->process_count);
  thread->tid = get_number(row, UINT32_MAX);
  thread->owners = get_number(row, UINT32_MAX);
  thread->start_function = get_optional_id(row, profile->function_count);
  thread->spawned_in = get_optional_id(row, NOTHING); /* checked when contexts are there */
  thread->ticks = get_number(row, INT64_MAX);
  thread->lost = get_number(row, INT64_MAX);
  thread->cpu_ns = get_number(row, INT64_MAX);
  thread->unsampled_ns = get_number(row, INT64_MAX);
  thread->name = take_text(loader, row);
}

/* ---- calls and ticks ---- */

static void take_site(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->site_count);
  MEMORY_GROW(profile->sites, profile->site_count, loader->site_room);
  struct profile_site *site = &profile->sites[profile->site_count++];
  site->caller = get_optional_id(row, profile->function_count);
  site->callee = get_id(row, profile->function_count);
  site->within = get_optional_id(row, profile->function_count);
  site->object = get_optional_id(row, profile->object_count);
  site->offset = get_number(row, INT64_MAX);
  site->file = loader_file(loader, row);
  site->line = get_number(row, UINT32_MAX);
  site->tail = get_number(row, 1);
  site->in_doubt = get_number(row, 1);
  site->expansion = get_optional_id(row, profile->expansion_count);
}

static void take_transition(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->transitions, profile->transition_count, loader->transition_room);
  struct profile_transition *transition = &profile->transitions[profile->transition_count++];
  transition->from = get_id(row, profile->context_count);
  transition->to = get_id(row, profile->context_count);
  transition->site = get_id(row, profile->site_count);
  transition->count = get_number(row, INT64_MAX);
  if (!row->damaged && !profile->contexts[transition->to].length) row->damaged = true;
}

static void take_count(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->counts, profile->count_count, loader->count_room);
  struct profile_count *count = &profile->counts[profile->count_count++];
  count->process = get_id(row, profile->process_count);
  count->site = get_id(row, profile->site_count);
  count->calls = get_number(row, INT64_MAX);
}

static void take_line(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->line_count);
  MEMORY_GROW(profile->lines, profile->line_count, loader->line_room);
  struct profile_line *line = &profile->lines[profile->line_count++];
  line->function = get_id(row, profile->function_count);
  line->file = loader_file(loader, row);
  line->line = get_number(row, UINT32_MAX);
}

static void take_stack(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->stack_count);
  MEMORY_GROW(profile->stacks, profile->stack_count, loader->stack_room);
  struct profile_stack *stack = &profile->stacks[profile->stack_count];
  stack->parent = get_optional_id(row, profile->stack_count);
  stack->line = get_optional_id(row, profile->line_count);
  profile->stack_count++;
}

static void take_instruction(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->instructions, profile->instruction_count, loader->instruction_room);
  struct profile_instruction *instruction = &profile->instructions[profile->instruction_count++];
  instruction->line = get_id(row, profile->line_count);
  instruction->column = get_number(row, UINT32_MAX);
  instruction->object = get_optional_id(row, profile->object_count);
  instruction->offset = get_number(row, INT64_MAX);
  instruction->self = get_amount(row);
  instruction->within = get_optional_id(row, profile->function_count);
  instruction->expansion = get_optional_id(row, profile->expansion_count);
  instruction->clone = loader_text(loader, row);
  instruction->discriminator = get_number(row, UINT32_MAX);
}

static void take_expression(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->expression_count);
  MEMORY_GROW(profile->expressions, profile->expression_count, loader->expression_room);
  struct profile_expression *expression = &profile->expressions[profile->expression_count++];
  expression->function = get_id(row, profile->function_count);
  expression->file = loader_file(loader, row);
  expression->line = get_number(row, UINT32_MAX);
  expression->column = get_number(row, UINT32_MAX);
  expression->end_line = get_number(row, UINT32_MAX);
  expression->end_column = get_number(row, UINT32_MAX);
  expression->way = get_number(row, UINT32_MAX);
  expression->kind = get_number(row, EXPRESSION_CASE);
  expression->count = get_number(row, INT64_MAX);
  expression->label = loader_text(loader, row);
  expression->label_line = get_number(row, UINT32_MAX);
  bool is_case = expression->kind == EXPRESSION_CASE;
  if (!expression->file || (expression->label && !is_case)) row->damaged = true;
}

static void take_line_count(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->line_count_count);
  MEMORY_GROW(profile->line_counts, profile->line_count_count, loader->line_count_room);
  struct profile_line_count *line = &profile->line_counts[profile->line_count_count++];
  line->file = loader_file(loader, row);
  line->line = get_number(row, UINT32_MAX);
  line->function = get_id(row, profile->function_count);
  line->state = get_number(row, LINE_GONE);
  line->counted = get_number(row, COUNTED_AS_WRITTEN);
  line->count = get_number(row, INT64_MAX);
  line->share = get_optional_number(row);
  bool ordered =
      line->file && (profile->line_count_count == 1 || line_counts_compare(line - 1, line) < 0);
  if (!ordered || !line->line) row->damaged = true;
}

void loader_tick(struct loader *loader, struct row_in *row, struct profile_tick *tick) {
  const struct profile *profile = loader->profile;
  tick->context = get_id(row, profile->context_count);
  tick->line = get_id(row, profile->line_count);
  tick->stack = get_optional_id(row, profile->stack_count);
  tick->amount = get_amount(row);
}

static void take_tick(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->ticks, profile->tick_count, loader->tick_room);
  loader_tick(loader, row, &profile->ticks[profile->tick_count++]);
}

static int read_tables(struct loader *loader) {
  static const struct {
    const char *sql;
    void (*take)(struct loader *loader, struct row_in *row);
  } before[] =
      {{"SELECT id, path FROM raw_files ORDER BY id", take_file_name},
       {"SELECT id, path, build_id, message, uncounted, counted FROM raw_objects ORDER BY id",
        take_object},
       {"SELECT id, name, linkage, file, line, object, kind, copies FROM raw_functions"
        " ORDER BY id",
        take_function},
       {"SELECT * FROM raw_processes ORDER BY id", take_process},
       {"SELECT id, process, tid, owners, start_function, spawned_in, ticks, lost,"
        " cpu_ns, unsampled_ns, name FROM raw_threads ORDER BY id",
        take_thread}},
    after[] = {
        {"SELECT id, caller, callee, within, object, offset, file, line, tail, in_doubt,"
         " expansion"
         " FROM raw_sites ORDER BY id",
         take_site},
        {"SELECT from_context, to_context, site, calls FROM raw_transitions", take_transition},
        {"SELECT process, site, calls FROM raw_counts", take_count},
        {"SELECT id, function, file, line FROM raw_lines ORDER BY id", take_line},
        {"SELECT id, parent, line FROM raw_stacks ORDER BY id", take_stack},
        {"SELECT context, line, stack, ticks, raw_ns FROM raw_ticks", take_tick},
        {"SELECT line, source_column, object, offset, self_ticks, self_raw_ns,"
         " within, expansion, clone, discriminator FROM raw_instructions",
         take_instruction},
        {"SELECT id, function, file, line, source_column, end_line, end_column, way, kind, count,"
         " label, label_line FROM raw_expressions ORDER BY id",
         take_expression},
        {"SELECT id, file, line, function, state, counted, count, share FROM raw_line_counts"
         " ORDER BY id",
         take_line_count}};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (loader_rows(loader, before[i].sql, before[i].take) != 0) return -1;
  if (loader_contexts(loader) != 0 || loader_expansions(loader) != 0 || loader_blocks(loader) != 0)
    return -1;
  for (size_t i = 0; i < sizeof after / sizeof *after; i++)
    if (loader_rows(loader, after[i].sql, after[i].take) != 0) return -1;
  if (loader_copies(loader) != 0 || loader_given(loader) != 0 || loader_possible(loader) != 0 ||
      loader_waits(loader) != 0)
    return -1;
  return loader_runs(loader);
}

/* ---- the file ---- */

static int read_pragma(struct loader *loader, const char *sql, int64_t *value) {
  sqlite3_stmt *statement = NULL;
  if (database_prepare(loader->database, loader->path, sql, &statement, loader->error) != 0)
    return -1;
  int result = 0;
  if (sqlite3_step(statement) == SQLITE_ROW)
    *value = sqlite3_column_int64(statement, 0);
  else
    result = database_error(loader->database, loader->path, loader->error);
  sqlite3_finalize(statement);
  return result;
}

static int check_version(struct loader *loader) {
  int64_t application, version;
  if (read_pragma(loader, "PRAGMA application_id", &application) != 0) return -1;
  if (application != PROFILE_APPLICATION_ID)
    return error_set(loader->error, "%s is an SQLite database, but not an Ascribe profile",
                     loader->path);
  if (read_pragma(loader, "PRAGMA user_version", &version) != 0) return -1;
  if (version != PROFILE_SCHEMA_VERSION)
    return error_set(loader->error,
                     "%s was made by another version of Ascribe (format %lld; this one reads %d): "
                     "record again, or use the version that made it",
                     loader->path, (long long)version, PROFILE_SCHEMA_VERSION);
  return 0;
}

int store_is_file(const char *path) {
  char start[16] = "";
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return 0;
  ssize_t count = read(descriptor, start, sizeof start);
  close(descriptor);
  return count == sizeof start && memcmp(start, "SQLite format 3", sizeof start) == 0;
}

int store_load(const char *path, struct profile **profile, struct error *error) {
  if (access(path, R_OK) != 0)
    return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  if (!store_is_file(path)) return error_set(error, "%s is not an Ascribe profile", path);
  struct loader loader = {.path = path, .error = error};
  loader.profile = memory_zeroed(1, sizeof *loader.profile);
  loader.profile->pool = pool_create();
  int result = database_open(path, &loader.database, error);
  if (result == 0) result = check_version(&loader);
  if (result == 0) result = database_check(loader.database, "main", path, error);
  if (result == 0) result = read_tables(&loader);
  sqlite3_close(loader.database);
  free(loader.files);
  free(loader.marked_in);
  free(loader.history);
  if (result == 0)
    *profile = loader.profile;
  else
    profile_free(loader.profile);
  return result;
}
