/* libFuzzer target: any file as the choice that is kept beside a profile (view/dial.h), FILE.dial,
 * and so any file as a profile. An input is the file, if it begins as one of SQLite does; else it
 * is changes of values of the profile $ASCRIBE_TEST_WORK/fuzz_dial/profile.ascribe (dial_seeds).
 * Aborts when a profile that is accepted breaks what its readers rely on. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile_checks.h"
#include "require.h"
#include "store/store.h"
#include "view/dial.h"

enum { MOST_TABLES = 64, MOST_COLUMNS = 96, MOST_CHANGES = 16, ANY_ROW = 255 };

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct table {
  char name[64];
  char columns[MOST_COLUMNS][64];
  size_t column_count;
} tables[MOST_TABLES];
static size_t table_count;
static char directory[] = "/dev/shm/ascribe-fuzz-XXXXXX";
static char path[128], kept[128]; /* the profile, and the choice */

/* ---- once ---- */

static void remove_directory(void) {
  unlink(kept);
  unlink(path);
  rmdir(directory);
}

static void copy_file(const char *from, const char *to) {
  struct stat status;
  int source = open(from, O_RDONLY), copy = open(to, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  require(source >= 0 && copy >= 0 && fstat(source, &status) == 0);
  require(sendfile(copy, source, NULL, status.st_size) == status.st_size);
  close(source);
  close(copy);
}

static int note_column(void *context, int count, char **values, char **names) {
  (void)context, (void)count, (void)names;
  if (!table_count || strcmp(tables[table_count - 1].name, values[0]) != 0) {
    require(table_count < MOST_TABLES);
    snprintf(tables[table_count++].name, sizeof tables->name, "%s", values[0]);
  }
  struct table *table = &tables[table_count - 1];
  require(table->column_count < MOST_COLUMNS);
  snprintf(table->columns[table->column_count++], sizeof table->columns[0], "%s", values[1]);
  return 0;
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  (void)count, (void)arguments;
  char from[4096];
  sqlite3 *database;
  snprintf(from, sizeof from, "%s/fuzz_dial/profile.ascribe", getenv("ASCRIBE_TEST_WORK"));
  require(mkdtemp(directory) != NULL);
  atexit(remove_directory);
  snprintf(path, sizeof path, "%s/p.ascribe", directory);
  snprintf(kept, sizeof kept, "%s.dial", path);
  copy_file(from, path);
  require(sqlite3_open(path, &database) == SQLITE_OK);
  require(sqlite3_exec(database,
                       "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c"
                       " WHERE t.type = 'table' ORDER BY t.name, c.cid",
                       note_column, NULL, NULL) == SQLITE_OK);
  sqlite3_close(database);
  require(table_count > 0);
  return 0;
}

/* ---- changes ---- */

struct bytes {
  const uint8_t *next;
  size_t count;
};

static uint8_t take_byte(struct bytes *bytes) {
  if (!bytes->count) return 0;
  bytes->count--;
  return *bytes->next++;
}

static uint64_t take_word(struct bytes *bytes) {
  uint64_t word = 0;
  for (int i = 0; i < 8; i++)
    word |= (uint64_t)take_byte(bytes) << (8 * i);
  return word;
}

static void bind_text(sqlite3_stmt *statement, struct bytes *bytes) {
  size_t count = take_byte(bytes);
  if (count > bytes->count) count = bytes->count;
  sqlite3_bind_text(statement, 1, (const char *)bytes->next, (int)count, SQLITE_TRANSIENT);
  bytes->next += count;
  bytes->count -= count;
}

static void bind_value(sqlite3_stmt *statement, uint8_t kind, struct bytes *bytes) {
  union {
    uint64_t word;
    double number;
  } real;
  switch (kind % 5) {
  case 0:
    sqlite3_bind_null(statement, 1);
    break;
  case 1:
    sqlite3_bind_int(statement, 1, (int8_t)take_byte(bytes));
    break;
  case 2:
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)take_word(bytes));
    break;
  case 3:
    real.word = take_word(bytes);
    sqlite3_bind_double(statement, 1, real.number);
    break;
  default:
    bind_text(statement, bytes);
  }
}

/* A change is four bytes, which table, column, row and kind of value, and the value. What the
 * schema forbids does not happen. */
static void change(sqlite3 *database, struct bytes *bytes) {
  const struct table *table = &tables[take_byte(bytes) % table_count];
  const char *column = table->columns[take_byte(bytes) % table->column_count];
  uint8_t row = take_byte(bytes), kind = take_byte(bytes);
  sqlite3_stmt *statement;
  char *sql = row == ANY_ROW ? sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1", table->name, column)
                             : sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1 WHERE rowid ="
                                               " (SELECT rowid FROM \"%w\" LIMIT 1 OFFSET %d)",
                                               table->name, column, table->name, row);
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK) {
    bind_value(statement, kind, bytes);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  sqlite3_free(sql);
}

static void write_kept(const uint8_t *data, size_t size) {
  static const char begin[] = "SQLite format 3";
  if (size >= sizeof begin && memcmp(data, begin, sizeof begin) == 0) {
    FILE *file = fopen(kept, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    return;
  }
  struct bytes bytes = {data, size};
  sqlite3 *database;
  copy_file(path, kept);
  require(sqlite3_open(kept, &database) == SQLITE_OK);
  sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL, NULL,
               NULL);
  for (int i = 0; i < MOST_CHANGES && bytes.count; i++)
    change(database, &bytes);
  sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  sqlite3_close(database);
}

/* ---- what reads it ---- */

static void load(void) {
  struct profile *profile;
  if (store_load(kept, &profile, NULL) != 0) return;
  check_profile(profile);
  check_reports(profile);
  profile_free(profile);
}

static void ask(struct view *view, const char *name, FILE *out) {
  struct error error;
  struct parameters parameters = {0};
  parameters_add(&parameters, "site", "1");
  parameters_add(&parameters, "value", "5");
  parameters_add(&parameters, "near", "1");
  view_answer(view, name, &parameters, out, &error);
}

static void look(void) {
  struct view view;
  struct error error;
  FILE *out = fopen("/dev/null", "w");
  require(out && view_open(&view, &error) == 0 &&
          workspace_add(&view.workspace, path, &error) == 0);
  if (dial_open(&view, path, &error) == 0) {
    ask(&view, "info", out);
    ask(&view, "dial", out);
    ask(&view, "info", out);
  }
  view_close(&view);
  fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  write_kept(data, size);
  load();
  look();
  return 0;
}
