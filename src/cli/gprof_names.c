#include "cli/gprof_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool names_have_file(const struct gprof_names *names) {
  for (size_t i = 0; i < names->count; i++)
    if (gmon_name_file_end(names->list[i]) || strchr(names->list[i], '.')) return true;
  return false;
}

bool names_want_lines(const struct gprof_choice *names) {
  return names_have_file(&names->included) || names_have_file(&names->excluded);
}

/* What counts the calls has no part in the program: GNU gprof lists it only where it is named. */
static bool counts_calls(const char *linkage) {
  static const char *const counters[] = {"mcount", "_mcount", "__mcount", "__mcount_internal",
                                         "_gprof_mcount"};
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    if (strcmp(linkage, counters[i]) == 0) return true;
  return false;
}

void names_exclude_counters(const struct gmon_places *places, struct named_choice *chosen) {
  for (size_t i = 0; i < places->count; i++) {
    if (!counts_calls(places->list[i].linkage)) continue;
    if (!chosen->excluded)
      chosen->excluded = memory_zeroed(places->count, sizeof *chosen->excluded);
    chosen->excluded[i] = true;
  }
  chosen->choice.excluded = chosen->excluded;
}

void names_include_all_for_none(const struct gmon_places *places, struct named_choice *chosen) {
  for (size_t i = 0; chosen->included && i < places->count; i++)
    if (chosen->included[i]) return;
  chosen->choice.included = NULL;
}

/* A name without a function, said. */
static void say_unknown(const char *name) {
  const char *colon = gmon_name_file_end(name);
  if (colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0')
    fprintf(stderr,
            "ascribe gprof: %s: no function begins there (with -l: no code is of that line)\n",
            name);
  else
    fprintf(stderr, "ascribe gprof: %s: the executable has no such function\n", name);
}

static bool *find(const struct gprof_names *names, const struct gmon_places *places) {
  if (!names->count) return NULL;
  bool *found = memory_zeroed(places->count, sizeof *found);
  for (size_t name = 0; name < names->count; name++) {
    bool any = false;
    for (size_t i = 0; i < places->count; i++)
      if (gmon_place_is(&places->list[i], names->list[name])) any = found[i] = true;
    if (!any) say_unknown(names->list[name]);
  }
  return found;
}

void names_choose(const struct gprof_choice *names, const struct gmon_places *places,
                  struct named_choice *chosen) {
  chosen->included = find(&names->included, places);
  chosen->excluded = find(&names->excluded, places);
  chosen->choice =
      (struct graph_choice){.included = chosen->included, .excluded = chosen->excluded};
}

void named_choice_free(struct named_choice *chosen) {
  free(chosen->included);
  free(chosen->excluded);
}

static const char *copy(const char *text, size_t length) {
  if (!length) return NULL;
  char *kept = memory_zeroed(length + 1, 1);
  memcpy(kept, text, length);
  return kept;
}

static bool is_known(const struct gmon_places *places, const char *name) {
  for (size_t i = 0; name && i < places->count; i++)
    if (gmon_place_is(&places->list[i], name)) return true;
  return !name;
}

/* Names may hold a "/" themselves: the first that has a known name before it. */
static const char *arc_slash(const char *text, const struct gmon_places *places) {
  for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/')) {
    const char *caller = copy(text, (size_t)(slash - text));
    bool known = is_known(places, caller);
    free((char *)caller);
    if (known) return slash;
  }
  return strchr(text, '/');
}

struct gmon_arc_name *names_of_arcs(const struct gprof_names *names,
                                    const struct gmon_places *places) {
  struct gmon_arc_name *arcs = memory_zeroed(names->count, sizeof *arcs);
  for (size_t i = 0; i < names->count; i++) {
    const char *slash = arc_slash(names->list[i], places);
    arcs[i] = (struct gmon_arc_name){copy(names->list[i], (size_t)(slash - names->list[i])),
                                     copy(slash + 1, strlen(slash + 1))};
    if (!is_known(places, arcs[i].caller)) say_unknown(arcs[i].caller);
    if (!is_known(places, arcs[i].callee)) say_unknown(arcs[i].callee);
  }
  return arcs;
}

void names_free_arcs(struct gmon_arc_name *arcs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free((char *)arcs[i].caller);
    free((char *)arcs[i].callee);
  }
  free(arcs);
}
