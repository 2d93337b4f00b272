#include "view/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/books.h"
#include "attribution/interval.h"
#include "attribution/over_time.h"
#include "base/json.h"
#include "profile/centres.h"
#include "store/store.h"
#include "view/dial.h"

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
  if (view->parts[0].to_ns) return true;
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

struct band {
  uint32_t owner;
  double most; /* by what they are put in order: all of it, or of a level the most */
};

static int largest_first(const void *left, const void *right) {
  const struct band *a = left, *b = right;
  if (a->most != b->most) return a->most > b->most ? -1 : 1;
  return (a->owner > b->owner) - (a->owner < b->owner);
}

/* All that have anything, the largest first. */
static struct band *bands_make(const struct over_time *times, bool level, size_t *count) {
  struct band *bands = memory_zeroed(times->owner_count, sizeof *bands);
  for (uint32_t owner = 0; owner < times->owner_count; owner++)
    bands[owner].owner = owner;
  for (size_t part = 0; part < times->count; part++)
    for (size_t owner = 0; owner < times->owner_count; owner++) {
      double amount = (double)times->of_owners[part * times->owner_count + owner];
      if (!level)
        bands[owner].most += amount;
      else if (amount > bands[owner].most)
        bands[owner].most = amount;
    }
  qsort(bands, times->owner_count, sizeof *bands, largest_first);
  *count = 0;
  while (*count < times->owner_count && bands[*count].most > 0)
    ++*count;
  return bands;
}

/* What raw amounts are to be multiplied by. */
static double scale_of(const struct profile *profile) {
  struct books books;
  if (metric_is_level(profile_metric(profile))) return 1;
  books_make(profile, &books);
  return books.all.raw_ns ? (double)books.sampled_ns / books.all.raw_ns : 0;
}

static double amount_of(const struct over_time *times, size_t part, uint32_t owner) {
  return (double)times->of_owners[part * times->owner_count + owner];
}

static void write_band(struct json *json, const struct profile *profile,
                       const struct over_time *times, uint32_t owner, double scale) {
  struct pool *pool = profile->pool;
  json_open(json, NULL, '{');
  json_text(json, "name", over_time_owner(profile, times, owner, pool));
  if (times->by == TIME_OF_FUNCTIONS) json_number(json, "function", owner + 1ull);
  json_open(json, "amounts", '[');
  for (size_t part = 0; part < times->count; part++)
    json_real(json, NULL, scale * amount_of(times, part, owner));
  json_close(json, ']');
  json_close(json, '}');
}

static void write_others(struct json *json, const struct over_time *times, const struct band *bands,
                         size_t shown, double scale) {
  json_open(json, NULL, '{');
  json_text(json, "name", "others");
  json_open(json, "amounts", '[');
  for (size_t part = 0; part < times->count; part++) {
    double rest = (double)times->of_parts[part];
    for (size_t i = 0; i < shown; i++)
      rest -= amount_of(times, part, bands[i].owner);
    json_real(json, NULL, scale * fmax(0, rest));
  }
  json_close(json, ']');
  json_close(json, '}');
}

/* Other axes than time: by part of the run, the CPU time or the bytes that it took; empty where
 * that is not known. Parts are the same for all metrics of a profile. */
static void write_axis(struct json *json, const struct profile *profile, const char *key,
                       const char *metric, size_t parts) {
  uint32_t id = metrics_find(profile, metric);
  struct over_time times;
  json_open(json, key, '[');
  if (id != NOTHING) {
    struct profile of_metric = metric_view(profile, id);
    bool cpu = profile_metric(&of_metric)->kind == METRIC_CPU;
    if (over_time_make(&of_metric, NULL, TIME_OF_THREADS, parts, &times)) {
      for (size_t part = 0; part < times.count; part++)
        json_number(json, NULL, cpu ? times.cpu_ns[part] : times.of_parts[part]);
      over_time_free(&times);
    }
  }
  json_close(json, ']');
}

static void write_times(struct json *json, const struct profile *profile,
                        const struct over_time *times, size_t most) {
  const struct profile_metric *metric = profile_metric(profile);
  double scale = scale_of(profile);
  size_t count;
  struct band *bands = bands_make(times, metric_is_level(metric), &count);
  size_t shown = count > most ? most : count;
  json_text(json, "unit", metric->unit ? metric->unit : "ns");
  json_number(json, "level", metric_is_level(metric));
  json_number(json, "centres", profile_has_centres(profile));
  json_number(json, "kinds", metric->kind == METRIC_HEAP && profile->kind_count);
  json_number(json, "from_ns", times->first_ns);
  json_number(json, "length_ns", times->length_ns);
  json_number(json, "end_ns", times->end_ns);
  json_open(json, "cpu_ns", '[');
  for (size_t part = 0; part < times->count; part++)
    json_number(json, NULL, times->cpu_ns[part]);
  json_close(json, ']');
  json_open(json, "bands", '[');
  for (size_t i = 0; i < shown; i++)
    write_band(json, profile, times, bands[i].owner, scale);
  if (shown < count) write_others(json, times, bands, shown, scale);
  json_close(json, ']');
  free(bands);
}

static int owners_of(const char *text, enum time_owners *by, struct error *error) {
  static const char *const names[] = {"functions", "centres", "threads", "kinds"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!text || strcmp(text, names[i]) == 0) {
      *by = (enum time_owners)i;
      return 0;
    }
  return error_set(error, "by %s: expected functions, centres, threads or kinds", text);
}

int timeline_answer(struct view *view, const struct parameters *parameters, FILE *out,
                    struct error *error) {
  enum time_owners by = TIME_OF_FUNCTIONS;
  if (!view->timeline)
    return error_set(error, "a recording, or a part of a profile, is not shown by time");
  if (owners_of(parameters_text(parameters, "by"), &by, error) != 0 ||
      load(view->timeline, error) != 0)
    return -1;
  const char *name = view->workspace.metric;
  uint32_t metric = name ? metrics_find(view->timeline->profile, name) : 0;
  if (metric == NOTHING) return error_set(error, "the profile has no metric %s", name);
  struct profile of_metric = metric_view(view->timeline->profile, metric);
  struct over_time times;
  size_t parts = (size_t)parameters_number(parameters, "parts", PARTS_MOST, PARTS_USUAL);
  if (!parts) parts = 1;
  if (!over_time_make(&of_metric, NULL, by, parts, &times))
    return error_set(error, "this is not known by time");
  struct json json = {.out = out, .first = true};
  json_open(&json, NULL, '{');
  write_times(&json, &of_metric, &times,
              (size_t)parameters_number(parameters, "most", BANDS_MOST, BANDS_USUAL));
  json_open(&json, "axes", '{');
  write_axis(&json, view->timeline->profile, "cpu", "cpu", parts);
  write_axis(&json, view->timeline->profile, "allocated",
             heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED), parts);
  json_close(&json, '}');
  json_close(&json, '}');
  over_time_free(&times);
  return 0;
}

/* ---- parts ---- */

/* Null for none. */
static int take_part(struct view *view, struct profile_interval interval, struct profile **part,
                     struct error *error) {
  *part = NULL;
  if (!interval.to_ns) return 0;
  if (interval.to_ns <= interval.from_ns) return error_set(error, "the part ends before it begins");
  if (load(view->timeline, error) != 0) return -1;
  if (view->timeline->profile->given) return error_set(error, "this is not known by time");
  *part = profile_duplicate(view->timeline->profile);
  if (interval_take(*part, interval, error) == 0) return 0;
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

static int refuse_parts(const struct view *view, bool second, struct error *error) {
  if (!view->timeline) return error_set(error, "a recording is not shown in parts");
  if (dial_is_set(view)) return error_set(error, "undo what was chosen for calls first");
  if (view->n[0] > 0) return error_set(error, "growth is of whole runs");
  if (second && !view->parts[1].to_ns && view->workspace.count > 1)
    return error_set(error, "two profiles are compared already: "
                            "to compare two parts of a run, open its profile alone");
  return 0;
}

static struct profile_interval interval_of(const struct parameters *parameters, const char *from,
                                           const char *to) {
  struct profile_interval interval = {(uint64_t)parameters_number(parameters, from, INT64_MAX, 0),
                                      (uint64_t)parameters_number(parameters, to, INT64_MAX, 0)};
  if (!interval.to_ns) interval.from_ns = 0;
  return interval;
}

int timeline_part_answer(struct view *view, const struct parameters *parameters, FILE *out,
                         struct error *error) {
  const struct profile_interval intervals[2] = {
      interval_of(parameters, "from_ns", "to_ns"),
      interval_of(parameters, "second_from_ns", "second_to_ns")};
  struct profile *parts[2] = {0};
  if (refuse_parts(view, intervals[1].to_ns, error) != 0) return -1;
  if (intervals[1].to_ns && !intervals[0].to_ns)
    return error_set(error, "a second part is compared with a first one: choose that, too");
  if (take_part(view, intervals[0], &parts[0], error) != 0) return -1;
  if (take_part(view, intervals[1], &parts[1], error) != 0) {
    profile_free(parts[0]);
    return -1;
  }
  if (show_parts(view, intervals, parts, error) != 0) return -1;
  fputs("{}", out);
  return 0;
}
