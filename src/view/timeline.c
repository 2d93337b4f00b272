#include "view/timeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/interval.h"
#include "base/base_name.h"
#include "base/json.h"
#include "store/store.h"
#include "view/dial.h"
#include "view/time_bands.h"

enum { BANDS_MOST = 40, BANDS_USUAL = 10, PARTS_MOST = 1000, PARTS_USUAL = 100 };

struct timeline {
  char *path; /* null: the profile is the view's own */
  pthread_mutex_t loading;
  struct profile *profile; /* with its series; null: not needed yet */
};

void timeline_open(struct view *view, const char *path) {
  view->timeline = memory_zeroed(1, sizeof *view->timeline);
  view->timeline->path = path ? memory_text(path) : NULL;
  if (!path) view->timeline->profile = view->workspace.made[0];
  pthread_mutex_init(&view->timeline->loading, NULL);
}

void timeline_close(struct view *view) {
  if (!view->timeline) return;
  if (view->timeline->path && view->timeline->profile) profile_free(view->timeline->profile);
  pthread_mutex_destroy(&view->timeline->loading);
  free(view->timeline->path);
  free(view->timeline);
  view->timeline = NULL;
}

const char *timeline_path(const struct view *view) {
  return view->timeline ? view->timeline->path : NULL;
}

bool timeline_is_known(struct view *view) {
  sqlite3_stmt *row = NULL;
  struct error ignored;
  if (!view->timeline || view->of_ranks) return false;
  if (view->of_parts) return true;
  if (workspace_prepare(&view->workspace, &row, &ignored,
                        "SELECT EXISTS (SELECT 1 FROM p1.raw_series)") != 0)
    return false;
  bool known = sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
  sqlite3_finalize(row);
  return known;
}

/* Once, for whoever asks first. */
static int load(struct timeline *timeline, struct error *error) {
  pthread_mutex_lock(&timeline->loading);
  int result = timeline->profile ? 0 : store_load_series(timeline->path, &timeline->profile, error);
  pthread_mutex_unlock(&timeline->loading);
  return result;
}

int timeline_profile(struct view *view, const struct profile **profile, struct error *error) {
  if (load(view->timeline, error) != 0) return -1;
  *profile = view->timeline->profile;
  return 0;
}

const struct profile *timeline_loaded(const struct view *view) {
  struct timeline *timeline = view->timeline;
  if (!timeline) return NULL;
  pthread_mutex_lock(&timeline->loading);
  const struct profile *profile = timeline->profile;
  pthread_mutex_unlock(&timeline->loading);
  return profile;
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
  const char *name = parameters_text(parameters, "of");
  if (!name) name = view->workspace.metric;
  uint32_t metric = name ? metrics_find(view->timeline->profile, name) : 0;
  if (metric == NOTHING) return error_set(error, "the profile has no metric %s", name);
  if (!asked.parts) asked.parts = 1;
  struct json json = short_names_note(view, out);
  if (time_bands_write(&json, NULL, view->timeline->profile, metric, &asked)) return 0;
  return error_set(error, "this is not known by time");
}

int timeline_all_answer(struct view *view, FILE *out, struct error *error) {
  struct json json = short_names_note(view, out);
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

/* As the page names it: the thread's name, else its start function's; `numbered`: with its number,
 * as where several have the name. The text is the caller's. */
static char *thread_name(const struct profile *profile, uint32_t thread, bool numbered) {
  const struct profile_thread *one = &profile->threads[thread];
  const char *name = one->name;
  if (!*name && one->start_function != NOTHING) name = profile->functions[one->start_function].name;
  return numbered ? memory_printed("%s/%u", name, one->tid) : memory_text(name);
}

static char *process_name(const struct profile *profile, uint32_t process, bool numbered) {
  const struct profile_process *one = &profile->processes[process];
  const char *name = base_name(one->executable);
  return numbered ? memory_printed("%s/%u", name, one->pid) : memory_text(name);
}

typedef char *naming_function(const struct profile *profile, uint32_t id, bool numbered);

/* By thread or process, whether the list has it; null where it has none of them. The array is the
 * caller's. */
static bool *named_in(const struct profile *profile, const char *list, naming_function *name_of,
                      size_t count) {
  bool *named = memory_zeroed(count, sizeof *named), any = false;
  for (size_t i = 0; i < 2 * count; i++) {
    char *name = name_of(profile, (uint32_t)(i / 2), i % 2);
    any |= named[i / 2] |= shown_has(list, name);
    free(name);
  }
  if (any) return named;
  free(named);
  return NULL;
}

/* The functions that the list names; *ids are the caller's. */
static size_t functions_named(const struct profile *profile, const char *list, uint32_t **ids) {
  size_t count = 0;
  *ids = NULL;
  for (uint32_t i = 0; i < profile->function_count; i++) {
    if (!shown_has(list, profile->functions[i].name)) continue;
    ARRAY_GROW(*ids, count);
    (*ids)[count++] = i;
  }
  return count;
}

static int refuse_name(const char *kind, const char *list, struct error *error) {
  return error_set(error, "the profile has no %s %.*s", kind, (int)strcspn(list, "\n"), list);
}

/* Contexts of these threads, or of threads of these processes. */
static int keep_threads(const struct profile *profile, const struct shown *shown, bool *kept,
                        struct error *error) {
  const char *threads = shown->lists[SHOWN_THREADS], *processes = shown->lists[SHOWN_PROCESSES];
  bool *of = threads ? named_in(profile, threads, thread_name, profile->thread_count) : NULL;
  if (threads && !of) return refuse_name("thread", threads, error);
  bool *in = processes ? named_in(profile, processes, process_name, profile->process_count) : NULL;
  if (!processes || in)
    for (size_t i = 0; i < profile->context_count; i++) {
      uint32_t thread = profile->contexts[i].thread;
      kept[i] &= (!of || of[thread]) && (!in || in[profile->threads[thread].process]);
    }
  free(of);
  free(in);
  return processes && !in ? refuse_name("process", processes, error) : 0;
}

/* Contexts in which one of the functions is active are kept or, with `without`, the others. */
static int keep_functions(const struct profile *profile, const char *list, bool without, bool *kept,
                          struct error *error) {
  uint32_t *ids;
  if (!list) return 0;
  size_t count = functions_named(profile, list, &ids);
  if (!count) return refuse_name("function", list, error);
  const struct selection selection = {.focus = ids, .focus_count = count, .thread = NOTHING};
  bool *active = costs_select(profile, &selection);
  for (size_t i = 0; i < profile->context_count; i++)
    kept[i] &= active[i] != without;
  free(active);
  free(ids);
  return 0;
}

/* By context, whether it was asked for; null: all. The array is the caller's. */
static int select_contexts(const struct profile *profile, const struct shown *shown, bool **kept,
                           struct error *error) {
  *kept = NULL;
  if (!shown_is_selected(shown)) return 0;
  *kept = memory_zeroed(profile->context_count, sizeof **kept);
  memset(*kept, true, profile->context_count);
  if (keep_threads(profile, shown, *kept, error) == 0 &&
      keep_functions(profile, shown->lists[SHOWN_BELOW], false, *kept, error) == 0 &&
      keep_functions(profile, shown->lists[SHOWN_WITHOUT], true, *kept, error) == 0)
    return 0;
  free(*kept);
  return -1;
}

static int take_part(struct timeline *timeline, struct profile_interval interval,
                     const struct shown *shown, struct profile **part, struct error *error) {
  bool *contexts;
  if (interval.to_ns <= interval.from_ns) return error_set(error, "the part ends before it begins");
  if (load(timeline, error) != 0) return -1;
  if (timeline->profile->given) return error_set(error, "this is not known by time");
  if (select_contexts(timeline->profile, shown, &contexts, error) != 0) return -1;
  *part = profile_duplicate(timeline->profile);
  int result = interval_take_of(*part, interval, contexts, error);
  free(contexts);
  if (result != 0) profile_free(*part);
  return result;
}

/* As FILE@FROM-TO names it elsewhere. */
static char *name_of_part(const char *path, struct profile_interval part) {
  return part.to_ns ? memory_printed("%s@%.9g-%.9g", path, part.from_ns / 1e9, part.to_ns / 1e9)
                    : memory_text(path);
}

int timeline_add_part(struct view *view, const struct workspace *base, const struct shown *shown,
                      size_t which, struct error *error) {
  const char *file = view->timeline->path, *path = file ? file : base->paths[0];
  struct profile_interval interval = shown->parts[which];
  struct profile *part = NULL;
  char *name = name_of_part(path, interval);
  if (!interval.to_ns) interval.to_ns = UINT64_MAX;
  int result = take_part(view->timeline, interval, shown, &part, error);
  if (result == 0) result = workspace_add_made(&view->workspace, part, name, file, error);
  free(name);
  return result;
}
