#include "view/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/interval.h"
#include "base/json.h"
#include "store/store.h"
#include "view/dial.h"
#include "view/id_list.h"
#include "view/time_bands.h"

enum { BANDS_MOST = 40, BANDS_USUAL = 10, PARTS_MOST = 1000, PARTS_USUAL = 100 };

struct timeline {
  char *path;
  struct profile *profile; /* with its series; null: not needed yet */
};

void timeline_open(struct view *view, const char *path) {
  view->timeline = memory_zeroed(1, sizeof *view->timeline);
  view->timeline->path = memory_text(path);
}

void timeline_close(struct view *view) {
  if (!view->timeline) return;
  if (view->timeline->profile) profile_free(view->timeline->profile);
  free(view->timeline->path);
  free(view->timeline);
  view->timeline = NULL;
}

bool timeline_is_known(struct view *view) {
  sqlite3_stmt *row = NULL;
  struct error ignored;
  if (!view->timeline) return false;
  if (view->parts[0].to_ns || view->selected) return true;
  if (workspace_prepare(&view->workspace, &row, &ignored,
                        "SELECT EXISTS (SELECT 1 FROM p1.raw_series)") != 0)
    return false;
  bool known = sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
  sqlite3_finalize(row);
  return known;
}

static int load(struct timeline *timeline, struct error *error) {
  return timeline->profile ? 0 : store_load_series(timeline->path, &timeline->profile, error);
}

/* ---- bands ---- */

static const char *const owner_names[] = {"functions", "centres", "threads", "kinds"};
enum { OWNER_KINDS = sizeof owner_names / sizeof *owner_names };

static int owners_of(const char *text, enum time_owners *by, struct error *error) {
  for (size_t i = 0; i < OWNER_KINDS; i++)
    if (!text || strcmp(text, owner_names[i]) == 0) {
      *by = (enum time_owners)i;
      return 0;
    }
  return error_set(error, "by %s: expected functions, centres, threads or kinds", text);
}

int timeline_answer(struct view *view, const struct parameters *parameters, FILE *out,
                    struct error *error) {
  struct time_bands asked = {
      .parts = (size_t)parameters_number(parameters, "parts", PARTS_MOST, PARTS_USUAL),
      .most = (size_t)parameters_number(parameters, "most", BANDS_MOST, BANDS_USUAL),
      .thread = NOTHING};
  if (!view->timeline)
    return error_set(error, "a recording, or a part of a profile, is not shown by time");
  if (owners_of(parameters_text(parameters, "by"), &asked.by, error) != 0 ||
      load(view->timeline, error) != 0)
    return -1;
  int64_t thread = parameters_number(parameters, "thread", UINT32_MAX, 0);
  if (thread > (int64_t)view->timeline->profile->thread_count)
    return error_set(error, "the profile has no such thread");
  if (thread) asked.thread = (uint32_t)thread - 1;
  const char *name = view->workspace.metric;
  uint32_t metric = name ? metrics_find(view->timeline->profile, name) : 0;
  if (metric == NOTHING) return error_set(error, "the profile has no metric %s", name);
  if (!asked.parts) asked.parts = 1;
  struct json json = {.out = out, .first = true};
  if (time_bands_write(&json, NULL, view->timeline->profile, metric, &asked)) return 0;
  return error_set(error, "this is not known by time");
}

int timeline_all_answer(struct view *view, FILE *out, struct error *error) {
  struct json json = {.out = out, .first = true};
  bool known = timeline_is_known(view);
  if (known && load(view->timeline, error) != 0) return -1;
  json_open(&json, NULL, '{');
  for (size_t i = 0; known && i < view->timeline->profile->metric_count; i++) {
    const struct profile *profile = view->timeline->profile;
    if (!profile->metrics[i].series_count) continue;
    json_open(&json, profile->metrics[i].name, '{');
    for (size_t by = 0; by < OWNER_KINDS; by++)
      time_bands_write(
          &json, owner_names[by], profile, (uint32_t)i,
          &(struct time_bands){(enum time_owners)by, PARTS_USUAL, BANDS_MOST, NOTHING});
    json_close(&json, '}');
  }
  json_close(&json, '}');
  return 0;
}

/* ---- parts ---- */

/* Without a text all is shown. */
struct selected {
  const char *text;
  struct id_list threads, focus, ignore; /* as in the profile, from 0 */
};

/* Ids of the file, apart by commas, up to `most`. */
static int take_ids(const struct parameters *parameters, const char *name, size_t most,
                    struct id_list *list, struct error *error) {
  if (id_list_parse(parameters_text(parameters, name), list) != 0)
    return error_set(error, "%s are ids, separated by commas", name);
  for (size_t i = 0; i < list->count; i++)
    if (!list->ids[i] || list->ids[i]-- > most)
      return error_set(error, "the profile has no such %s", name);
  return 0;
}

static int selected_take(struct view *view, const struct parameters *parameters,
                         struct selected *selected, struct error *error) {
  *selected = (struct selected){.text = parameters_text(parameters, "selected")};
  if (!selected->text || !*selected->text) {
    selected->text = NULL;
    return 0;
  }
  if (load(view->timeline, error) != 0) return -1;
  const struct profile *profile = view->timeline->profile;
  if (take_ids(parameters, "threads", profile->thread_count, &selected->threads, error) != 0 ||
      take_ids(parameters, "focus", profile->function_count, &selected->focus, error) != 0)
    return -1;
  return take_ids(parameters, "ignore", profile->function_count, &selected->ignore, error);
}

/* Contexts in which one of the functions is active are kept or, with `without`, the others. */
static void keep_contexts(const struct profile *profile, const struct id_list *functions,
                          bool without, bool *kept) {
  if (!functions->count) return;
  const struct selection selection = {
      .focus = functions->ids, .focus_count = functions->count, .thread = NOTHING};
  bool *active = costs_select(profile, &selection);
  for (size_t i = 0; i < profile->context_count; i++)
    kept[i] &= active[i] != without;
  free(active);
}

static bool is_in(const struct id_list *list, uint32_t id) {
  size_t i = 0;
  while (i < list->count && list->ids[i] != id)
    i++;
  return i < list->count;
}

/* By context, whether it was asked for; null: all. The array is the caller's. */
static bool *selected_contexts(const struct profile *profile, const struct selected *selected) {
  if (!selected->text) return NULL;
  bool *kept = memory_zeroed(profile->context_count, sizeof *kept);
  for (size_t i = 0; i < profile->context_count; i++)
    kept[i] = !selected->threads.count || is_in(&selected->threads, profile->contexts[i].thread);
  keep_contexts(profile, &selected->focus, false, kept);
  keep_contexts(profile, &selected->ignore, true, kept);
  return kept;
}

/* Null for none. */
static int take_part(struct view *view, struct profile_interval interval,
                     const struct selected *selected, struct profile **part, struct error *error) {
  *part = NULL;
  if (!interval.to_ns) return 0;
  if (interval.to_ns <= interval.from_ns) return error_set(error, "the part ends before it begins");
  if (load(view->timeline, error) != 0) return -1;
  if (view->timeline->profile->given) return error_set(error, "this is not known by time");
  *part = profile_duplicate(view->timeline->profile);
  bool *contexts = selected_contexts(*part, selected);
  int result = interval_take_of(*part, interval, contexts, error);
  free(contexts);
  if (result == 0) return 0;
  profile_free(*part);
  *part = NULL;
  return -1;
}

/* As FILE@FROM-TO names it elsewhere. */
static char *name_of_part(const char *path, struct profile_interval part) {
  return part.to_ns ? memory_printed("%s@%.9g-%.9g", path, part.from_ns / 1e9, part.to_ns / 1e9)
                    : memory_text(path);
}

/* As profile number `at` + 1, which may not be there yet. */
static int show_part(struct view *view, size_t at, struct profile_interval interval,
                     struct profile *part, struct error *error) {
  struct workspace *workspace = &view->workspace;
  const char *path = view->timeline->path;
  char *name = name_of_part(path, interval);
  int result = at < workspace->count ? workspace_replace(workspace, at + 1, part, name, path, error)
                                     : workspace_add_made(workspace, part, name, path, error);
  free(name);
  if (result == 0) view->parts[at] = interval;
  return result;
}

static int show_parts(struct view *view, const struct profile_interval intervals[2],
                      struct profile *const parts[2], struct error *error) {
  int result = view_forget(view, error);
  if (result == 0 && view->parts[1].to_ns && !parts[1]) {
    result = workspace_drop_last(&view->workspace, error);
    if (result == 0) view->parts[1] = (struct profile_interval){0};
  }
  for (size_t i = 0; i < 2; i++)
    if (result == 0 && (i == 0 || parts[i]))
      result = show_part(view, i, intervals[i], parts[i], error);
    else
      profile_free(parts[i]);
  return result;
}

/* A second part, or a selection, which are of one file. */
static int refuse_parts(const struct view *view, bool second, struct error *error) {
  if (!view->timeline) return error_set(error, "a recording is not shown in parts");
  if (dial_is_set(view)) return error_set(error, "undo what was chosen for calls first");
  if (view->n[0] > 0) return error_set(error, "growth is of whole runs");
  if (second && !view->parts[1].to_ns && view->workspace.count > 1)
    return error_set(error, "two profiles are compared already: "
                            "to compare two parts of a run, or to look at some of its threads or "
                            "functions, open its profile alone");
  return 0;
}

static struct profile_interval interval_of(const struct parameters *parameters, const char *from,
                                           const char *to) {
  struct profile_interval interval = {(uint64_t)parameters_number(parameters, from, INT64_MAX, 0),
                                      (uint64_t)parameters_number(parameters, to, INT64_MAX, 0)};
  if (!interval.to_ns) interval.from_ns = 0;
  return interval;
}

static int take_and_show(struct view *view, struct profile_interval intervals[2],
                         const struct selected *selected, struct error *error) {
  struct profile *parts[2] = {0};
  const struct profile_interval first = intervals[0];
  if (selected->text && !first.to_ns) intervals[0] = (struct profile_interval){0, UINT64_MAX};
  if (take_part(view, intervals[0], selected, &parts[0], error) != 0) return -1;
  if (take_part(view, intervals[1], selected, &parts[1], error) != 0) {
    profile_free(parts[0]);
    return -1;
  }
  intervals[0] = first;
  if (show_parts(view, intervals, parts, error) != 0) return -1;
  free(view->selected);
  view->selected = selected->text ? memory_text(selected->text) : NULL;
  return 0;
}

int timeline_part_answer(struct view *view, const struct parameters *parameters, FILE *out,
                         struct error *error) {
  struct profile_interval intervals[2] = {
      interval_of(parameters, "from_ns", "to_ns"),
      interval_of(parameters, "second_from_ns", "second_to_ns")};
  const char *asked = parameters_text(parameters, "selected");
  struct selected selected;
  if (refuse_parts(view, intervals[1].to_ns || (asked && *asked), error) != 0) return -1;
  if (intervals[1].to_ns && !intervals[0].to_ns)
    return error_set(error, "a second part is compared with a first one: choose that, too");
  if (selected_take(view, parameters, &selected, error) != 0) return -1;
  if (take_and_show(view, intervals, &selected, error) != 0) return -1;
  fputs("{}", out);
  return 0;
}
