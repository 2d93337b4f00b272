#include "cli/choice.h"

#include <stdlib.h>
#include <string.h>

#include "report/subject.h"

int choice_add_focus(struct choice *choice, const char *function) {
  if (choice->focus_count == MOST_FOCUS) return -1;
  choice->focus[choice->focus_count++] = function;
  return 0;
}

static int resolve_focus(const struct choice *choice, const struct profile *profile,
                         uint32_t **focus, size_t *count, struct error *error) {
  uint32_t *found = memory_zeroed(profile->function_count, sizeof *found);
  size_t total = 0;
  for (size_t i = 0; i < profile->function_count; i++)
    for (size_t name = 0; name < choice->focus_count; name++)
      if (function_has_name(&profile->functions[i], choice->focus[name])) {
        found[total++] = i;
        break;
      }
  for (size_t name = 0; name < choice->focus_count; name++) {
    bool any = false;
    for (size_t i = 0; i < total && !any; i++)
      any = function_has_name(&profile->functions[found[i]], choice->focus[name]);
    if (any) continue;
    free(found);
    return error_set(error, "--focus %s: no such function in the profile", choice->focus[name]);
  }
  *focus = found;
  *count = total;
  return 0;
}

static int resolve_thread(const char *text, const struct profile *profile, uint32_t *thread,
                          struct error *error) {
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  bool numeric = *text && !*end;
  uint32_t found = NOTHING;
  for (size_t i = 0; i < profile->thread_count; i++)
    if (numeric ? number == i + 1 : strcmp(profile->threads[i].name, text) == 0) found = i;
  for (size_t i = 0; numeric && found == NOTHING && i < profile->thread_count; i++)
    if (number == profile->threads[i].tid) found = i;
  if (found == NOTHING)
    return error_set(error, "--thread %s: no such thread; the profile has 1 to %zu", text,
                     profile->thread_count);
  *thread = found;
  return 0;
}

static int check_contexts(const struct choice *choice, const struct profile *profile,
                          struct error *error) {
  if (!profile->given || (!choice->focus_count && !choice->thread)) return 0;
  return error_set(error, "%s needs contexts, and %s has figures of functions and arcs only",
                   choice->thread ? "--thread" : "--focus", profile->origin.format);
}

int choice_resolve(const struct choice *choice, const struct profile *profile,
                   struct selection *selection, struct error *error) {
  uint32_t thread = NOTHING, *focus = NULL;
  size_t count = 0;
  if (check_contexts(choice, profile, error) != 0) return -1;
  if (choice->thread && resolve_thread(choice->thread, profile, &thread, error) != 0) return -1;
  if (resolve_focus(choice, profile, &focus, &count, error) != 0) return -1;
  *selection = (struct selection){.focus = focus, .focus_count = count, .thread = thread};
  return 0;
}

void choice_release(struct selection *selection) {
  free((void *)selection->focus);
  selection->focus = NULL;
}
