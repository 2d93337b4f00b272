#include "cli/gprof_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/pool.h"

/* A path, or the end of one. */
static bool is_file(const char *path, const char *name, size_t length) {
  size_t bytes = path ? strlen(path) : 0;
  if (bytes < length || memcmp(path + bytes - length, name, length) != 0) return false;
  return bytes == length || path[bytes - length - 1] == '/';
}

/* As it is shown, or that without its parameters. */
static bool is_function(const char *shown, const char *name) {
  size_t length = strlen(name);
  return strncmp(shown, name, length) == 0 &&
         (!shown[length] || shown[length] == '(' || shown[length] == '[');
}

/* The colon between a file and what is in it; those of C++ come in pairs. */
static const char *file_end(const char *name) {
  for (const char *at = name; (at = strchr(at, ':')); at += 2)
    if (at[1] != ':') return at;
  return NULL;
}

static bool is_line(const struct gmon_place *place, const char *text) {
  char *end;
  unsigned long line = strtoul(text, &end, 10);
  return *text && !*end && place->line == line;
}

static bool matches(const struct gmon_place *place, const char *name) {
  const char *colon = file_end(name);
  if (is_function(place->function, name)) return true;
  if (!colon) return is_file(place->file, name, strlen(name));
  return is_file(place->file, name, (size_t)(colon - name)) &&
         (is_function(place->function, colon + 1) || is_line(place, colon + 1));
}

static bool looks_like_file(const struct gprof_names *names) {
  for (size_t i = 0; i < names->count; i++)
    if (file_end(names->list[i]) || strchr(names->list[i], '.')) return true;
  return false;
}

bool names_want_lines(const struct gprof_choice *names) {
  return looks_like_file(&names->included) || looks_like_file(&names->excluded);
}

static bool *find(const struct gprof_names *names, const struct gmon_places *places) {
  if (!names->count) return NULL;
  bool *found = memory_zeroed(places->count, sizeof *found);
  for (size_t name = 0; name < names->count; name++) {
    bool any = false;
    for (size_t i = 0; i < places->count; i++)
      if (matches(&places->list[i], names->list[name])) any = found[i] = true;
    if (!any)
      fprintf(stderr, "ascribe gprof: %s: the executable has no such function\n",
              names->list[name]);
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

struct gmon_arc_name *names_of_arcs(const struct gprof_names *names) {
  struct gmon_arc_name *arcs = memory_zeroed(names->count, sizeof *arcs);
  for (size_t i = 0; i < names->count; i++) {
    const char *slash = strchr(names->list[i], '/');
    arcs[i] = (struct gmon_arc_name){copy(names->list[i], (size_t)(slash - names->list[i])),
                                     copy(slash + 1, strlen(slash + 1))};
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
