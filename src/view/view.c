#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "view/code_answer.h"
#include "view/dial.h"
#include "view/flame.h"
#include "view/flame_tree.h"
#include "view/info.h"
#include "view/live.h"
#include "view/series.h"
#include "view/source_answer.h"
#include "view/standalone.h"
#include "view/table_answer.h"
#include "view/timeline.h"

int view_open(struct view *view, struct error *error) {
  *view = (struct view){0};
  return workspace_open(&view->workspace, error);
}

void view_note_sizes(struct view *view, const double *n) {
  memcpy(view->n, n, view->workspace.count * sizeof *n);
}

static void forget_figures(struct view *view) {
  compared_free(&view->compared);
  sqlite3_free(view->compared_by);
  view->compared_by = NULL;
  columns_free(&view->columns);
  for (size_t i = 0; i < WORKSPACE_MOST; i++) {
    flame_tree_free(view->trees[i]);
    view->trees[i] = NULL;
    if (view->loaded[i]) profile_free(view->loaded[i]);
    view->loaded[i] = NULL;
  }
  memset(view->grown, 0, sizeof view->grown);
}

int view_forget(struct view *view, struct error *error) {
  forget_figures(view);
  return workspace_run(&view->workspace, error,
                       "DROP TABLE IF EXISTS entry; DROP TABLE IF EXISTS copied;"
                       "DROP TABLE IF EXISTS pair; DROP TABLE IF EXISTS matched;"
                       "DROP TABLE IF EXISTS growth;");
}

void view_close(struct view *view) {
  forget_figures(view);
  dial_close(view);
  free(view->selected);
  workspace_close(&view->workspace);
  timeline_close(view); /* last: parts have its texts */
}

size_t view_profile(const struct view *view, const struct parameters *parameters) {
  size_t profile = parameters_number(parameters, "profile", (int64_t)view->workspace.count, 1);
  return profile ? profile : 1;
}

static int metric_answer(struct view *view, const struct parameters *parameters, FILE *out,
                         struct error *error) {
  const char *name = parameters_text(parameters, "name");
  if (!name) return error_set(error, "no metric is named");
  if (dial_is_set(view)) return error_set(error, "undo what was chosen for calls first");
  if (view_forget(view, error) != 0 || workspace_choose(&view->workspace, name, error) != 0)
    return -1;
  fputs("{}", out);
  return 0;
}

enum answer view_answer(struct view *view, const char *name, const struct parameters *parameters,
                        FILE *out, struct error *error) {
  int result;
  if (strcmp(name, "live") == 0)
    return live_answer(view, parameters, out) == 0 ? ANSWER_GIVEN : ANSWER_WRONG;
  if (!live_is_of_turn(view, parameters)) {
    error_set(error, "the figures are newer by now");
    return ANSWER_PAST;
  }
  if (strcmp(name, "info") == 0)
    result = info_answer(view, out, error);
  else if (strcmp(name, "table") == 0)
    result = tables_answer(view, parameters, out, error);
  else if (strcmp(name, "source") == 0)
    result = source_answer(view, parameters, out, error);
  else if (strcmp(name, "flame") == 0)
    result = flame_answer(view, parameters, out, error);
  else if (strcmp(name, "code") == 0)
    result = code_answer(view, parameters, out, error);
  else if (strcmp(name, "dial") == 0)
    result = dial_answer(view, parameters, out, error);
  else if (strcmp(name, "metric") == 0)
    result = metric_answer(view, parameters, out, error);
  else if (strcmp(name, "time") == 0)
    result = timeline_answer(view, parameters, out, error);
  else if (strcmp(name, "times") == 0)
    result = timeline_all_answer(view, out, error);
  else if (strcmp(name, "part") == 0)
    result = timeline_part_answer(view, parameters, out, error);
  else if (strcmp(name, "page") == 0)
    result = standalone_write(&(struct standalone){.view = view}, out, error);
  else if (strcmp(name, "series") == 0)
    result = series_answer(view, parameters, out, error);
  else
    return ANSWER_UNKNOWN;
  return result == 0 ? ANSWER_GIVEN : ANSWER_WRONG;
}
