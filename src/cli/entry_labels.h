/* What entries of profiles are called: in the last column of a table, and in JSON. */
#ifndef ASCRIBE_CLI_ENTRY_LABELS_H
#define ASCRIBE_CLI_ENTRY_LABELS_H

#include "base/json.h"
#include "cli/told_names.h"
#include "compare/entries.h"

struct entry_labels {
  struct workspace *workspace;
  enum compared_kind kind;
  size_t room;                  /* columns of a printed label; 0: as many as it takes */
  sqlite3_stmt *entry, *source; /* null: not needed yet */
  int64_t profile;              /* of the text that was read last */
  char *file, *text;
  struct told_names names; /* of the entries that were announced */
};

/* Zero but for the workspace, the kind and the room. To be closed with entry_labels_close. */
void entry_labels_close(struct entry_labels *labels);

/* "function", "call", "call site", "line", "expression". */
const char *entry_noun(enum compared_kind kind);
const char *entry_noun_of_many(enum compared_kind kind);

/* The metric that they are compared by: the one that was asked for, or null for the first. Kinds of
 * memory have heap metrics only. */
const char *entry_metric(enum compared_kind kind, const char *asked);

/* The columns that labels of a kind should have at least on a terminal. */
size_t entry_label_least(enum compared_kind kind);

/* Announce the entries that are to be printed, all of them before the first: names of them that are
 * shortened stay apart, and functions of one name have their file. 0, or -1 with the reason. */
int entry_labels_announce(struct entry_labels *labels, size_t profile, int64_t id,
                          struct error *error);
void entry_labels_announced(struct entry_labels *labels);

/* As much as there is room for: "main", "main (a.c:7)", "main -> work", "a.c:7  main -> work",
 * "a.c:7  main  work(n);", "a.c:7:3  main  work(n)". */
int entry_label_print(struct entry_labels *labels, size_t profile, int64_t id, FILE *out,
                      struct error *error);

/* Into an object: name, file and line of all; of calls and call sites caller_name; of lines and
 * expressions text; of expressions column, end_line, end_column and way. */
int entry_label_json(struct entry_labels *labels, size_t profile, int64_t id, struct json *json,
                     struct error *error);

/* The kind of entries that `name` is; -1 after a sentence on standard error: there is none. */
int entry_kind_take(const char *name, enum compared_kind *kind);

#endif
