#include "attribution/profile.h"

#include <stdlib.h>

#include "runtime/history.h"

uint32_t context_running(const struct profile_context *context) {
  return context->length ? history_function(context->history[context->length - 1]) : NOTHING;
}

void profile_free(struct profile *profile) {
  if (!profile) return;
  pool_free(profile->pool);
  free(profile->objects);
  free(profile->functions);
  free(profile->processes);
  free(profile->threads);
  free(profile->contexts);
  free(profile->sites);
  free(profile->transitions);
  free(profile->lines);
  free(profile->ticks);
  free(profile);
}
