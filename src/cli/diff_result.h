/* What `ascribe diff` found: both profiles, the comparison, and its rows. */
#ifndef ASCRIBE_CLI_DIFF_RESULT_H
#define ASCRIBE_CLI_DIFF_RESULT_H

#include <math.h>
#include <stdbool.h>

#include "compare/comparison.h"
#include "compare/verdict.h"

struct diff_request {
  enum compared_kind kind;
  const char *expression; /* null: the kind's own */
  const char *condition, *files[2];
  const char *metric; /* null: the first of each */
  int64_t limit;
  double neutral;
  bool json;
};

struct diff_side {
  const char *unit; /* null: time */
  char name[64];
  double scale, whole;
  bool has_contexts; /* counted by context: inlined functions are part of where they are inlined */
};

struct diff_result {
  const char *expression;
  bool amount; /* its value is one, in the unit of the sides */
  struct diff_side sides[2];
  char programs[2][64]; /* their names; empty: not known */
  bool same_program;
  double neutral;
  struct verdict verdict;
  int64_t entries, failed;
  int64_t unknown, unjudged; /* entries without a value; for which the condition is not known */
};

/* The two profiles: their units, which must be the same, and programs; and with that what they are
 * compared by, if the request does not say.  0, or -1 with the reason. */
int diff_result_open(struct workspace *workspace, const struct diff_request *request,
                     struct diff_result *result, struct error *error);

/* What the tables `compared` and `comparing` say of all entries. */
int diff_result_read(struct workspace *workspace, struct diff_result *result, struct error *error);

/* Whether both programs are known, and none is in both profiles. */
bool diff_programs_differ(const struct diff_result *result);

/* The columns of a row; those of b stand behind those of a. */
enum diff_column {
  DIFF_VALUE,
  DIFF_LOW,
  DIFF_HIGH,
  DIFF_STANDS_OUT,
  DIFF_FAILED,
  DIFF_A,
  DIFF_B,
  DIFF_A_CALLS,
  DIFF_B_CALLS,
  DIFF_A_SELF,
  DIFF_B_SELF,
  DIFF_A_TOTAL,
  DIFF_B_TOTAL
};

/* What stands out comes first; what has no value is left out, as it cannot be judged. */
int diff_rows(struct workspace *workspace, const struct diff_request *request, sqlite3_stmt **rows,
              struct error *error);

static inline bool diff_known(sqlite3_stmt *row, int column) {
  return sqlite3_column_type(row, column) != SQLITE_NULL;
}

/* NaN: not known. */
static inline double diff_number(sqlite3_stmt *row, int column) {
  return diff_known(row, column) ? sqlite3_column_double(row, column) : NAN;
}

/* The entry as the later profile has it, or else the earlier: its id there, and which it is. */
size_t diff_row_entry(sqlite3_stmt *row, int64_t *id);

#endif
