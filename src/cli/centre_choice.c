#include "cli/centre_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options.h"

int centre_choice_take(struct centre_choice *choice, const char *text) {
  struct centre_rules *rules = &choice->rules;
  const char *equals = text ? strchr(text, '=') : NULL;
  if (!text) return 0;
  if (!equals) {
    rules->rule = centre_rule_named(text);
    if (rules->rule != CENTRES_NONE) return 0;
    return wrong_use("--centres=%s: expected functions, exported, files, objects or NAME=PATTERN",
                     text);
  }
  if (equals == text || !equals[1]) return wrong_use("--centres=%s: expected NAME=PATTERN", text);
  if (rules->pattern_count == PATTERNS_MOST)
    return wrong_use("--centres: at most %d patterns", PATTERNS_MOST);
  choice->patterns[rules->pattern_count++] =
      (struct centre_pattern){memory_printed("%.*s", (int)(equals - text), text), equals + 1};
  return 0;
}

int centre_choice_apply(struct centre_choice *choice, struct profile *profile,
                        struct error *error) {
  if (choice->rules.rule == CENTRES_NONE && !choice->rules.pattern_count) return 0;
  choice->rules.patterns = choice->patterns;
  return derived_centres_make(profile, &choice->rules, error);
}

void centre_choice_free(struct centre_choice *choice) {
  for (size_t i = 0; i < choice->rules.pattern_count; i++)
    free((char *)choice->patterns[i].name);
}
