#include "exchange/cost_centres.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profile/centres.h"
#include "recording/history.h"

void cost_centres_open(struct cost_centres *centres) {
  *centres = (struct cost_centres){.stamp = NOTHING};
  stack_profile_open(&centres->stacks, "", "");
  centres->process = stack_profile_process(&centres->stacks, 0, "");
  centres->thread = stack_profile_thread(&centres->stacks, centres->process, 0, "");
}

/* ---- cost centres ---- */

static bool take_number(const char **text, uint32_t *number) {
  char *end;
  if (!isdigit((unsigned char)**text)) return false;
  unsigned long found = strtoul(*text, &end, 10);
  *text = end;
  *number = (uint32_t)found;
  return found <= INT32_MAX;
}

static bool take_character(const char **text, char wanted) {
  if (**text != wanted) return false;
  (*text)++;
  return true;
}

struct position {
  uint32_t line, column;
};

/* "5:10", or "(5,10)". */
static bool take_position(const char **text, struct position *position) {
  bool in_brackets = take_character(text, '(');
  return take_number(text, &position->line) && take_character(text, in_brackets ? ',' : ':') &&
         take_number(text, &position->column) && (!in_brackets || take_character(text, ')'));
}

/* The range at `text`: "3:1-20", "3:1", "(3,1)-(5,10)". */
static bool parse_range(const char *text, struct profile_function *function) {
  struct position start, end;
  bool in_brackets = *text == '(';
  if (!take_position(&text, &start)) return false;
  end = start;
  bool has_end = !take_character(&text, '-') ||
                 (in_brackets ? take_position(&text, &end) : take_number(&text, &end.column));
  function->line = start.line;
  function->column = start.column;
  if (!has_end || !start.column || end.line < start.line) return true;
  if (end.line == start.line && end.column < start.column) return true;
  function->end_line = end.line;
  function->end_column = end.column;
  return true;
}

/* Returns the file, to be freed, or null: the location has none. */
static char *parse_location(const char *location, struct profile_function *function) {
  if (location[0] == '<') return NULL;
  for (const char *colon = location; (colon = strchr(colon, ':')); colon++) {
    if (colon == location || !parse_range(colon + 1, function)) continue;
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

/* The cost centres of GHC's own runtime: no source has them. */
static bool is_runtime(const char *label, const char *module, const char *location) {
  static const struct named_centre known[] = {
      {"GC", "GC"},         {"SYSTEM", "SYSTEM"},         {"IDLE", "IDLE"},
      {"PINNED", "SYSTEM"}, {"OVERHEAD_of", "PROFILING"}, {"DONT_CARE", "MAIN"}};
  bool found = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    found |= strcmp(label, known[i].label) == 0 && strcmp(module, known[i].module) == 0;
  return found && (!*location || *location == '<');
}

static void name_centre(struct cost_centres *centres, uint32_t function, const char *label,
                        const char *module) {
  ARRAY_ROOM(centres->names, (size_t)function + 1);
  while (centres->named <= function)
    centres->names[centres->named++] = (struct named_centre){0};
  struct named_centre name = {stack_profile_text(&centres->stacks, label),
                              stack_profile_text(&centres->stacks, module)};
  centres->names[function] = name;
}

uint32_t cost_centres_place(struct cost_centres *centres, const char *label, const char *module,
                            const char *location) {
  struct profile_function function = {.object = NOTHING};
  char *file = parse_location(location, &function);
  char *name = memory_printed("%s.%s", module, label);
  function.file = file;
  /* MAIN.MAIN is the root of all stacks, GC.GC the runtime's own work: once is enough. */
  bool alone = !*module || strcmp(module, label) == 0;
  bool haskell = cost_centres_module(name) >= strlen(module);
  function.name = alone || !haskell ? label : name;
  if (is_runtime(label, module, location))
    function.object = stack_profile_object(&centres->stacks, RUNTIME_OBJECT, "");
  else if (!alone && !haskell)
    function.object = stack_profile_object(&centres->stacks, module, "");
  uint32_t id = stack_profile_function(&centres->stacks, &function, BODY_OWN);
  free(name);
  free(file);
  return id;
}

uint32_t cost_centres_function(struct cost_centres *centres, const char *label, const char *module,
                               const char *location) {
  uint32_t function = cost_centres_place(centres, label, module, location);
  name_centre(centres, function, label, module);
  return function;
}

bool cost_centres_is_runtime(const struct cost_centres *centres, uint32_t function) {
  const struct profile *profile = centres->stacks.profile;
  uint32_t object = profile->functions[function].object;
  return object != NOTHING && strcmp(profile->objects[object].path, RUNTIME_OBJECT) == 0;
}

/* ---- the tree ---- */

static void add_frame(struct cost_centres *centres, uint32_t function) {
  struct stack_profile *stacks = &centres->stacks;
  stack_profile_frame(stacks, function, stack_profile_line(stacks, function, NULL, 0));
}

bool cost_centres_push(struct cost_centres *centres, size_t depth, uint32_t function) {
  struct stack_profile *stacks = &centres->stacks;
  if (depth > centres->depth) return false;
  centres->depth = depth;
  if (centres->stamp == stacks->stamp) {
    stack_profile_return(stacks, depth);
  } else {
    stack_profile_begin(stacks, centres->thread);
    centres->stamp = stacks->stamp;
    for (size_t i = 0; i < depth; i++)
      add_frame(centres, centres->path[i]);
  }
  cost_centres_add(centres, function);
  return true;
}

void cost_centres_add(struct cost_centres *centres, uint32_t function) {
  ARRAY_GROW(centres->path, centres->depth);
  centres->path[centres->depth++] = function;
  add_frame(centres, function);
}

/* ---- the profile's cost centres ---- */

struct centre_making {
  struct profile *profile, *made;
  struct profile_builder builder; /* of `made` */
  uint32_t *of_functions, *of_contexts;
};

/* Each function has a centre of its own, so that histories stay as they are: where the module has
 * several of one label, their places tell them apart. */
static uint32_t add_centre(struct centre_making *making, const struct profile_function *function,
                           const struct named_centre *name) {
  struct profile *made = making->made;
  struct profile_function centre = {.name = name->label,
                                    .linkage = name->module,
                                    .file = function->file,
                                    .line = function->line,
                                    .column = function->column,
                                    .end_line = function->end_line,
                                    .end_column = function->end_column,
                                    .object = NOTHING,
                                    .kind = FUNCTION_SAMPLED}; /* entries are not known */
  if (function_is_counted(function->kind)) centre.kind = FUNCTION_COUNTED;
  size_t before = made->function_count;
  uint32_t id = centres_add(&making->builder, &centre);
  if (made->function_count > before) return id;
  char *apart = memory_printed("%s (%s:%u:%u)", name->label, function->file ? function->file : "",
                               function->line, function->column);
  centre.name = apart;
  id = profile_add_function(made, centre);
  free(apart);
  return id;
}

static void add_centres(struct centre_making *making, const struct cost_centres *centres) {
  const struct profile *profile = making->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    making->of_functions[i] = NOTHING;
    if (i < centres->named && centres->names[i].label)
      making->of_functions[i] = add_centre(making, &profile->functions[i], &centres->names[i]);
  }
}

/* NOTHING where a function of the history is no cost centre. */
static uint32_t centre_context(struct centre_making *making,
                               const struct profile_context *context) {
  uint32_t *history = memory_zeroed(context->length, sizeof *history), made = 0;
  for (uint32_t i = 0; i < context->length && made != NOTHING; i++) {
    uint32_t entry = context->history[i];
    made = making->of_functions[history_function(entry)];
    if (made != NOTHING) history[i] = history_entry(made, history_marked(entry));
  }
  if (made != NOTHING)
    made = profile_add_context(making->made, context->thread, history, context->length);
  free(history);
  return made;
}

/* Each pair of contexts has one call site, and each context one of the centres'. */
static void add_entries(struct centre_making *making) {
  const struct profile *profile = making->profile;
  for (size_t i = 0; i < profile->transition_count; i++) {
    struct profile_transition entries = profile->transitions[i];
    entries.from = making->of_contexts[entries.from];
    entries.to = making->of_contexts[entries.to];
    entries.site = NOTHING;
    if (entries.from != NOTHING && entries.to != NOTHING)
      profile_add_transition(making->made, entries);
  }
}

static void charge_centres(struct centre_making *making) {
  struct profile *profile = making->profile;
  for (size_t k = 0; k < profile->metric_count; k++)
    for (size_t i = 0; i < profile->metrics[k].tick_count; i++) {
      struct profile_tick *tick = &profile->metrics[k].ticks[i];
      if (profile->contexts[tick->context].length)
        tick->centre = making->of_contexts[tick->context];
    }
}

static void make_centres(struct cost_centres *centres) {
  struct profile *profile = centres->stacks.profile;
  struct centre_making making = {.profile = profile, .made = profile->centres};
  making.of_functions = memory_zeroed(profile->function_count, sizeof *making.of_functions);
  making.of_contexts = memory_zeroed(profile->context_count, sizeof *making.of_contexts);
  builder_open(&making.builder, making.made);
  add_centres(&making, centres);
  for (size_t i = 0; i < profile->context_count; i++)
    making.of_contexts[i] = centre_context(&making, &profile->contexts[i]);
  add_entries(&making);
  charge_centres(&making);
  builder_close(&making.builder);
  free(making.of_functions);
  free(making.of_contexts);
}

void cost_centres_finish(struct cost_centres *centres) {
  if (centres->named) make_centres(centres);
  free(centres->names);
  free(centres->path);
}
