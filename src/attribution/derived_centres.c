#include "attribution/derived_centres.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "attribution/own_code.h"
#include "base/base_name.h"
#include "profile/centres.h"
#include "recording/history.h"

struct derivation {
  struct profile *profile;
  const struct centre_rules *rules;
  struct profile_builder builder; /* of profile->centres */
  uint32_t *of_function;          /* by function: its centre, or NOTHING */
  uint32_t *of_context;           /* by context of the profile: that of centres, or NOTHING */
};

enum centre_rule centre_rule_named(const char *name) {
  static const char *const names[] = {[CENTRES_FUNCTIONS] = "functions",
                                      [CENTRES_EXPORTED] = "exported",
                                      [CENTRES_FILES] = "files",
                                      [CENTRES_OBJECTS] = "objects"};
  for (int rule = CENTRES_FUNCTIONS; rule <= CENTRES_OBJECTS; rule++)
    if (strcmp(names[rule], name) == 0) return rule;
  return CENTRES_NONE;
}

/* ---- functions ---- */

static uint32_t add(struct derivation *work, struct profile_function centre) {
  centre.object = NOTHING;
  centre.kind = FUNCTION_SAMPLED; /* entries are not known */
  if (!centre.linkage) centre.linkage = "";
  return centres_add(&work->builder, &centre);
}

static const char *matching(const struct centre_rules *rules, const char *name) {
  for (size_t i = 0; i < rules->pattern_count; i++)
    if (fnmatch(rules->patterns[i].pattern, name, 0) == 0) return rules->patterns[i].name;
  return NULL;
}

static uint32_t centre_of_file(struct derivation *work, const struct profile_function *function) {
  if (!function->file) return NOTHING;
  return add(work, (struct profile_function){.name = base_name(function->file),
                                             .linkage = function->file,
                                             .file = function->file});
}

static uint32_t centre_of_object(struct derivation *work, const struct profile_function *function) {
  if (function->object == NOTHING) return NOTHING;
  const char *path = work->profile->objects[function->object].path;
  return add(work, (struct profile_function){.name = base_name(path), .linkage = path});
}

static uint32_t centre_of(struct derivation *work, uint32_t id) {
  const struct profile_function *function = &work->profile->functions[id];
  const char *name = matching(work->rules, function->name);
  enum centre_rule rule = work->rules->rule;
  if (name) return add(work, (struct profile_function){.name = name});
  if (function->kind == FUNCTION_CUT || function->kind == FUNCTION_OVERFLOW) return NOTHING;
  if (rule == CENTRES_OBJECTS) return centre_of_object(work, function);
  if (rule == CENTRES_NONE || !own_code(work->profile, id)) return NOTHING;
  if (rule == CENTRES_FILES) return centre_of_file(work, function);
  if (rule == CENTRES_EXPORTED && !function->exported) return NOTHING;
  return add(work, (struct profile_function){.name = function->name,
                                             .linkage = function->file,
                                             .file = function->file,
                                             .line = function->line});
}

static bool find_centres(struct derivation *work) {
  const struct profile *profile = work->profile;
  work->of_function = memory_resized(NULL, profile->function_count, sizeof *work->of_function);
  for (size_t i = 0; i < profile->function_count; i++)
    work->of_function[i] = centre_of(work, (uint32_t)i);
  return profile->centres->function_count;
}

/* ---- contexts ---- */

/* The functions of a history that have no centre are left out: the last that stays is marked, since
 * all entries of a function stay or go. */
static uint32_t context_of(struct derivation *work, const struct profile_context *context) {
  uint32_t *history = memory_resized(NULL, context->length + 1u, sizeof *history), length = 0;
  for (uint32_t i = 0; i < context->length; i++) {
    uint32_t centre = work->of_function[history_function(context->history[i])];
    if (centre != NOTHING)
      history[length++] = history_entry(centre, history_marked(context->history[i]));
  }
  length = history_fold(history, length);
  uint32_t found = NOTHING;
  if (length) found = context_intern(&work->builder.contexts, context->thread, history, length);
  free(history);
  return found;
}

static void move_ticks(struct derivation *work) {
  struct profile *profile = work->profile;
  work->of_context = memory_resized(NULL, profile->context_count, sizeof *work->of_context);
  for (size_t i = 0; i < profile->context_count; i++)
    work->of_context[i] = context_of(work, &profile->contexts[i]);
  for (size_t i = 0; i < profile->metric_count; i++)
    for (size_t k = 0; k < profile->metrics[i].tick_count; k++) {
      struct profile_tick *tick = &profile->metrics[i].ticks[k];
      tick->centre = work->of_context[tick->context];
    }
}

int derived_centres_make(struct profile *profile, const struct centre_rules *rules,
                         struct error *error) {
  struct derivation work = {.profile = profile, .rules = rules};
  struct profile *centres = profile->centres;
  centres->function_count = centres->context_count = centres->transition_count = 0;
  builder_open(&work.builder, centres);
  bool found = find_centres(&work);
  if (found) move_ticks(&work);
  builder_close(&work.builder);
  centres->calls_unknown = true;
  free(work.of_function);
  free(work.of_context);
  return found ? 0 : error_set(error, "no function is in any of these centres");
}
