#include "view/time_bands.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "profile/centres.h"
#include "view/short_names.h"

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
    json_number(json, NULL, (uint64_t)llround(scale * amount_of(times, part, owner)));
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
    json_number(json, NULL, (uint64_t)llround(scale * fmax(0, rest)));
  }
  json_close(json, ']');
  json_close(json, '}');
}

/* Other axes than time: by part of the run, the CPU time or the bytes that it took; empty where
 * that is not known. Parts are the same for all metrics of a profile. */
static void write_axis(struct json *json, const struct profile *profile, const char *key,
                       const char *metric, size_t parts) {
  uint32_t id = metric ? metrics_find(profile, metric) : NOTHING;
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

static bool metric_has_kinds(const struct profile *profile, const struct profile_metric *metric) {
  return metric->kind == METRIC_HEAP && profile->kind_count;
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
  json_number(json, "kinds", metric_has_kinds(profile, metric));
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

bool time_bands_write(struct json *json, const char *key, const struct profile *profile,
                      uint32_t metric, const struct time_bands *asked) {
  struct profile of_metric = metric_view(profile, metric);
  struct over_time times;
  if (asked->by == TIME_OF_KINDS && !metric_has_kinds(profile, profile_metric(&of_metric)))
    return false;
  const struct selection selection = {.thread = asked->thread};
  if (!over_time_make(&of_metric, &selection, asked->by, asked->parts, &times)) return false;
  json_open(json, key, '{');
  write_times(json, &of_metric, &times, asked->most);
  json_open(json, "axes", '{');
  bool all = asked->thread == NOTHING;
  write_axis(json, profile, "cpu", all ? "cpu" : NULL, asked->parts);
  write_axis(json, profile, "allocated",
             all ? heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED) : NULL, asked->parts);
  json_close(json, '}');
  short_names_write(json);
  json_close(json, '}');
  over_time_free(&times);
  return true;
}
