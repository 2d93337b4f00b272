#include "exchange/pprof_types.h"

#include <stdio.h>
#include <string.h>

#include "exchange/export_names.h"

static const struct unit {
  const char *name;
  const char *unit; /* as in struct profile_metric */
  uint64_t factor;
} units[] = {
    {"nanoseconds", NULL, 1},        {"microseconds", NULL, 1000}, {"milliseconds", NULL, 1000000},
    {"seconds", NULL, 1000000000},   {"bytes", "bytes", 1},        {"kilobytes", "bytes", 1 << 10},
    {"megabytes", "bytes", 1 << 20},
};

static const char *type_name(const struct pprof_tables *tables, size_t i) {
  return pprof_text(tables, tables->types[i].type);
}

static const char *type_unit(const struct pprof_tables *tables, size_t i) {
  return pprof_text(tables, tables->types[i].unit);
}

static const struct unit *known_unit(const char *name) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i].name, name) == 0) return &units[i];
  return NULL;
}

static bool is_time(const struct pprof_tables *tables, size_t i) {
  const struct unit *unit = known_unit(type_unit(tables, i));
  return unit && !unit->unit;
}

static size_t find_type(const struct pprof_tables *tables, const char *name) {
  for (size_t i = 0; name[0] && i < tables->type_count; i++)
    if (strcmp(type_name(tables, i), name) == 0) return i;
  return SIZE_MAX;
}

/* "cycles" of "cycles_event" and "cycles_sample". */
static size_t stem_length(const char *name) {
  static const char *const endings[] = {"_event", "_sample", "_samples"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t end = strlen(endings[i]);
    if (length > end && strcmp(name + length - end, endings[i]) == 0) return length - end;
  }
  return length;
}

static bool is_all_samples(const char *name) {
  return strcmp(name, "samples") == 0 || strcmp(name, "sample") == 0;
}

/* Which types count the samples of which, of the first so many. */
enum { MOST_TYPES = 200 };

struct counters {
  size_t own[MOST_TYPES];  /* by type: the one that is named for it; SIZE_MAX: none */
  bool counts[MOST_TYPES]; /* by type: it counts samples, of another or of all */
};

static size_t looked_at(const struct pprof_tables *tables) {
  return tables->type_count < MOST_TYPES ? tables->type_count : MOST_TYPES;
}

/* "cycles_sample" for "cycles_event", as files made of perf's have it, "waiting_samples" for
 * "waiting" in Ascribe's. */
static size_t find_own(const struct pprof_tables *tables, size_t value) {
  const char *name = type_name(tables, value);
  size_t of_stem = SIZE_MAX;
  for (size_t i = 0; i < looked_at(tables); i++) {
    const char *other = type_name(tables, i);
    size_t length = stem_length(other);
    if (i == value || strncmp(other + length, "_sample", 7) != 0) continue;
    if (strcmp(type_unit(tables, i), "count") != 0 || strncmp(name, other, length) != 0) continue;
    if (length == strlen(name)) return i;
    if (length == stem_length(name) && strcmp(name + length, "_event") == 0) of_stem = i;
  }
  return of_stem;
}

/* A type that has a counter is not itself the counter of another. */
static void find_counters(const struct pprof_tables *tables, struct counters *counters) {
  size_t count = looked_at(tables);
  *counters = (struct counters){0};
  for (size_t i = 0; i < count; i++)
    counters->own[i] = find_own(tables, i);
  for (size_t i = 0; i < count; i++)
    if (is_all_samples(type_name(tables, i)) && strcmp(type_unit(tables, i), "count") == 0)
      counters->counts[i] = true;
    else if (counters->own[i] != SIZE_MAX && counters->own[counters->own[i]] == SIZE_MAX)
      counters->counts[counters->own[i]] = true;
}

static size_t best_type(const struct pprof_tables *tables) {
  size_t cpu = find_type(tables, "cpu");
  if (cpu != SIZE_MAX && is_time(tables, cpu)) return cpu;
  size_t own = find_type(tables, pprof_text(tables, tables->default_type));
  if (own != SIZE_MAX) return own;
  for (size_t i = 0; i < tables->type_count; i++)
    if (is_time(tables, i)) return i;
  return tables->type_count - 1;
}

/* The type that counts the samples of another: the one named after it. A type "samples" counts for
 * the type that follows it, and for time; claiming it for exact counts would be wrong. */
static size_t find_samples(const struct pprof_tables *tables, const struct counters *counters,
                           size_t value) {
  if (is_all_samples(type_name(tables, value))) return value;
  if (value < looked_at(tables) && counters->own[value] != SIZE_MAX) return counters->own[value];
  for (size_t i = 0; i < looked_at(tables); i++)
    if (counters->counts[i] && is_all_samples(type_name(tables, i)) &&
        (i + 1 == value || is_time(tables, value)))
      return i;
  return SIZE_MAX;
}

static const char *unit_of(const struct pprof_tables *tables, size_t value) {
  enum { MOST_UNIT = 30 };
  char name[MOST_UNIT + 1];
  const char *unit = type_unit(tables, value);
  bool counted = strcmp(unit, "count") == 0 || !unit[0];
  snprintf(name, sizeof name, "%s", counted ? type_name(tables, value) : unit);
  return export_clean(tables->pool, name[0] ? name : "units");
}

static bool is_named(const struct pprof_values *values, const char *name) {
  for (size_t i = 0; i < values->count; i++)
    if (strcmp(values->list[i].name, name) == 0) return true;
  return false;
}

static void add_value(const struct pprof_tables *tables, const struct counters *counters,
                      size_t value, struct pprof_values *values) {
  const struct unit *known = known_unit(type_unit(tables, value));
  const char *told = type_name(tables, value);
  const char *name = export_clean(tables->pool, told[0] ? told : "values");
  if (values->count == METRICS_MOST || is_named(values, name)) {
    values->left_out++;
    return;
  }
  values->list[values->count++] =
      (struct pprof_value){.value = value,
                           .samples = find_samples(tables, counters, value),
                           .factor = known ? known->factor : 1,
                           .name = name,
                           .unit = known ? known->unit : unit_of(tables, value)};
}

static int no_such_type(const struct pprof_tables *tables, const char *wanted,
                        struct error *error) {
  char text[300] = "";
  for (size_t i = 0, length = 0; i < tables->type_count && length < sizeof text; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? ", " : "",
                               type_name(tables, i));
  return error_set(error, "--event %s: no such sample type; the file has %s", wanted, text);
}

int pprof_values_choose(const struct pprof_tables *tables, const char *wanted,
                        struct pprof_values *values, struct error *error) {
  size_t first = wanted ? find_type(tables, wanted) : best_type(tables);
  if (first == SIZE_MAX) return no_such_type(tables, wanted, error);
  struct counters counters;
  find_counters(tables, &counters);
  values->count = values->left_out = 0;
  add_value(tables, &counters, first, values);
  for (size_t i = 0; i < tables->type_count; i++)
    if (i != first && (i >= MOST_TYPES || !counters.counts[i]))
      add_value(tables, &counters, i, values);
  return 0;
}
