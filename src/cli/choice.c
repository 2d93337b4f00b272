#include "cli/choice.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/process_groups.h"
#include "cli/option_tables.h"
#include "report/subject.h"

int choice_take(struct choice *choice, int option) {
  switch (option) {
  case OPTION_THREAD:
    choice->thread = optarg;
    return 0;
  case OPTION_PROCESS:
    choice->process = optarg;
    return 0;
  case OPTION_METRIC:
    choice->metrics = optarg;
    return 0;
  case OPTION_FOCUS:
    if (choice->focus_count == MOST_FOCUS) return wrong_use("too many --focus, at %s", optarg);
    choice->focus[choice->focus_count++] = optarg;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

static int resolve_focus(const struct choice *choice, const struct profile *profile,
                         uint32_t **focus, size_t *count, struct error *error) {
  bool *wanted = memory_zeroed(profile->function_count, sizeof *wanted);
  int result = 0;
  for (size_t name = 0; result == 0 && name < choice->focus_count; name++) {
    struct subject subject = {0};
    result = subject_find_functions(profile, choice->focus[name], "--focus", &subject, error);
    for (size_t group = 0; group < subject.group_count; group++)
      for (size_t i = 0; i < subject.groups[group].count; i++)
        wanted[subject.groups[group].ids[i]] = true;
    subject_free(&subject);
  }
  uint32_t *found = memory_zeroed(profile->function_count, sizeof *found);
  size_t total = 0;
  for (size_t i = 0; i < profile->function_count; i++)
    if (wanted[i]) found[total++] = i;
  free(wanted);
  *focus = found;
  *count = total;
  return result;
}

/* A number that is no process's id may be a name. */
static int resolve_process(const char *text, const struct profile *profile, bool **processes,
                           struct error *error) {
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  bool numeric = *text && !*end, found = false;
  bool *selected = memory_zeroed(profile->process_count, sizeof *selected);
  for (size_t i = 0; numeric && i < profile->process_count; i++)
    found |= selected[i] = profile->processes[i].pid == number;
  for (size_t i = 0; !found && i < profile->process_count; i++)
    selected[i] = process_has_name(profile, i, text);
  for (size_t i = 0; i < profile->process_count; i++)
    found |= selected[i];
  *processes = selected;
  if (found) return 0;
  return error_set(
      error, "--process %s: no such process or program: see ascribe report --processes", text);
}

/* Looks among the threads of `processes` (null: all). */
static int resolve_thread(const char *text, const struct profile *profile, const bool *processes,
                          uint32_t *thread, struct error *error) {
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  bool numeric = *text && !*end;
  uint32_t found = NOTHING;
  for (size_t i = 0; i < profile->thread_count; i++) {
    if (processes && !processes[profile->threads[i].process]) continue;
    if (numeric ? number == i + 1 : strcmp(profile->threads[i].name, text) == 0) found = i;
  }
  for (size_t i = 0; numeric && found == NOTHING && i < profile->thread_count; i++) {
    if (processes && !processes[profile->threads[i].process]) continue;
    if (number == profile->threads[i].tid) found = i;
  }
  if (found == NOTHING && processes)
    return error_set(error, "--thread %s: no such thread in the processes of --process", text);
  if (found == NOTHING)
    return error_set(error, "--thread %s: no such thread; the profile has 1 to %zu", text,
                     profile->thread_count);
  *thread = found;
  return 0;
}

static int check_contexts(const struct choice *choice, const struct profile *profile,
                          struct error *error) {
  const char *what = choice->process ? "--process" : choice->thread ? "--thread" : "--focus";
  if (!profile->given || (!choice->focus_count && !choice->thread && !choice->process)) return 0;
  return error_set(error, "%s needs contexts, but %s has only figures of functions and arcs", what,
                   profile->origin.format);
}

int choice_resolve(const struct choice *choice, const struct profile *profile,
                   struct selection *selection, struct error *error) {
  uint32_t thread = NOTHING, *focus = NULL;
  bool *processes = NULL;
  size_t count = 0;
  int result = check_contexts(choice, profile, error);
  if (result == 0 && choice->process)
    result = resolve_process(choice->process, profile, &processes, error);
  if (result == 0 && choice->thread)
    result = resolve_thread(choice->thread, profile, processes, &thread, error);
  if (result == 0) result = resolve_focus(choice, profile, &focus, &count, error);
  if (result != 0) {
    free(processes);
    free(focus);
    return -1;
  }
  *selection = (struct selection){
      .focus = focus, .focus_count = count, .thread = thread, .processes = processes};
  return 0;
}

void choice_release(struct selection *selection) {
  free((void *)selection->processes);
  selection->processes = NULL;
  free((void *)selection->focus);
  selection->focus = NULL;
}

static int metric_missing(const struct profile *profile, const char *name, struct error *error) {
  if (profile->interval.to_ns)
    return error_set(error, "--metric %s: of a part of a run is known %s: ask the whole profile",
                     name, metrics_text(profile, profile->pool));
  if (strcmp(name, "waiting") == 0)
    return error_set(error, "--metric waiting: this profile has no off-CPU data; record with "
                            "--clock wall");
  return error_set(error, "--metric %s: this profile measures %s", name,
                   metrics_text(profile, profile->pool));
}

int choice_metrics(const struct choice *choice, const struct profile *profile, uint32_t **metrics,
                   size_t *count, struct error *error) {
  int result = 0;
  *metrics = NULL;
  *count = 0;
  char *names = memory_text(choice->metrics ? choice->metrics : profile->metrics[0].name), *rest;
  for (char *name = strtok_r(names, ",", &rest); result == 0 && name;
       name = strtok_r(NULL, ",", &rest)) {
    uint32_t metric = metrics_find(profile, name);
    if (metric == NOTHING) result = metric_missing(profile, name, error);
    ARRAY_GROW(*metrics, *count);
    (*metrics)[(*count)++] = metric;
  }
  free(names);
  if (result == 0 && *count == 0) result = metric_missing(profile, "", error);
  return result;
}
