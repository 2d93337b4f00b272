#include "view/shown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const list_names[SHOWN_LISTS] = {"threads", "processes", "below", "without"};

static const char *filled(const struct parameters *parameters, const char *name) {
  const char *text = parameters_text(parameters, name);
  return text && *text ? text : NULL;
}

static struct profile_interval interval_of(const struct parameters *parameters, const char *from,
                                           const char *to) {
  struct profile_interval interval = {(uint64_t)parameters_number(parameters, from, INT64_MAX, 0),
                                      (uint64_t)parameters_number(parameters, to, INT64_MAX, 0)};
  if (!interval.to_ns) interval.from_ns = 0;
  return interval;
}

void shown_read(const struct parameters *parameters, struct shown *shown) {
  *shown = (struct shown){.metric = filled(parameters, "metric"),
                          .parts = {interval_of(parameters, "from_ns", "to_ns"),
                                    interval_of(parameters, "second_from_ns", "second_to_ns")}};
  for (size_t i = 0; i < SHOWN_LISTS; i++)
    shown->lists[i] = filled(parameters, list_names[i]);
  shown->ranks[0] = filled(parameters, "ranks");
  shown->ranks[1] = filled(parameters, "second_ranks");
}

/* Each text with its length before it, so that no text reads as another part. */
char *shown_key(const struct shown *shown) {
  const struct profile_interval *parts = shown->parts;
  char *key = memory_printed("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, parts[0].from_ns,
                             parts[0].to_ns, parts[1].from_ns, parts[1].to_ns);
  const char *more[] = {shown->metric, shown->ranks[0], shown->ranks[1]};
  for (size_t i = 0; i < SHOWN_LISTS + sizeof more / sizeof *more; i++) {
    const char *text = i < SHOWN_LISTS ? shown->lists[i] : more[i - SHOWN_LISTS];
    char *longer = memory_printed("%s %zu %s", key, text ? strlen(text) : 0, text ? text : "");
    free(key);
    key = longer;
  }
  return key;
}

bool shown_is_selected(const struct shown *shown) {
  for (size_t i = 0; i < SHOWN_LISTS; i++)
    if (shown->lists[i]) return true;
  return false;
}

bool shown_is_ranks(const struct shown *shown) {
  return shown->ranks[0] || shown->ranks[1];
}

bool shown_is_part(const struct shown *shown) {
  return shown->parts[0].to_ns || shown->parts[1].to_ns || shown_is_selected(shown);
}

bool shown_has(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *line = list; line;) {
    size_t its = strcspn(line, "\n");
    if (its && its == length && memcmp(line, name, length) == 0) return true;
    line = line[its] ? line + its + 1 : NULL;
  }
  return false;
}
