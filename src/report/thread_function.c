#include "report/thread_function.h"

#include <stdlib.h>
#include <string.h>

#include "recording/history.h"
#include "symbols/name_parts.h"

/* Code without a symbol has its address as its name. */
static bool is_named(const struct profile_function *function) {
  return strncmp(function->name, "0x", 2) != 0;
}

/* std::__invoke and the like lead to what the program wrote. */
static bool tells_something(const struct profile_function *function) {
  return is_named(function) && strncmp(name_qualified(function->name).text, "std::", 5) != 0;
}

static uint32_t first_that_tells(const struct profile *profile,
                                 const struct profile_context *context) {
  for (uint32_t i = 0; i < context->length; i++) {
    uint32_t function = history_function(context->history[i]);
    if (tells_something(&profile->functions[function])) return function;
  }
  return NOTHING;
}

uint32_t thread_function(const struct profile *profile, uint32_t thread) {
  uint32_t start = profile->threads[thread].start_function, best = start;
  if (start == NOTHING || is_named(&profile->functions[start])) return start;
  uint64_t *time = memory_zeroed(profile->function_count, sizeof *time);
  for (size_t i = 0; i < profile->context_count; i++) {
    if (profile->contexts[i].thread != thread || !context_self(profile, i).raw_ns) continue;
    uint32_t first = first_that_tells(profile, &profile->contexts[i]);
    if (first == NOTHING) continue;
    time[first] += context_self(profile, i).raw_ns;
    if (best == start || time[first] > time[best]) best = first;
  }
  free(time);
  return best;
}
