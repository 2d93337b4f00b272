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

/* "samples" in profiles of Go and gperftools, "cycles_sample" in those made of perf's, and
 * "waiting_samples" in Ascribe's. */
static bool counts_samples(const struct pprof_tables *tables, size_t i) {
  const char *name = type_name(tables, i), *end = strstr(name, "_sample");
  return strcmp(type_unit(tables, i), "count") == 0 &&
         (strcmp(name, "samples") == 0 || strcmp(name, "sample") == 0 ||
          (end && (!end[7] || strcmp(end + 7, "s") == 0)));
}

static size_t find_type(const struct pprof_tables *tables, const char *name) {
  for (size_t i = 0; name[0] && i < tables->type_count; i++)
    if (strcmp(type_name(tables, i), name) == 0) return i;
  return SIZE_MAX;
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

/* Those that are named for it, "cycles_event_samples" or "cycles_sample", or else those of the
 * file.
 */
static size_t find_samples(const struct pprof_tables *tables, size_t value) {
  const char *name = type_name(tables, value);
  size_t of_stem = SIZE_MAX, any = SIZE_MAX;
  for (size_t i = 0; i < tables->type_count; i++) {
    const char *other = type_name(tables, i);
    size_t length = stem_length(other);
    if (!counts_samples(tables, i)) continue;
    if (length == strlen(other))
      any = i;
    else if (length == strlen(name) && strncmp(name, other, length) == 0)
      return i;
    else if (length == stem_length(name) && strncmp(name, other, length) == 0)
      of_stem = i;
  }
  return of_stem != SIZE_MAX ? of_stem : any;
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

static void add_value(const struct pprof_tables *tables, struct pprof_values *values,
                      size_t value) {
  const struct unit *known = known_unit(type_unit(tables, value));
  if (values->count == METRICS_MOST ||
      is_named(values, export_clean(tables->pool, type_name(tables, value)))) {
    values->left_out++;
    return;
  }
  values->list[values->count++] =
      (struct pprof_value){.value = value,
                           .samples = find_samples(tables, value),
                           .factor = known ? known->factor : 1,
                           .name = export_clean(tables->pool, type_name(tables, value)),
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
  values->count = values->left_out = 0;
  add_value(tables, values, first);
  for (size_t i = 0; i < tables->type_count; i++)
    if (i != first && !counts_samples(tables, i) && type_name(tables, i)[0])
      add_value(tables, values, i);
  return 0;
}
