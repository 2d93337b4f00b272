#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profile/builder.h"
#include "store/loader.h"
#include "store/store.h"

/* ---- tables ---- */

static void take_file_name(struct loader *loader, struct row_in *row) {
  loader_expect_id(row, loader->file_count);
  ARRAY_GROW(loader->files, loader->file_count);
  loader->files[loader->file_count++] = pool_string(loader->profile->pool, get_text(row));
}

/* Files without metrics have the origin's event and, with --clock wall, waiting. */
static void take_older_metric(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  bool imported = get_number(row, 1), waiting = get_number(row, 1);
  const char *event = pool_string(profile->pool, get_optional_text(row));
  const char *unit = pool_string(profile->pool, get_optional_text(row));
  uint64_t evidence = get_number(row, EVIDENCE_UNKNOWN);
  enum metric_kind kind = imported ? METRIC_GIVEN : unit ? METRIC_EVENT : METRIC_CPU;
  if (!event && kind != METRIC_CPU) row->damaged = true;
  if (row->damaged || profile->metric_count) return;
  metrics_add(profile, kind, kind == METRIC_CPU ? "cpu" : event, unit);
  profile->metrics[0].evidence = evidence;
  if (waiting) metrics_add(profile, METRIC_WAITING, "waiting", NULL);
}

static int read_metrics(struct loader *loader) {
  metrics_free(loader->profile);
  if (loader_has(loader, "raw_metrics", "name")) return loader_table(loader, TABLE_METRICS);
  return loader_rows(loader,
                     "SELECT format IS NOT NULL, EXISTS (SELECT 1 FROM raw_wait_processes), event,"
                     " unit, evidence FROM raw_origin",
                     take_older_metric);
}

/* All metrics are of another tool's file, or none. */
static bool metrics_are_sound(const struct profile *profile) {
  for (size_t i = 0; i < profile->metric_count; i++)
    if ((profile->metrics[i].kind == METRIC_GIVEN) != (profile->origin.format != NULL))
      return false;
  return true;
}

bool loader_leaves_out(const struct loader *loader, enum stored_table table) {
  static const bool of_code[STORED_TABLES] = {
      [TABLE_FILES] = true,     [TABLE_OBJECTS] = true,     [TABLE_FUNCTIONS] = true,
      [TABLE_PROCESSES] = true, [TABLE_METRICS] = true,     [TABLE_MEASURES] = true,
      [TABLE_THREADS] = true,   [TABLE_EXPANSIONS] = true,  [TABLE_LINES] = true,
      [TABLE_RUNS] = true,      [TABLE_INSTRUCTIONS] = true};
  return loader->code && !of_code[table];
}

static int read_table(struct loader *loader, enum stored_table table) {
  struct profile *profile = loader->profile;
  if (loader_leaves_out(loader, table)) return 0;
  if (table == TABLE_METRICS) {
    if (read_metrics(loader) != 0) return -1;
    return profile->metric_count && profile->metric_count <= METRICS_MOST ? 0
                                                                          : loader_damaged(loader);
  }
  if (table == TABLE_FILES)
    return loader_rows(loader, "SELECT id, path FROM raw_files ORDER BY id", take_file_name);
  if (stored_tables[table].newer && !loader_has(loader, stored_tables[table].name, NULL)) return 0;
  if (table == TABLE_SERIES && !loader->series) return 0;
  if (table == TABLE_CENTRE_CONTEXTS) return loader_centre_contexts(loader);
  return table == TABLE_CONTEXTS ? loader_contexts(loader) : loader_table(loader, table);
}

/* A profile that is one run says it all itself. */
static int settle_runs(struct profile *profile) {
  if (!profile->run_count) return -1;
  profile->version = profile->runs[0].version;
  if (profile->run_count > 1) return 0;
  profile_forget_runs(profile);
  return 0;
}

/* Files of versions before 28 tell copies apart by blocks of the function, too. */
static void unite_copies(struct profile *profile) {
  struct profile_copy *copies = profile->copies;
  size_t count = profile->copy_count;
  struct profile_builder builder;
  profile->copies = NULL;
  profile->copy_count = 0;
  builder_open(&builder, profile);
  for (size_t i = 0; i < count; i++)
    builder_copy(&builder, copies[i]);
  builder_close(&builder);
  free(copies);
}

/* Since version 28 whoever counts expressions counts the source. */
static void note_counts_of_optimized(struct profile *profile) {
  static const char note[] =
      "executions of its lines were counted by an earlier version of ascribe "
      "cc, in the optimized program";
  for (size_t i = 0; i < profile->expression_count; i++) {
    uint32_t id = profile->functions[profile->expressions[i].function].object;
    struct profile_object *object = id == NOTHING ? NULL : &profile->objects[id];
    if (!object || object->counted != COUNTED_OPTIMIZED || *object->message) continue;
    object->message = pool_string(profile->pool, note);
  }
}

/* ---- ticks that are not kept ---- */

static void take_other(struct loader *loader, struct row_in *row) {
  (void)row;
  loader->code = false;
}

static int see_whether_code_suffices(struct loader *loader) {
  if (!loader->code) return 0;
  if (!loader_has(loader, "raw_metrics", "name") || !loader_has(loader, "raw_ticks", "metric"))
    loader->code = false;
  return loader_rows(loader, "SELECT 1 FROM raw_origin WHERE format IS NOT NULL", take_other);
}

static void add_tick(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  struct profile_metric *metric = &profile->metrics[get_id(row, profile->metric_count)];
  uint32_t process = get_id(row, profile->process_count);
  struct amount amount = get_amount(row);
  if (row->damaged) return;
  struct profile_measure *measure = &metric->measures[process];
  if (!profile->process_calls) measure->delivered = amount_sum(measure->delivered, amount);
  if (amount.ticks) metric->row_squares += (double)amount.raw_ns * amount.raw_ns / amount.ticks;
}

/* By process, as a profile has them that was merged of others: that one's are there already. */
static int add_up_ticks(struct loader *loader) {
  struct profile *profile = loader->profile;
  if (!loader->code || !profile->process_count) return 0;
  const char *sql = profile->process_count == 1
                        ? "SELECT metric, 1, ticks, raw_ns FROM raw_ticks"
                        : "SELECT t.metric, h.process, t.ticks, t.raw_ns FROM raw_ticks t"
                          " JOIN raw_contexts c ON c.id = t.context"
                          " JOIN raw_threads h ON h.id = c.thread";
  if (loader_rows(loader, sql, add_tick) != 0) return -1;
  if (!profile->process_calls)
    profile->process_calls = memory_zeroed(profile->process_count, sizeof *profile->process_calls);
  return 0;
}

/* ---- all of it ---- */

static int read_tables(struct loader *loader) {
  struct profile *profile = loader->profile;
  if (see_whether_code_suffices(loader) != 0) return -1;
  for (int table = 0; table < STORED_TABLES; table++)
    if (read_table(loader, table) != 0) return -1;
  if (loader_given(loader) != 0 || loader_check_later(loader) != 0) return -1;
  metrics_charge(profile);
  if (add_up_ticks(loader) != 0) return -1;
  if (loader_has(loader, "raw_copies", "block")) unite_copies(profile);
  note_counts_of_optimized(profile);
  bool whole = metrics_are_sound(profile);
  return whole && settle_runs(profile) == 0 ? 0 : loader_damaged(loader);
}

/* ---- the file ---- */

int store_is_file(const char *path) {
  char start[16] = "";
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return 0;
  ssize_t count = read(descriptor, start, sizeof start);
  close(descriptor);
  return count == sizeof start && memcmp(start, "SQLite format 3", sizeof start) == 0;
}

static int load(const char *path, struct loader loader, struct profile **profile,
                struct error *error) {
  if (access(path, R_OK) != 0)
    return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  if (!store_is_file(path)) return error_set(error, "%s is not an Ascribe profile", path);
  loader.path = path;
  loader.error = error;
  loader.profile = profile_create();
  int result = database_open(path, &loader.database, error);
  loader.rows_most = database_expect(path);
  if (result == 0 && database_check(loader.database, "main", path, error) < 0) result = -1;
  if (result == 0) result = read_tables(&loader);
  sqlite3_close(loader.database);
  free(loader.files);
  free(loader.history);
  if (result == 0)
    *profile = loader.profile;
  else
    profile_free(loader.profile);
  return result;
}

int store_load(const char *path, struct profile **profile, struct error *error) {
  return load(path, (struct loader){0}, profile, error);
}

int store_load_series(const char *path, struct profile **profile, struct error *error) {
  return load(path, (struct loader){.series = true}, profile, error);
}

int store_load_code(const char *path, struct profile **profile, struct error *error) {
  return load(path, (struct loader){.code = true}, profile, error);
}
