#include "cli/completion.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/control_file.h"
#include "cli/event_choice.h"
#include "cli/profile_file.h"
#include "compare/entries.h"
#include "exchange/export.h"
#include "exchange/import.h"

/* What stands already: `length` bytes of a word. What is offered stands behind it. */
struct begun {
  const char *word;
  int length;
  const char *profile; /* the file that the words before name; null: none */
};

static void offer(const struct begun *begun, const char *word, const char *help) {
  printf("%.*s%s\t%s\n", begun->length, begun->word, word, help);
}

/* ---- arguments ---- */

/* Of several with commas between them the last one. */
static struct begun last_of_list(const struct begun *begun) {
  const char *comma = strrchr(begun->word + begun->length, ',');
  int length = comma ? (int)(comma + 1 - begun->word) : begun->length;
  return (struct begun){begun->word, length, begun->profile};
}

static void offer_events(const struct begun *begun) {
  const struct begun last = last_of_list(begun);
  const char *name;
  for (size_t i = 0; (name = event_choice_name(i)); i++)
    offer(&last, name, "");
}

/* Nobody waits long for a completion, and files of earlier versions are made anew to be read. */
static bool is_quick(const char *path) {
  enum { MOST_BYTES = 64 << 20 };
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size < MOST_BYTES;
}

/* Offer the rows of a query on the profile that the command line names, or else on the newest one
 * here. Each row is a word and its description; ?1 is the text typed so far. Words with blanks are
 * left out, since the shell would need them quoted. False: there is no such profile. */
static bool offer_rows(const struct begun *begun, const char *sql) {
  struct workspace workspace;
  struct error error;
  char *path = NULL;
  sqlite3_stmt *rows = NULL;
  int result = workspace_open(&workspace, &error);
  if (result == 0) result = profile_file_find(begun->profile, &path, &error);
  if (result == 0 && !is_quick(path)) result = -1;
  if (result == 0) result = workspace_add(&workspace, path, &error);
  if (result == 0) result = workspace_prepare(&workspace, &rows, &error, sql);
  if (result == 0) sqlite3_bind_text(rows, 1, begun->word + begun->length, -1, SQLITE_STATIC);
  while (result == 0 && sqlite3_step(rows) == SQLITE_ROW) {
    const char *word = (const char *)sqlite3_column_text(rows, 0);
    if (word && !word[strcspn(word, " \t\n")])
      offer(begun, word, (const char *)sqlite3_column_text(rows, 1));
  }
  sqlite3_finalize(rows);
  workspace_close(&workspace);
  free(path);
  return result == 0;
}

static void offer_metrics(const struct begun *begun) {
  const struct begun last = last_of_list(begun);
  if (offer_rows(&last, "SELECT name, unit FROM p1.metrics WHERE ?1 NOT NULL ORDER BY id")) return;
  offer(&last, "cpu", "");
  offer(&last, "waiting", "");
  offer_events(begun);
}

/* The most expensive functions that begin with the text; without parameters, as in options. */
static void offer_functions(const struct begun *begun) {
  offer_rows(begun, "SELECT base, object FROM (SELECT CASE instr(name, '(') WHEN 0 THEN name ELSE"
                    " substr(name, 1, max(instr(name, '(') - 1, 0)) END AS base, object,"
                    " coalesce(total_ns, self_ns) AS cost, calls FROM p1.functions)"
                    " WHERE base <> '' AND substr(base, 1, length(?1)) = ?1"
                    " GROUP BY base ORDER BY max(cost) DESC, max(calls) DESC LIMIT 200");
}

static void offer_threads(const struct begun *begun) {
  offer_rows(begun, "SELECT CAST(id AS TEXT), name || ' (' || tid || ')' FROM p1.threads"
                    " WHERE ?1 NOT NULL ORDER BY self_ns DESC LIMIT 200");
}

/* Processes that are being recorded. */
static void offer_recorded(const struct begun *begun) {
  DIR *all = opendir("/proc");
  for (struct dirent *entry; all && (entry = readdir(all));)
    if (atoi(entry->d_name) > 0 && control_is_there(atoi(entry->d_name)))
      offer(begun, entry->d_name, "");
  if (all) closedir(all);
}

static void offer_argument(const struct begun *begun, enum argument_kind kind,
                           const char *const *words) {
  switch (kind) {
  case ARGUMENT_ONE_OF:
  case ARGUMENT_SUCH_AS:
    for (; *words; words++)
      offer(begun, *words, "");
    break;
  case ARGUMENT_METRICS:
    offer_metrics(begun);
    break;
  case ARGUMENT_FUNCTIONS:
    offer_functions(begun);
    break;
  case ARGUMENT_THREADS:
    offer_threads(begun);
    break;
  case ARGUMENT_EVENTS:
    offer_events(begun);
    break;
  case ARGUMENT_ENTRY_KIND:
    for (size_t i = 0; i < ENTRY_KINDS; i++)
      offer(begun, entry_kind_names[i], "");
    break;
  case ARGUMENT_EXPORT_FORMAT:
    for (size_t i = 0; export_formats[i]; i++)
      offer(begun, export_formats[i]->name, export_formats[i]->readers);
    break;
  case ARGUMENT_IMPORT_FORMAT:
    for (size_t i = 0; import_formats[i]; i++)
      offer(begun, import_formats[i]->name, import_formats[i]->words);
    break;
  case ARGUMENT_RECORDED_PROCESS:
    offer_recorded(begun);
    break;
  case ARGUMENT_PROFILE:
    puts(":profiles");
    break;
  case ARGUMENT_PROCESS:
    puts(":processes");
    break;
  case ARGUMENT_FILE:
  case ARGUMENT_OF_THE_COMPILER:
    puts(":files");
    break;
  default:
    break;
  }
}

/* ---- options ---- */

static void offer_options(const struct option_row *row) {
  static const struct begun dashes = {"--", 2, NULL}, dash = {"-", 1, NULL};
  for (; row->value; row++)
    if (row->kind != ARGUMENT_REFUSED)
      offer(*row->name ? &dashes : &dash, *row->name ? row->name : row->letter, row->help);
}

/* The option that a word of the form --name=VALUE, or --name, is; null: none. */
static const struct option_row *row_of_word(const struct option_row *row, const char *word) {
  size_t length = strcspn(word, "=");
  for (; row->value; row++)
    if (length > 2 && strlen(row->name) == length - 2 &&
        strncmp(row->name, word + 2, length - 2) == 0)
      return row;
  return NULL;
}

/* The option of which the word behind this one is the argument, as in "-qo FILE"; null: none. */
static const struct option_row *waiting(const struct option_row *rows, const char *word) {
  if (word[1] == '-') {
    const struct option_row *row = strchr(word, '=') ? NULL : row_of_word(rows, word);
    return row && row->has_argument == required_argument ? row : NULL;
  }
  for (const char *letter = word + 1; *letter; letter++)
    for (const struct option_row *row = rows; row->value; row++)
      if (*row->letter == *letter && row->has_argument != no_argument)
        return letter[1] || row->has_argument != required_argument ? NULL : row;
  return NULL;
}

static void complete_last(const struct option_table *table, const char *word, const char *profile,
                          bool options) {
  const char *value = strchr(word, '=');
  const struct option_row *row = options ? row_of_word(table->rows, word) : NULL;
  if (options && *word == '-' && value && row)
    offer_argument(&(struct begun){word, (int)(value + 1 - word), profile}, row->kind, row->words);
  else if (options && *word == '-')
    offer_options(table->rows);
  else
    offer_argument(&(struct begun){word, 0, profile}, table->arguments, NULL);
}

static void complete_command(const struct option_table *table, int count, char **words) {
  const struct option_row *option = NULL;
  const char *named = NULL; /* the last argument that does not belong to an option */
  bool options = true, program = false;
  int i = 1;
  for (; i + 1 < count && !program; i++)
    if (option)
      option = NULL;
    else if (options && strcmp(words[i], "--") == 0)
      options = false;
    else if (options && words[i][0] == '-' && words[i][1])
      option = waiting(table->rows, words[i]);
    else
      program = table->arguments == ARGUMENT_PROGRAM, named = words[i];
  const char *last = words[count - 1];
  if (option)
    offer_argument(&(struct begun){last, 0, named}, option->kind, option->words);
  else if (table->arguments == ARGUMENT_PROGRAM && (program || !options || *last != '-'))
    printf(":program %d\n", program ? i - 1 : i);
  else
    complete_last(table, last, named, options);
}

void completion_print(int count, char **words) {
  const struct command *command = count > 1 ? command_named(words[0]) : NULL;
  const struct begun nothing = {"", 0, NULL};
  if (command) {
    complete_command(command->options, count, words);
    return;
  }
  if (count > 1) return;
  for (command = commands; command->name; command++)
    offer(&nothing, command->name, command->help);
  offer(&nothing, "--help", "show the commands");
  offer(&nothing, "--version", "show the version");
}
