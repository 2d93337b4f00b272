#include "attribution/counts/inlined_only.h"

#include <stdlib.h>

static void note_function(uint32_t function, uint32_t within, bool *ran) {
  if (function != NOTHING && function != within) ran[function] = true;
}

/* What was inlined on the way there. */
static void note_expansion(const struct profile *profile, uint32_t expansion, uint32_t within,
                           bool *ran) {
  for (uint32_t i = expansion; i != NOTHING; i = profile->expansions[i].parent)
    note_function(profile->expansions[i].function, within, ran);
}

/* Ticks tell of the innermost function, too, where there is no expansion. */
static void note_instructions(const struct profile *profile, const struct profile_metric *metric,
                              bool *ran) {
  for (size_t i = 0; i < metric->instruction_count; i++) {
    const struct profile_instruction *instruction = &metric->instructions[i];
    if (!instruction->self.ticks) continue;
    note_expansion(profile, instruction->expansion, instruction->within, ran);
    if (instruction->within != NOTHING)
      note_function(profile->lines[instruction->line].function, instruction->within, ran);
  }
}

bool *inlined_that_ran(const struct profile *profile) {
  bool *ran = memory_zeroed(profile->function_count, sizeof *ran);
  for (size_t i = 0; i < profile->count_count; i++) {
    const struct profile_site *site = &profile->sites[profile->counts[i].site];
    if (profile->counts[i].calls) note_expansion(profile, site->expansion, site->within, ran);
  }
  for (size_t i = 0; i < profile->metric_count; i++)
    note_instructions(profile, &profile->metrics[i], ran);
  return ran;
}

/* By function: it was called. */
static bool *called_functions(const struct profile *profile) {
  bool *called = memory_zeroed(profile->function_count, sizeof *called);
  for (size_t i = 0; i < profile->count_count; i++)
    if (profile->counts[i].calls) called[profile->sites[profile->counts[i].site].callee] = true;
  for (size_t i = 0; i < profile->transition_count; i++)
    if (profile->transitions[i].count) {
      uint32_t function = context_running(&profile->contexts[profile->transitions[i].to]);
      if (function != NOTHING) called[function] = true;
    }
  return called;
}

/* By function: a tick has met it on the stack. Each stack is looked at once. */
static bool *functions_on_stacks(const struct profile *profile) {
  bool *met = memory_zeroed(profile->function_count, sizeof *met);
  bool *seen = memory_zeroed(profile->stack_count, sizeof *seen);
  for (size_t i = 0; i < profile->metric_count; i++)
    for (size_t tick = 0; tick < profile->metrics[i].tick_count; tick++)
      for (uint32_t at = profile->metrics[i].ticks[tick].stack; at != NOTHING && !seen[at];
           at = profile->stacks[at].parent) {
        seen[at] = true;
        if (profile->stacks[at].line != NOTHING)
          met[profile->lines[profile->stacks[at].line].function] = true;
      }
  free(seen);
  return met;
}

void inlined_only_find(struct profile *profile) {
  /* Contexts have what was entered only; figures that were given have their calls elsewhere. */
  if (!profile->count_count || profile->given) return;
  bool *ran = inlined_that_ran(profile), *met = functions_on_stacks(profile),
       *called = called_functions(profile);
  for (size_t i = 0; i < profile->function_count; i++) {
    struct profile_function *function = &profile->functions[i];
    if (function->kind != FUNCTION_COUNTED || called[i]) continue;
    if (!ran[i] && !(met[i] && function->bodies == BODY_INLINED)) continue;
    function->kind = FUNCTION_SAMPLED;
    function->bodies = BODY_INLINED;
  }
  free(ran);
  free(met);
  free(called);
}
