#include "view/compared_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/ids.h"
#include "store/schema.h"
#include "view/compared_number.h"
#include "view/id_set.h"
#include "view/keyed_rows.h"
#include "view/name_ranks.h"

/* ---- the columns of both sides ---- */

#define NO_RANGE " NULL AS source_column, NULL AS way"

/* The numbers of each profile's entries, by ascending ids; with its number for each %1$d. */
static const struct {
  const char *name;
  enum naming named; /* by what, as `callee` */
  bool calls, files; /* which of its other texts there are */
  const char *sql;
} entries[ENTRY_KINDS] = {
    {"functions, compared", NAMES_FUNCTION, false, true,
     "SELECT id, NULL AS caller, id AS callee, file, nullif(line, 0) AS line,"
     " calls + recursive_calls AS calls, self_ns, total_ns, " SCHEMA_UNCERTAINTY(
         "self", "self_ns") " AS uncertainty_ns," NO_RANGE " FROM p%1$d.raw_functions"},
    {"arcs, compared", NAMES_FUNCTION, true, false,
     "SELECT rowid AS id, caller, callee, NULL AS file, NULL AS line, calls, in_self_ns AS self_ns,"
     " in_self_ns + in_child_ns AS total_ns, NULL AS uncertainty_ns," NO_RANGE
     " FROM p%1$d.raw_arcs"},
    {"sites, compared", NAMES_FUNCTION, true, true,
     "SELECT id, caller, callee, file, nullif(line, 0) AS line, calls, NULL AS self_ns,"
     " NULL AS total_ns, NULL AS uncertainty_ns," NO_RANGE " FROM p%1$d.raw_sites"},
    {"lines, compared", NAMES_FUNCTION, false, true,
     "SELECT * FROM (SELECT -x.id AS id, NULL AS caller, x.function AS callee, x.file, x.line,"
     " x.count AS calls, NULL AS self_ns, NULL AS total_ns, NULL AS uncertainty_ns," NO_RANGE
     " FROM " ENTRY_EXECUTED " x LEFT JOIN p%1$d.raw_lines l"
     " ON x.file = l.file AND x.line = l.line AND x.function = l.function WHERE l.id IS NULL"
     " ORDER BY 1)"
     " UNION ALL SELECT l.id, NULL, l.function, l.file, nullif(l.line, 0), x.count, l.self_ns,"
     " l.total_ns, " SCHEMA_UNCERTAINTY(
         "l.self",
         "l.self_ns") "," NO_RANGE " FROM p%1$d.raw_lines l LEFT JOIN " ENTRY_EXECUTED " x"
                      " ON x.file = l.file AND x.line = l.line AND x.function = l.function"},
    {"expressions, compared", NAMES_FUNCTION, false, true,
     "SELECT id, NULL AS caller, function AS callee, file, nullif(line, 0) AS line,"
     " count AS calls, self_ns, NULL AS total_ns, " SCHEMA_UNCERTAINTY(
         "self", "self_ns") " AS uncertainty_ns,"
                            " source_column, (kind <> 1) * 1e12 + kind * 1e10 + way AS way FROM "
                            "p%1$d.raw_expressions"},
    {"kinds, compared", NAMES_KIND, false, false,
     "SELECT id, NULL AS caller, kind AS callee, NULL AS file, NULL AS line, calls,"
     " own AS self_ns, NULL AS total_ns, max(high - own, own - low) AS uncertainty_ns,"
     " NULL AS source_column, " ENTRY_ORDER_OF_WAY " AS way FROM " ENTRY_OF_KINDS " ORDER BY 1"},
    {"places, compared", NAMES_FUNCTION, false, true,
     "SELECT id, NULL AS caller, function AS callee, file, line, calls, own AS self_ns,"
     " NULL AS total_ns, max(high - own, own - low) AS uncertainty_ns," NO_RANGE
     " FROM " ENTRY_OF_PLACES " ORDER BY 1"}};

/* What stands in the answer, and where it comes from. */
enum origin { FROM_A, FROM_B, FROM_EITHER }; /* either: a's, or what only b has */

static const struct answered {
  const char *name, *column;
  enum origin origin;
  enum naming naming;
} answered[] = {{"name", "callee", FROM_EITHER, NAMES_FUNCTION},
                {"caller_name", "caller", FROM_EITHER, NAMES_FUNCTION},
                {"file", "file", FROM_EITHER, NAMES_FILE},
                {"line", "line", FROM_EITHER, NAMES_END},
                {"source_column", "source_column", FROM_EITHER, NAMES_END},
                {"way", "way", FROM_EITHER, NAMES_END},
                {"a", "id", FROM_A, NAMES_END},
                {"b", "id", FROM_B, NAMES_END},
                {"a_calls", "calls", FROM_A, NAMES_END},
                {"b_calls", "calls", FROM_B, NAMES_END},
                {"a_self_ns", "self_ns", FROM_A, NAMES_END},
                {"b_self_ns", "self_ns", FROM_B, NAMES_END},
                {"a_total_ns", "total_ns", FROM_A, NAMES_END},
                {"b_total_ns", "total_ns", FROM_B, NAMES_END},
                {"a_uncertainty_ns", "uncertainty_ns", FROM_A, NAMES_END},
                {"b_uncertainty_ns", "uncertainty_ns", FROM_B, NAMES_END}};

enum { FILTERED = 3 }; /* the first of them are what filters look into */

struct side {
  const double *values[COLUMNS_ASKED]; /* by place among those that are asked for; ids first */
  size_t count;
  struct id_set filtered[FILTERED];
  struct name_ranks ranks;
};

struct search {
  const struct compared_question *question;
  struct error *error;
  const char *names[COLUMNS_ASKED];
  size_t asked;
  bool filter;
  size_t filtered[FILTERED]; /* places of the columns */
  const struct answered *sort;
  size_t sorted; /* the place of its column */
  enum compared_number_of number;
  struct side sides[2];
};

static size_t ask_for(struct search *search, const char *name) {
  for (size_t i = 0; i < search->asked; i++)
    if (strcmp(search->names[i], name) == 0) return i;
  search->names[search->asked] = name;
  return search->asked++;
}

/* ---- the place of an entry ---- */

/* A file of somebody else's may have anything there: it is above all ids. */
static int64_t row_id(const void *ids, size_t place) {
  double id = ((const double *)ids)[place];
  return fabs(id) < 0x1p63 ? (int64_t)id : INT64_MAX;
}

static size_t row_of(const struct side *side, int64_t id) {
  return id == ENTRY_NONE ? side->count : ids_find_by(side->values[0], side->count, id, row_id);
}

/* The side that a pair is told by. */
static const struct side *either(const struct search *search, const struct entry_pair *pair,
                                 int64_t *id) {
  bool in_a = pair->a != ENTRY_NONE;
  *id = in_a ? pair->a : pair->b;
  return &search->sides[in_a ? 0 : 1];
}

/* ---- what is asked ---- */

/* By what the column of ids is named, if it is one. */
static enum naming naming_of(enum compared_kind kind, const struct answered *text) {
  return text->naming == NAMES_FUNCTION ? entries[kind].named : text->naming;
}

/* Whether entries of this kind have the text. */
static bool has_text(enum compared_kind kind, const struct answered *text) {
  if (strcmp(text->column, "caller") == 0) return entries[kind].calls;
  return strcmp(text->column, "file") != 0 || entries[kind].files;
}

static int open_filter(struct search *search) {
  const struct compared_question *question = search->question;
  const size_t profiles[] = {question->compared->first, question->compared->second};
  if (!question->filter || !*question->filter) return 0;
  search->filter = true;
  for (size_t i = 0; i < FILTERED; i++) {
    if (!has_text(question->compared->kind, &answered[i])) continue;
    search->filtered[i] = ask_for(search, answered[i].column);
    for (int s = 0; s < 2; s++)
      if (id_set_add_filtered(&search->sides[s].filtered[i], &question->view->workspace,
                              profiles[s], naming_of(question->compared->kind, &answered[i]),
                              question->filter, search->error) != 0)
        return -1;
  }
  return 0;
}

static int open_sort(struct search *search) {
  const struct compared_question *question = search->question;
  search->number = compared_number_named(question->sort);
  for (size_t i = 0; !search->sort && i < sizeof answered / sizeof *answered; i++)
    if (strcmp(answered[i].name, question->sort) == 0) search->sort = &answered[i];
  if (search->number != COMPARED_END) return 0;
  if (!search->sort)
    return error_set(search->error, "the table has no column %.100s", question->sort);
  search->sorted = ask_for(search, search->sort->column);
  enum naming naming = naming_of(question->compared->kind, search->sort);
  if (!naming) return 0;
  const size_t profiles[] = {question->compared->first, question->compared->second};
  struct name_ranks ranks[2];
  int result =
      name_ranks_read(&question->view->workspace, profiles, 2, naming, ranks, search->error);
  for (int s = 0; s < 2; s++)
    search->sides[s].ranks = ranks[s];
  return result;
}

/* Where nothing was counted in lines: without looking for it a million times. */
static const char plain_lines[] =
    "SELECT id, NULL AS caller, function AS callee, file, nullif(line, 0) AS line, NULL AS calls,"
    " self_ns, total_ns, " SCHEMA_UNCERTAINTY("self", "self_ns") " AS uncertainty_ns," NO_RANGE
                                                                 " FROM p%1$d.raw_lines";

static int write_sql(const struct search *search, size_t profile, char *sql, size_t size) {
  struct workspace *workspace = &search->question->view->workspace;
  enum compared_kind kind = search->question->compared->kind;
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, search->error,
                        "SELECT executions FROM profile WHERE id = %d", (int)profile) != 0)
    return -1;
  bool executed = sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
  sqlite3_finalize(row);
  snprintf(sql, size, kind == ENTRY_LINES && !executed ? plain_lines : entries[kind].sql,
           (int)profile);
  return 0;
}

static int open_columns(struct search *search) {
  const struct compared *compared = search->question->compared;
  struct view *view = search->question->view;
  for (int s = 0; s < 2; s++) {
    char sql[2048];
    size_t profile = s ? compared->second : compared->first;
    if (write_sql(search, profile, sql, sizeof sql) != 0 ||
        columns_take(&view->columns, &view->workspace, profile, entries[compared->kind].name, sql,
                     search->names, search->asked, search->sides[s].values, &search->sides[s].count,
                     search->error) != 0)
      return -1;
  }
  return 0;
}

/* ---- pairs ---- */

static bool passes(const struct search *search, const struct entry_pair *pair) {
  int64_t id;
  if (!search->filter) return true;
  const struct side *side = either(search, pair, &id);
  size_t row = row_of(side, id);
  bool any = false;
  for (size_t i = 0; !any && row < side->count && i < FILTERED; i++)
    any = id_set_has(&side->filtered[i], side->values[search->filtered[i]][row]);
  return any;
}

static double sorted_by(const struct search *search, size_t place) {
  const struct entry_pair *pair = &search->question->compared->pairs.items[place];
  if (search->number != COMPARED_END)
    return compared_number(search->question->compared, place, search->number);
  int64_t id = search->sort->origin == FROM_A ? pair->a : pair->b;
  const struct side *side = &search->sides[search->sort->origin == FROM_A ? 0 : 1];
  if (search->sort->origin == FROM_EITHER) side = either(search, pair, &id);
  size_t row = row_of(side, id);
  if (row == side->count) return NAN;
  double value = side->values[search->sorted][row];
  return search->sort->naming ? name_rank(&side->ranks, value) : value;
}

static void take_page(const struct search *search, struct compared_page *page) {
  const struct compared_question *question = search->question;
  const struct entry_pairs *pairs = &question->compared->pairs;
  struct keyed_row *list = memory_resized(NULL, pairs->count, sizeof *list);
  for (size_t i = 0; i < pairs->count; i++)
    if (passes(search, &pairs->items[i]))
      list[page->all++] =
          (struct keyed_row){keyed_row_key(sorted_by(search, i), question->up), (uint32_t)i};
  size_t from = question->offset < page->all ? question->offset : page->all;
  page->count = page->all - from < question->limit ? page->all - from : question->limit;
  keyed_rows_select(list, page->all, from, from + page->count);
  page->places = memory_resized(NULL, page->count, sizeof *page->places);
  for (size_t i = 0; i < page->count; i++)
    page->places[i] = list[from + i].row;
  free(list);
}

int compared_rows_find(const struct compared_question *question, struct compared_page *page,
                       struct error *error) {
  struct search search = {.question = question, .error = error};
  *page = (struct compared_page){0};
  columns_release(&question->view->columns);
  ask_for(&search, "id");
  ask_for(&search, "callee"); /* now, as the first question waits for the comparison anyway */
  if (entries[question->compared->kind].calls) ask_for(&search, "caller");
  int result = open_filter(&search);
  if (result == 0) result = open_sort(&search);
  if (result == 0) result = open_columns(&search);
  if (result == 0) take_page(&search, page);
  for (int s = 0; s < 2; s++) {
    name_ranks_free(&search.sides[s].ranks);
    for (size_t i = 0; i < FILTERED; i++)
      id_set_free(&search.sides[s].filtered[i]);
  }
  return result;
}
