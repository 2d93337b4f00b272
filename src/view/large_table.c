#include "view/large_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONDITIONS = 4, MOST_ID = 1 << 26 };

/* Numbers from 0 on. */
struct set {
  bool *has;
  size_t size;
};

/* A row passes if one of the columns has a number of its set. */
struct condition {
  size_t columns[3]; /* places among those that are asked for */
  struct set sets[3];
  size_t count;
};

struct search {
  const struct large_question *question;
  struct error *error;
  char sql[1024];
  const char *names[COLUMNS_ASKED];
  const double *values[COLUMNS_ASKED];
  size_t asked, rows;
  struct condition conditions[MOST_CONDITIONS];
  size_t condition_count;
  double *ranks; /* of texts by id, where these are sorted by; or null */
  size_t rank_count;
  double unnamed_rank;
};

static const char *const conditioned[] = {"id", "caller", "callee", "function", "file"};

/* ---- sets ---- */

static int set_add(struct set *set, int64_t number) {
  if (number < 0 || number >= MOST_ID) return 0; /* no row has it */
  if ((size_t)number >= set->size) {
    size_t size = set->size ? set->size : 64;
    while (size <= (size_t)number)
      size *= 2;
    bool *room = realloc(set->has, size * sizeof *room);
    if (!room) return -1;
    memset(room + set->size, 0, (size - set->size) * sizeof *room);
    *set = (struct set){room, size};
  }
  set->has[number] = true;
  return 0;
}

static bool set_has(const struct set *set, double number) {
  return number >= 0 && number < (double)set->size && set->has[(size_t)number];
}

/* The ids of the statement's rows. */
static int set_fill(struct search *search, struct set *set, sqlite3_stmt *rows) {
  int step;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW)
    if (set_add(set, sqlite3_column_int64(rows, 0)) != 0)
      return error_set(search->error, "out of memory");
  return step == SQLITE_DONE ? 0
                             : workspace_error(&search->question->view->workspace, search->error);
}

static int set_of_text(struct search *search, struct set *set, const char *sql, const char *text) {
  sqlite3_stmt *rows = NULL;
  if (workspace_prepare(&search->question->view->workspace, &rows, search->error, sql,
                        (int)search->question->profile) != 0)
    return -1;
  sqlite3_bind_text(rows, 1, text, -1, SQLITE_STATIC);
  int result = set_fill(search, set, rows);
  sqlite3_finalize(rows);
  return result;
}

/* ---- what is asked ---- */

static size_t ask_for(struct search *search, const char *name) {
  for (size_t i = 0; i < search->asked; i++)
    if (strcmp(search->names[i], name) == 0) return i;
  search->names[search->asked] = name;
  return search->asked++;
}

static const struct large_text *text_named(const struct large_table *table, const char *name) {
  for (size_t i = 0; i < 3 && table->texts[i].naming; i++)
    if (strcmp(table->texts[i].name, name) == 0) return &table->texts[i];
  return NULL;
}

static const char *conditioned_column(const struct parameter *asked) {
  for (size_t i = 0; i < sizeof conditioned / sizeof *conditioned; i++)
    if (strcmp(asked->name + strlen("is."), conditioned[i]) == 0) return conditioned[i];
  return NULL;
}

static bool are_ids(const char *text) {
  return *text && !text[strspn(text, "0123456789,")];
}

/* "1,2,3" */
static int add_ids(struct set *set, const char *text) {
  for (char *end; *text; text = *end ? end + 1 : end) {
    long long id = strtoll(text, &end, 10);
    if (end != text && set_add(set, id) != 0) return -1;
  }
  return 0;
}

static int add_condition(struct search *search, const struct parameter *asked) {
  struct condition *condition = &search->conditions[search->condition_count++];
  const char *column = conditioned_column(asked);
  condition->count = 1;
  condition->columns[0] = ask_for(search, column);
  if (strcmp(column, "file") == 0)
    return set_of_text(search, condition->sets, "SELECT id FROM p%d.raw_files WHERE path = ?1",
                       asked->value);
  return add_ids(condition->sets, asked->value) == 0 ? 0
                                                     : error_set(search->error, "out of memory");
}

static int add_filter(struct search *search, const char *filter) {
  static const char *const sql[] = {
      [NAMES_FUNCTION] = "SELECT id FROM p%d.raw_functions WHERE instr(lower(name), lower(?1)) > 0",
      [NAMES_FILE] = "SELECT id FROM p%d.raw_files WHERE instr(lower(path), lower(?1)) > 0"};
  struct condition *condition = &search->conditions[search->condition_count++];
  const struct large_text *texts = search->question->table->texts;
  for (size_t i = 0; i < 3 && texts[i].naming; i++) {
    condition->columns[i] = ask_for(search, texts[i].number);
    condition->count++;
    if (set_of_text(search, &condition->sets[i], sql[texts[i].naming], filter) != 0) return -1;
  }
  return 0;
}

static int add_conditions(struct search *search) {
  const struct parameters *parameters = search->question->parameters;
  const char *filter = parameters_text(parameters, "filter");
  if (filter && *filter && add_filter(search, filter) != 0) return -1;
  for (size_t i = 0; i < parameters->count; i++)
    if (strncmp(parameters->items[i].name, "is.", 3) == 0 &&
        add_condition(search, &parameters->items[i]) != 0)
      return -1;
  return 0;
}

bool large_table_can(const struct large_question *question) {
  const struct parameters *parameters = question->parameters;
  size_t conditions = 1; /* the filter */
  for (size_t i = 0; i < parameters->count; i++) {
    const struct parameter *asked = &parameters->items[i];
    if (strncmp(asked->name, "is.", 3) != 0) continue;
    const char *column = conditioned_column(asked);
    bool file = column && strcmp(column, "file") == 0;
    if (!column || are_ids(asked->value) == file || !strstr(question->table->sql, column) ||
        ++conditions > MOST_CONDITIONS)
      return false;
  }
  return true;
}

/* ---- the order of texts ---- */

static int rank_texts(struct search *search, const struct large_text *text) {
  static const char *const sql[] = {
      [NAMES_FUNCTION] = "SELECT id, name < '<spontaneous>' FROM p%d.raw_functions ORDER BY name",
      [NAMES_FILE] = "SELECT id, 1 FROM p%d.raw_files ORDER BY path"};
  struct workspace *workspace = &search->question->view->workspace;
  sqlite3_stmt *rows = NULL;
  int step;
  if (workspace_prepare(workspace, &rows, search->error, sql[text->naming],
                        (int)search->question->profile) != 0)
    return -1;
  for (double rank = 1; (step = sqlite3_step(rows)) == SQLITE_ROW; rank++) {
    int64_t id = sqlite3_column_int64(rows, 0);
    if (id < 0 || id >= MOST_ID) continue;
    if ((size_t)id >= search->rank_count) {
      size_t size = 2 * (size_t)id + 64;
      double *room = realloc(search->ranks, size * sizeof *room);
      if (!room) break;
      for (size_t i = search->rank_count; i < size; i++)
        room[i] = NAN;
      search->ranks = room;
      search->rank_count = size;
    }
    search->ranks[id] = rank;
    if (sqlite3_column_int(rows, 1)) search->unnamed_rank = rank + 0.5;
  }
  sqlite3_finalize(rows);
  if (step == SQLITE_ROW) return error_set(search->error, "out of memory");
  if (text->naming == NAMES_FILE) search->unnamed_rank = NAN;
  return step == SQLITE_DONE ? 0 : workspace_error(workspace, search->error);
}

static double rank_of(const struct search *search, double id) {
  if (isnan(id)) return search->unnamed_rank;
  return id >= 0 && id < (double)search->rank_count ? search->ranks[(size_t)id] : NAN;
}

/* ---- rows ---- */

struct keyed {
  double key; /* smallest first */
  uint32_t row;
};

static bool passes(const struct search *search, size_t row) {
  for (size_t i = 0; i < search->condition_count; i++) {
    const struct condition *condition = &search->conditions[i];
    bool any = false;
    for (size_t k = 0; k < condition->count && !any; k++)
      any = set_has(&condition->sets[k], search->values[condition->columns[k]][row]);
    if (!any) return false;
  }
  return true;
}

/* What is not known comes last. */
static size_t list_rows(const struct search *search, size_t sort, struct keyed *list) {
  bool up = search->question->up, ranked = search->ranks;
  size_t count = 0;
  for (size_t row = 0; row < search->rows; row++) {
    if (!passes(search, row)) continue;
    double value = search->values[sort][row];
    if (ranked) value = rank_of(search, value);
    list[count++] = (struct keyed){isnan(value) ? INFINITY : up ? value : -value, (uint32_t)row};
  }
  return count;
}

static bool before(struct keyed a, struct keyed b) {
  return a.key != b.key ? a.key < b.key : a.row < b.row;
}

/* Quicksort that leaves out what lies wholly outside of `from` to `to`: afterwards these places
 * have the rows that they would have if all were sorted, in some order. */
static void select_rows(struct keyed *list, size_t count, size_t from, size_t to) {
  size_t low = 0, high = count;
  while (high - low > 1 && (low < from || high > to)) {
    struct keyed pivot = list[low + (high - low - 1) / 2];
    size_t i = low, k = high - 1;
    for (;; i++, k--) {
      while (before(list[i], pivot))
        i++;
      while (before(pivot, list[k]))
        k--;
      if (i >= k) break;
      struct keyed kept = list[i];
      list[i] = list[k];
      list[k] = kept;
    }
    size_t middle = k + 1; /* list[low..k] <= pivot <= list[k+1..high) */
    if (from >= middle)
      low = middle;
    else if (to <= middle)
      high = middle;
    else {
      select_rows(list + low, middle - low, from > low ? from - low : 0, middle - low);
      select_rows(list + middle, high - middle, 0, to < high ? to - middle : high - middle);
      return;
    }
  }
}

static int take_page(struct search *search, size_t sort, struct large_page *page) {
  const struct large_question *question = search->question;
  struct keyed *list = malloc((search->rows + 1) * sizeof *list);
  if (!list) return error_set(search->error, "out of memory");
  page->all = list_rows(search, sort, list);
  size_t from = question->offset < page->all ? question->offset : page->all;
  size_t count = page->all - from < question->limit ? page->all - from : question->limit;
  select_rows(list, page->all, from, from + count);
  page->ids = malloc((count + 1) * sizeof *page->ids);
  for (size_t i = 0; page->ids && i < count; i++)
    page->ids[i] = search->values[0][list[from + i].row]; /* names[0] is id */
  page->count = count;
  free(list);
  return page->ids ? 0 : error_set(search->error, "out of memory");
}

static int find(struct search *search, struct large_page *page) {
  const struct large_question *question = search->question;
  const struct large_text *text = text_named(question->table, question->sort);
  snprintf(search->sql, sizeof search->sql, question->table->sql, (int)question->profile);
  ask_for(search, "id");
  size_t sort = ask_for(search, text ? text->number : question->sort);
  if (add_conditions(search) != 0) return -1;
  if (text && rank_texts(search, text) != 0) return -1;
  if (columns_take(&question->view->columns, &question->view->workspace, question->profile,
                   question->table->name, search->sql, search->names, search->asked, search->values,
                   &search->rows, search->error) != 0)
    return -1;
  return take_page(search, sort, page);
}

int large_table_find(const struct large_question *question, struct large_page *page,
                     struct error *error) {
  struct search search = {.question = question, .error = error, .unnamed_rank = 0.5};
  *page = (struct large_page){0};
  int result = find(&search, page);
  for (size_t i = 0; i < search.condition_count; i++)
    for (size_t k = 0; k < search.conditions[i].count; k++)
      free(search.conditions[i].sets[k].has);
  free(search.ranks);
  return result;
}
