#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "store/store.h"
#include "view/code_answer.h"
#include "view/dial.h"
#include "view/flame.h"
#include "view/flame_tree.h"
#include "view/info.h"
#include "view/message_pairs.h"
#include "view/rank_figures.h"
#include "view/rank_files.h"
#include "view/series.h"
#include "view/shown.h"
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
  short_names_free(&view->short_names);
  for (size_t i = 0; i < WORKSPACE_MOST; i++) {
    flame_tree_free(view->trees[i]);
    view->trees[i] = NULL;
    if (view->loaded[i]) profile_free(view->loaded[i]);
    if (view->codes[i]) profile_free(view->codes[i]);
    view->loaded[i] = view->codes[i] = NULL;
  }
  memset(view->grown, 0, sizeof view->grown);
}

int view_forget(struct view *view, struct error *error) {
  forget_figures(view);
  return workspace_run(&view->workspace, error,
                       "DROP TABLE IF EXISTS entry; DROP TABLE IF EXISTS copied;"
                       "DROP TABLE IF EXISTS pair; DROP TABLE IF EXISTS matched;"
                       "DROP TABLE IF EXISTS growth; DROP TABLE IF EXISTS cycle_arcs1;");
}

void view_close(struct view *view) {
  forget_figures(view);
  dial_close(view);
  workspace_close(&view->workspace);
  if (!view->shares_timeline) timeline_close(view); /* last: parts have its texts */
}

/* ---- what is shown ---- */

static int refuse_ranks(const struct view *first, const struct shown *shown, struct error *error) {
  if (!timeline_path(first)) return error_set(error, "ranks of a recording are not kept apart");
  if (first->dial && dial_is_kept(first))
    return error_set(error, "undo what was chosen for calls first");
  if (shown_is_part(shown))
    return error_set(error, "a part of the run is shown: show all of it first");
  if (!shown->ranks[0])
    return error_set(error, "a second group is compared with a first one: choose that, too");
  if (first->workspace.count > 1)
    return error_set(error, "two profiles are compared already: open the profile of the job alone");
  return 0;
}

static int refuse_shown(const struct view *first, const struct shown *shown, struct error *error) {
  bool second = shown->parts[1].to_ns;
  if (shown_is_ranks(shown)) return refuse_ranks(first, shown, error);
  if (!shown_is_part(shown)) return 0;
  if (!first->timeline) return error_set(error, "a recording is not shown in parts");
  if (first->dial && dial_is_kept(first))
    return error_set(error, "undo what was chosen for calls first");
  if (first->n[0] > 0) return error_set(error, "growth is of whole runs");
  if (second && !shown->parts[0].to_ns)
    return error_set(error, "a second part is compared with a first one: choose that, too");
  if ((second || shown_is_selected(shown)) && first->workspace.count > 1)
    return error_set(error, "two profiles are compared already: "
                            "to compare two parts of a run, or to look at some of its threads or "
                            "functions, open its profile alone");
  return 0;
}

/* What is in no file is copied: each view has its own. */
static int add_again(struct view *view, const struct view *first, size_t at, struct error *error) {
  const struct workspace *from = &first->workspace;
  struct profile *made = from->made[at] ? profile_duplicate(from->made[at]) : NULL;
  return workspace_add_made(&view->workspace, made, from->paths[at], from->files[at], error);
}

static int add_ranks(struct view *view, const struct shown *shown, struct error *error) {
  const char *job = timeline_path(view);
  for (size_t i = 0; i < 2; i++)
    if (shown->ranks[i] && rank_files_add(&view->workspace, job, shown->ranks[i], error) != 0)
      return -1;
  return 0;
}

int view_open_shown(struct view *view, const struct view *first, const struct shown *shown,
                    struct error *error) {
  const char *metric = shown->metric ? shown->metric : first->workspace.metric;
  if (view_open(view, error) != 0 || workspace_check_files(&first->workspace, error) != 0 ||
      refuse_shown(first, shown, error) != 0)
    return -1;
  workspace_choose(&view->workspace, metric);
  view->timeline = first->timeline;
  view->live = first->live;
  view->turn = first->turn;
  view->shares_timeline = true;
  view->of_ranks = shown_is_ranks(shown);
  if (view->of_ranks) return add_ranks(view, shown, error);
  view->of_parts = shown_is_part(shown);
  for (size_t i = 0; i < first->workspace.count; i++)
    if ((i || !view->of_parts ? add_again(view, first, i, error)
                              : timeline_add_part(view, &first->workspace, shown, 0, error)) != 0)
      return -1;
  if (shown->parts[1].to_ns && timeline_add_part(view, &first->workspace, shown, 1, error) != 0)
    return -1;
  if (first->n[0] > 0) view_note_sizes(view, first->n);
  return first->dial && !view->of_parts ? dial_open(view, first->workspace.paths[0], error) : 0;
}

size_t view_profile(const struct view *view, const struct parameters *parameters) {
  size_t profile = parameters_number(parameters, "profile", (int64_t)view->workspace.count, 1);
  return profile ? profile : 1;
}

const struct profile *view_in_memory(struct view *view, size_t number, struct error *error) {
  const struct workspace *workspace = &view->workspace;
  size_t at = number - 1;
  const struct profile *profile;
  if (workspace->made[at]) return workspace->made[at];
  if (at == 0 && view->timeline)
    return timeline_profile(view, &profile, error) == 0 ? profile : NULL;
  if (!view->loaded[at] && store_load(workspace->paths[at], &view->loaded[at], error) != 0)
    return NULL;
  return view->loaded[at];
}

const struct profile *view_for_code(struct view *view, size_t number, struct error *error) {
  const struct workspace *workspace = &view->workspace;
  struct profile **code = &view->codes[number - 1];
  if (workspace->made[number - 1]) return workspace->made[number - 1];
  const struct profile *whole = number == 1 ? timeline_loaded(view) : view->loaded[number - 1];
  if (whole || *code) return whole ? whole : *code;
  return store_load_code(workspace->paths[number - 1], code, error) == 0 ? *code : NULL;
}

enum answer view_answer(struct view *view, const char *name, const struct parameters *parameters,
                        FILE *out, struct error *error) {
  int result;
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
  else if (strcmp(name, "matrix") == 0)
    result = message_pairs_answer(view, parameters, out, error);
  else if (strcmp(name, "ranks") == 0)
    result = rank_figures_answer(view, parameters, out, error);
  else if (strcmp(name, "alike") == 0)
    result = rank_groups_answer(view, out, error);
  else if (strcmp(name, "time") == 0)
    result = timeline_answer(view, parameters, out, error);
  else if (strcmp(name, "times") == 0)
    result = timeline_all_answer(view, out, error);
  else if (strcmp(name, "page") == 0)
    result = standalone_write(&(struct standalone){.view = view}, out, error);
  else if (strcmp(name, "series") == 0)
    result = series_answer(view, parameters, out, error);
  else
    return ANSWER_UNKNOWN;
  return result == 0 ? ANSWER_GIVEN : ANSWER_WRONG;
}
