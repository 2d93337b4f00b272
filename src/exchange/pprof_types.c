#include "exchange/pprof_types.h"

#include <stdio.h>
#include <string.h>

static const struct unit {
  const char *name;
  const char *unit; /* as in struct profile_origin */
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

/* "samples" in profiles of Go and gperftools, "cycles_sample" in those made of perf's. */
static bool counts_samples(const struct pprof_tables *tables, size_t i) {
  const char *name = type_name(tables, i), *end = strstr(name, "_sample");
  return strcmp(type_unit(tables, i), "count") == 0 &&
         (strcmp(name, "samples") == 0 || strcmp(name, "sample") == 0 || (end && !end[7]));
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

/* All types but the chosen one, and the one of its evidence. */
static void list_types(const struct pprof_tables *tables, size_t but, size_t and_but,
                       const char *before, char *text, size_t room) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < tables->type_count && length < room; i++)
    if (i != but && i != and_but)
      length += snprintf(text + length, room - length, "%s%s", length ? ", " : before,
                         type_name(tables, i));
}

static void set_unit(const struct pprof_tables *tables, struct pprof_choice *choice) {
  enum { MOST_UNIT = 30 };
  char name[MOST_UNIT + 1];
  const char *unit = type_unit(tables, choice->value);
  const struct unit *known = known_unit(unit);
  choice->factor = known ? known->factor : 1;
  if (known) {
    choice->unit = known->unit;
    return;
  }
  bool counted = strcmp(unit, "count") == 0 || !unit[0];
  snprintf(name, sizeof name, "%s", counted ? choice->event : unit);
  choice->unit = pool_string(tables->pool, name[0] ? name : "units");
}

int pprof_choose(const struct pprof_tables *tables, const char *wanted, struct pprof_choice *choice,
                 struct error *error) {
  char text[300];
  *choice = (struct pprof_choice){.samples = SIZE_MAX};
  choice->value = wanted ? find_type(tables, wanted) : best_type(tables);
  if (choice->value == SIZE_MAX) {
    list_types(tables, SIZE_MAX, SIZE_MAX, "", text, sizeof text);
    return error_set(error, "--event %s: no such sample type; the file has %s", wanted, text);
  }
  for (size_t i = 0; i < tables->type_count; i++)
    if (counts_samples(tables, i)) choice->samples = i;
  choice->event = type_name(tables, choice->value);
  choice->evidence = choice->samples == SIZE_MAX ? EVIDENCE_UNKNOWN : EVIDENCE_TICKS;
  set_unit(tables, choice);
  list_types(tables, choice->value, choice->samples, "other sample types: ", text, sizeof text);
  choice->note = text[0] ? pool_string(tables->pool, text) : NULL;
  return 0;
}
