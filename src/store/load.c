#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/history.h"
#include "store/database.h"
#include "store/row.h"
#include "store/schema.h"
#include "store/store.h"

/* Histories are stored as steps, so a small file could spell out any amount of them. */
#define MOST_HISTORY_ENTRIES (UINT64_C(1) << 28)

struct loader {
  sqlite3 *database;
  const char *path;
  struct error *error;
  struct profile *profile;
  const char **files;
  size_t file_count, file_room;
  size_t object_room, function_room, process_room, thread_room, context_room, site_room,
      transition_room, line_room, tick_room;
  uint32_t *marked_in; /* by function: the last context (plus one) that marked it */
  uint32_t *history;   /* of the context being read */
  size_t history_room;
  uint64_t history_entries; /* of all contexts so far */
};

static int damaged(const struct loader *loader) {
  return error_set(loader->error, "%s: the profile is damaged: record again", loader->path);
}

/* Hand every row of a query to `take`, which sets row->damaged where a value cannot be. */
static int read_rows(struct loader *loader, const char *sql,
                     void (*take)(struct loader *loader, struct row_in *row)) {
  sqlite3_stmt *statement = NULL;
  if (database_prepare(loader->database, loader->path, sql, &statement, loader->error) != 0)
    return -1;
  struct row_in row = {.statement = statement};
  int step = SQLITE_ROW;
  while (!row.damaged && (step = sqlite3_step(statement)) == SQLITE_ROW) {
    row.column = 0;
    take(loader, &row);
  }
  int result = 0;
  if (row.damaged)
    result = damaged(loader);
  else if (step != SQLITE_DONE)
    result = database_error(loader->database, loader->path, loader->error);
  sqlite3_finalize(statement);
  return result;
}

/* Ids are dense: the row's id must be the next. */
static void expect_id(struct row_in *row, size_t next) {
  if (get_number(row, UINT32_MAX - 1) != next + 1) row->damaged = true;
}

static const char *take_text(struct loader *loader, struct row_in *row) {
  return pool_string(loader->profile->pool, get_text(row));
}

static const char *take_file(struct loader *loader, struct row_in *row) {
  uint32_t id = get_optional_id(row, loader->file_count);
  return id == NOTHING ? NULL : loader->files[id];
}

/* ---- rows ---- */

static void take_file_name(struct loader *loader, struct row_in *row) {
  expect_id(row, loader->file_count);
  MEMORY_GROW(loader->files, loader->file_count, loader->file_room);
  loader->files[loader->file_count++] = take_text(loader, row);
}

static void take_object(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->object_count);
  MEMORY_GROW(profile->objects, profile->object_count, loader->object_room);
  struct profile_object *object = &profile->objects[profile->object_count++];
  object->path = take_text(loader, row);
  object->build_id = take_text(loader, row);
  object->message = take_text(loader, row);
}

static void take_function(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->function_count);
  MEMORY_GROW(profile->functions, profile->function_count, loader->function_room);
  struct profile_function *function = &profile->functions[profile->function_count++];
  function->name = take_text(loader, row);
  function->linkage = pool_string(profile->pool, get_optional_text(row));
  function->file = take_file(loader, row);
  function->line = get_number(row, UINT32_MAX);
  function->object = get_optional_id(row, profile->object_count);
  function->kind = get_number(row, FUNCTION_OVERFLOW);
}

static void take_process(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->process_count);
  MEMORY_GROW(profile->processes, profile->process_count, loader->process_room);
  struct profile_process *process = &profile->processes[profile->process_count++];
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
  process->finished = get_number(row, UINT32_MAX);
  process->truncated = get_number(row, UINT32_MAX);
  process->ways = get_number(row, UINT32_MAX);
  process->tick_source = get_number(row, UINT32_MAX);
  process->tick_errno = get_number(row, UINT32_MAX);
  process->tick_flags = get_number(row, UINT32_MAX);
  process->rate_hz = get_number(row, UINT32_MAX);
  process->period_ns = get_number(row, INT64_MAX);
  process->profiler.ticks = get_number(row, INT64_MAX);
  process->profiler.raw_ns = get_number(row, INT64_MAX);
  process->hook_ps = get_number(row, INT64_MAX);
  process->slow_steps = get_number(row, INT64_MAX);
  process->rebuilds = get_number(row, INT64_MAX);
  process->overflow_calls = get_number(row, INT64_MAX);
  process->threads_started = get_number(row, INT64_MAX);
  for (int kind = 0; kind < DROP_KINDS; kind++)
    process->drops[kind] = get_number(row, INT64_MAX);
}

static void take_thread(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->thread_count);
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
  thread->name = take_text(loader, row);
}

/* ---- contexts ---- */

static uint32_t *history_room(struct loader *loader, size_t length) {
  if (length > loader->history_room) {
    loader->history_room = 2 * length;
    loader->history =
        memory_resized(loader->history, loader->history_room, sizeof *loader->history);
  }
  return loader->history;
}

/* [3,-1,2]: see writer.c. Returns the length, 0 if it is not such a text. */
static uint32_t parse_history(struct loader *loader, const char *text) {
  uint32_t length = 0;
  if (*text != '[') return 0;
  while (*text != ']') {
    char *end;
    long long number = strtoll(text + 1, &end, 10);
    uint64_t id = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (end == text + 1 || id == 0 || id > loader->profile->function_count ||
        (*end != ',' && *end != ']'))
      return 0;
    history_room(loader, length + 1)[length] = history_entry(id - 1, number > 0);
    length++;
    text = end;
  }
  return length;
}

static uint32_t inherit_history(struct loader *loader, uint32_t parent, uint32_t function) {
  const struct profile_context *from = &loader->profile->contexts[parent];
  uint32_t *history = history_room(loader, (size_t)from->length + 1);
  if (from->length) memcpy(history, from->history, from->length * sizeof *history);
  history[from->length] = history_entry(function, true);
  return from->length + 1;
}

/* Costs rely on it: the running function is marked, and no function is marked twice. */
static bool is_history(struct loader *loader, uint32_t length, uint32_t stamp) {
  for (uint32_t i = 0; i < length; i++) {
    if (!history_marked(loader->history[i])) continue;
    uint32_t *seen = &loader->marked_in[history_function(loader->history[i])];
    if (*seen == stamp) return false;
    *seen = stamp;
  }
  return !length || history_marked(loader->history[length - 1]);
}

static void take_context(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->context_count);
  MEMORY_GROW(profile->contexts, profile->context_count, loader->context_room);
  struct profile_context *context = &profile->contexts[profile->context_count];
  context->thread = get_id(row, profile->thread_count);
  uint32_t parent = get_optional_id(row, profile->context_count);
  uint32_t function = get_optional_id(row, profile->function_count);
  context->length = get_number(row, UINT32_MAX >> 2);
  context->self.ticks = get_number(row, INT64_MAX);
  context->self.raw_ns = get_number(row, INT64_MAX);
  const char *text = get_optional_text(row);
  uint32_t length = 0;
  if (row->damaged) return;
  if (parent != NOTHING && function != NOTHING)
    length = inherit_history(loader, parent, function);
  else if (text)
    length = parse_history(loader, text);
  loader->history_entries += length;
  if (length != context->length || loader->history_entries > MOST_HISTORY_ENTRIES ||
      !is_history(loader, length, profile->context_count + 1)) {
    row->damaged = true;
    return;
  }
  uint32_t *copy = pool_allocate(profile->pool, length * sizeof *copy);
  if (length) memcpy(copy, loader->history, length * sizeof *copy);
  context->history = copy;
  profile->context_count++;
}

static int check_spawners(struct loader *loader) {
  const struct profile *profile = loader->profile;
  for (size_t i = 0; i < profile->thread_count; i++)
    if (profile->threads[i].spawned_in != NOTHING &&
        profile->threads[i].spawned_in >= profile->context_count)
      return damaged(loader);
  return 0;
}

static int read_contexts(struct loader *loader) {
  loader->marked_in = memory_zeroed(loader->profile->function_count, sizeof *loader->marked_in);
  int result = read_rows(loader,
                         "SELECT id, thread, parent, function, depth, self_ticks, self_raw_ns,"
                         " history FROM raw_contexts ORDER BY id",
                         take_context);
  return result == 0 ? check_spawners(loader) : result;
}

/* ---- calls and ticks ---- */

static void take_site(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->site_count);
  MEMORY_GROW(profile->sites, profile->site_count, loader->site_room);
  struct profile_site *site = &profile->sites[profile->site_count++];
  site->caller = get_optional_id(row, profile->function_count);
  site->callee = get_id(row, profile->function_count);
  site->within = get_optional_id(row, profile->function_count);
  site->object = get_optional_id(row, profile->object_count);
  site->offset = get_number(row, INT64_MAX);
  site->file = take_file(loader, row);
  site->line = get_number(row, UINT32_MAX);
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

static void take_line(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  expect_id(row, profile->line_count);
  MEMORY_GROW(profile->lines, profile->line_count, loader->line_room);
  struct profile_line *line = &profile->lines[profile->line_count++];
  line->function = get_id(row, profile->function_count);
  line->file = take_file(loader, row);
  line->line = get_number(row, UINT32_MAX);
}

static void take_tick(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->ticks, profile->tick_count, loader->tick_room);
  struct profile_tick *tick = &profile->ticks[profile->tick_count++];
  tick->context = get_id(row, profile->context_count);
  tick->line = get_id(row, profile->line_count);
  tick->amount.ticks = get_number(row, INT64_MAX);
  tick->amount.raw_ns = get_number(row, INT64_MAX);
}

static void take_run(struct loader *loader, struct row_in *row) {
  loader->profile->version = take_text(loader, row);
}

static int read_tables(struct loader *loader) {
  static const struct {
    const char *sql;
    void (*take)(struct loader *loader, struct row_in *row);
  } before[] = {{"SELECT id, path FROM raw_files ORDER BY id", take_file_name},
                {"SELECT id, path, build_id, message FROM raw_objects ORDER BY id", take_object},
                {"SELECT id, name, linkage, file, line, object, kind FROM raw_functions"
                 " ORDER BY id",
                 take_function},
                {"SELECT * FROM raw_processes ORDER BY id", take_process},
                {"SELECT id, process, tid, owners, start_function, spawned_in, ticks, lost,"
                 " cpu_ns, name FROM raw_threads ORDER BY id",
                 take_thread}},
    after[] = {
        {"SELECT id, caller, callee, within, object, offset, file, line FROM raw_sites"
         " ORDER BY id",
         take_site},
        {"SELECT from_context, to_context, site, calls FROM raw_transitions", take_transition},
        {"SELECT id, function, file, line FROM raw_lines ORDER BY id", take_line},
        {"SELECT context, line, ticks, raw_ns FROM raw_ticks", take_tick},
        {"SELECT version FROM raw_runs", take_run}};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (read_rows(loader, before[i].sql, before[i].take) != 0) return -1;
  if (read_contexts(loader) != 0) return -1;
  for (size_t i = 0; i < sizeof after / sizeof *after; i++)
    if (read_rows(loader, after[i].sql, after[i].take) != 0) return -1;
  return loader->profile->version ? 0 : damaged(loader);
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
    return error_set(loader->error, "%s is an SQLite database, but no profile of Ascribe",
                     loader->path);
  if (read_pragma(loader, "PRAGMA user_version", &version) != 0) return -1;
  if (version != PROFILE_SCHEMA_VERSION)
    return error_set(loader->error,
                     "%s has version %lld of the profile's format, this Ascribe reads version %d:"
                     " use the one that wrote it",
                     loader->path, (long long)version, PROFILE_SCHEMA_VERSION);
  return 0;
}

static int open_database(struct loader *loader) {
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(loader->path, &loader->database, flags, NULL) != SQLITE_OK)
    return database_error(loader->database, loader->path, loader->error);
  sqlite3_db_config(loader->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(loader->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  return database_run(loader->database, loader->path, "PRAGMA cell_size_check=ON", loader->error);
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
  if (!store_is_file(path)) return error_set(error, "%s is no profile of Ascribe", path);
  struct loader loader = {.path = path, .error = error};
  loader.profile = memory_zeroed(1, sizeof *loader.profile);
  loader.profile->pool = pool_create();
  int result = open_database(&loader);
  if (result == 0) result = check_version(&loader);
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
