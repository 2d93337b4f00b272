#include "exchange/cost_centres.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/printed_date.h"

void cost_centres_open(struct cost_centres *centres, const char *format, const char *command,
                       const char *date) {
  *centres = (struct cost_centres){0};
  struct stack_profile *stacks = &centres->stacks;
  stack_profile_open(stacks, format, "time");
  struct profile *profile = stacks->profile;
  profile->metrics[CENTRE_TIME].evidence = EVIDENCE_TICKS;
  metrics_add(profile, METRIC_GIVEN, heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED), "bytes");
  profile->metrics[CENTRE_ALLOCATED].evidence = EVIDENCE_COUNTED;
  uint32_t process = stack_profile_process(stacks, 0, command);
  stack_profile_date(stacks, process, date ? printed_date_read(date, GHC_DATE) : 0);
  centres->thread = stack_profile_thread(stacks, process, 0, "");
}

/* ---- cost centres ---- */

/* The line and column that begin at `text`: "3:1-20", "3:1", "(3,1)-(5,10)". */
static bool parse_position(const char *text, struct profile_function *function) {
  char *end;
  bool spans_lines = *text == '(';
  text += spans_lines;
  if (*text < '0' || *text > '9') return false;
  unsigned long line = strtoul(text, &end, 10);
  if (*end != (spans_lines ? ',' : ':')) return false;
  text = end + 1;
  if (*text < '0' || *text > '9') return false;
  unsigned long column = strtoul(text, &end, 10);
  if (line > INT32_MAX || column > INT32_MAX) return false;
  function->line = (uint32_t)line;
  function->column = (uint32_t)column;
  return true;
}

/* Returns the file, to be freed, or null: the location has none. */
static char *parse_location(const char *location, struct profile_function *function) {
  if (location[0] == '<') return NULL;
  for (const char *colon = location; (colon = strchr(colon, ':')); colon++) {
    if (colon == location || !parse_position(colon + 1, function)) continue;
    char *file = memory_text(location);
    file[colon - location] = '\0';
    return file;
  }
  return NULL;
}

size_t cost_centres_module(const char *name) {
  size_t found = 0;
  for (const char *part = name; isupper((unsigned char)*part);) {
    const char *end = part;
    while (isalnum((unsigned char)*end) || *end == '_' || *end == '\'' || *end & 0x80)
      end++;
    if (*end != '.' || !end[1]) break;
    found = (size_t)(end - name);
    part = end + 1;
  }
  return found;
}

uint32_t cost_centres_function(struct cost_centres *centres, const char *label, const char *module,
                               const char *location) {
  struct profile_function function = {.object = NOTHING};
  char *file = parse_location(location, &function);
  char *name = memory_printed("%s.%s", module, label);
  function.file = file;
  /* MAIN.MAIN is the root of all stacks, GC.GC the runtime's own work: once is enough. */
  bool alone = strcmp(module, label) == 0;
  bool haskell = cost_centres_module(name) >= strlen(module);
  function.name = alone || !haskell ? label : name;
  if (!alone && !haskell) function.object = stack_profile_object(&centres->stacks, module, "");
  uint32_t id = stack_profile_function(&centres->stacks, &function, BODY_OWN);
  free(name);
  free(file);
  return id;
}

/* ---- the tree ---- */

bool cost_centres_push(struct cost_centres *centres, size_t depth, uint32_t function) {
  struct stack_profile *stacks = &centres->stacks;
  if (depth > centres->depth) return false;
  ARRAY_GROW(centres->path, depth);
  centres->path[depth] = function;
  centres->depth = depth + 1;
  stack_profile_begin(stacks, centres->thread);
  for (size_t i = 0; i < centres->depth; i++) {
    uint32_t id = centres->path[i];
    stack_profile_frame(stacks, id, stack_profile_line(stacks, id, NULL, 0));
  }
  return true;
}

int cost_centres_charge(struct cost_centres *centres, const struct centre_figures *figures) {
  struct stack_profile *stacks = &centres->stacks;
  struct amount time = {.ticks = figures->ticks, .raw_ns = figures->ns};
  struct amount allocated = {.raw_ns = figures->bytes};
  if (stack_profile_calls(stacks, figures->entries) != 0) return -1;
  if (figures->ns && stack_profile_charge(stacks, CENTRE_TIME, time) != 0) return -1;
  return figures->bytes ? stack_profile_charge(stacks, CENTRE_ALLOCATED, allocated) : 0;
}

/* ---- the profile ---- */

static int choose_first(struct cost_centres *centres, const char *name, const char *event,
                        struct error *error) {
  struct profile *profile = centres->stacks.profile;
  const struct amount *all = centres->stacks.all;
  uint32_t first = all[CENTRE_TIME].raw_ns ? CENTRE_TIME : CENTRE_ALLOCATED;
  if (event) first = metrics_find(profile, event);
  if (first == NOTHING)
    return error_set(error, "%s: no %s in it: the file has %s", name, event,
                     metrics_text(profile, profile->pool));
  if (!all[first].raw_ns)
    return error_set(error, "%s: all cost centres have 0 %s", name, profile->metrics[first].name);
  metrics_put_first(profile, first);
  return 0;
}

int cost_centres_finish(struct cost_centres *centres, const char *name, const char *event,
                        int result, struct profile **profile, struct error *error) {
  if (result == 0) result = choose_first(centres, name, event, error);
  struct profile *made = stack_profile_finish(&centres->stacks);
  free(centres->path);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}
