#include "view/large_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/id_set.h"
#include "view/keyed_rows.h"
#include "view/name_ranks.h"

enum { MOST_CONDITIONS = 4 };

/* A row passes if one of the columns has an id of its set. */
struct condition {
  size_t columns[3]; /* places among those that are asked for */
  struct id_set sets[3];
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
  struct name_ranks ranks; /* where rows are sorted by a text */
};

static const char *const conditioned[] = {"id", "caller", "callee", "function", "file", "line"};

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

static int add_condition(struct search *search, const struct parameter *asked) {
  struct condition *condition = &search->conditions[search->condition_count++];
  const char *column = conditioned_column(asked);
  condition->count = 1;
  condition->columns[0] = ask_for(search, column);
  struct id_set *set = condition->sets;
  if (strcmp(column, "file") == 0)
    return id_set_add_path(set, &search->question->view->workspace, search->question->profile,
                           asked->value, search->error);
  id_set_add_list(set, asked->value);
  return 0;
}

static int add_filter(struct search *search, const char *filter) {
  struct condition *condition = &search->conditions[search->condition_count++];
  const struct large_text *texts = search->question->table->texts;
  for (size_t i = 0; i < 3 && texts[i].naming; i++) {
    condition->columns[i] = ask_for(search, texts[i].number);
    condition->count++;
    if (id_set_add_filtered(&condition->sets[i], &search->question->view->workspace,
                            search->question->profile, texts[i].naming, filter, search->error) != 0)
      return -1;
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

/* ---- rows ---- */

static bool passes(const struct search *search, size_t row) {
  for (size_t i = 0; i < search->condition_count; i++) {
    const struct condition *condition = &search->conditions[i];
    bool any = false;
    for (size_t k = 0; k < condition->count && !any; k++)
      any = id_set_has(&condition->sets[k], search->values[condition->columns[k]][row]);
    if (!any) return false;
  }
  return true;
}

/* What the row is sorted by; `sort` is the place of the column, or of the ids that it is told by.
 */
static double sorted_by(const struct search *search, size_t sort, size_t row) {
  const struct large_question *question = search->question;
  double value = search->values[sort][row];
  if (search->ranks.of) return name_rank(&search->ranks, value);
  if (question->compared_by == COMPARED_END) return value;
  size_t place = compared_find(question->compared, (int64_t)value);
  return place < question->compared->pairs.count
             ? compared_number(question->compared, place, question->compared_by)
             : NAN;
}

static size_t list_rows(const struct search *search, size_t sort, struct keyed_row *list) {
  size_t count = 0;
  for (size_t row = 0; row < search->rows; row++)
    if (passes(search, row))
      list[count++] = (struct keyed_row){
          keyed_row_key(sorted_by(search, sort, row), search->question->up), (uint32_t)row};
  return count;
}

static void take_page(struct search *search, size_t sort, struct large_page *page) {
  const struct large_question *question = search->question;
  struct keyed_row *list = memory_resized(NULL, search->rows, sizeof *list);
  page->all = list_rows(search, sort, list);
  size_t from = question->offset < page->all ? question->offset : page->all;
  size_t count = page->all - from < question->limit ? page->all - from : question->limit;
  keyed_rows_select(list, page->all, from, from + count);
  page->ids = memory_resized(NULL, count, sizeof *page->ids);
  for (size_t i = 0; i < count; i++)
    page->ids[i] = search->values[0][list[from + i].row]; /* names[0] is id */
  page->count = count;
  free(list);
}

static int find(struct search *search, struct large_page *page) {
  const struct large_question *question = search->question;
  const struct large_text *text = text_named(question->table, question->sort);
  snprintf(search->sql, sizeof search->sql, question->table->sql, (int)question->profile);
  ask_for(search, "id");
  bool compared = question->compared_by != COMPARED_END;
  size_t sort = ask_for(search, compared ? "id" : text ? text->number : question->sort);
  if (add_conditions(search) != 0) return -1;
  if (text && name_ranks_read(&question->view->workspace, &question->profile, 1, text->naming,
                              &search->ranks, search->error) != 0)
    return -1;
  if (columns_take(&question->view->columns, &question->view->workspace, question->profile,
                   question->table->name, search->sql, search->names, search->asked, search->values,
                   &search->rows, search->error) != 0)
    return -1;
  take_page(search, sort, page);
  return 0;
}

int large_table_find(const struct large_question *question, struct large_page *page,
                     struct error *error) {
  struct search search = {.question = question, .error = error};
  *page = (struct large_page){0};
  columns_release(&question->view->columns);
  int result = find(&search, page);
  for (size_t i = 0; i < search.condition_count; i++)
    for (size_t k = 0; k < search.conditions[i].count; k++)
      id_set_free(&search.conditions[i].sets[k]);
  name_ranks_free(&search.ranks);
  return result;
}
