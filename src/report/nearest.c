#include "report/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/edit_distance.h"
#include "symbols/name_parts.h"

enum { CANDIDATES = 4, NAME_BYTES = 200, LONGEST = 64 /* of names whose letters are compared */ };

struct candidate {
  unsigned distance;
  char name[NAME_BYTES];
};

/* A third of the letters may be wrong; above that nothing is near. */
static unsigned distance_of(const char *wanted, const char *brief) {
  char last[LONGEST + 1];
  struct name_part part = name_last(brief);
  if (*wanted && strcasestr(brief, wanted)) return 0;
  if (part.length > LONGEST) return UINT32_MAX;
  memcpy(last, part.text, part.length);
  last[part.length] = '\0';
  uint32_t distance = edit_distance(wanted, last);
  return distance <= strlen(wanted) / 3 ? distance : UINT32_MAX;
}

static bool is_listed(const struct candidate *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return true;
  return false;
}

/* Put it where it belongs, if it does. */
static size_t consider(struct candidate *list, size_t count, const struct candidate *next) {
  size_t at = count;
  if (next->distance == UINT32_MAX || is_listed(list, count, next->name)) return count;
  while (at > 0 && list[at - 1].distance > next->distance)
    at--;
  if (at == CANDIDATES) return count;
  if (count < CANDIDATES) count++;
  memmove(&list[at + 1], &list[at], (count - at - 1) * sizeof *list);
  list[at] = *next;
  return count;
}

const char *nearest_names(const struct profile *profile, const char *wanted,
                          char text[NEAREST_BYTES]) {
  struct candidate list[CANDIDATES], next;
  size_t count = 0, used = 0;
  for (size_t i = 0; i < profile->function_count; i++) {
    name_brief(profile->functions[i].name, next.name, sizeof next.name);
    next.distance = distance_of(wanted, next.name);
    count = consider(list, count, &next);
  }
  text[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(list[i].name) + strlen("; near: ");
    if (used + length >= NEAREST_BYTES) continue;
    used +=
        snprintf(text + used, NEAREST_BYTES - used, "%s%s", used ? ", " : "; near: ", list[i].name);
  }
  return text;
}
