#include "cli/profile_output.h"

#include <stdio.h>
#include <unistd.h>

int profile_output_check(const struct profile_output *output, struct error *error) {
  return output->asked ? store_may_save(output->asked, error)
                       : store_may_save_new(output->usual, error);
}

int profile_output_save(struct profile_output *output, const struct profile *profile,
                        struct error *error) {
  if (!output->asked) return store_save_new(profile, output->usual, output->saved, error);
  snprintf(output->saved, sizeof output->saved, "%s", output->asked);
  output->replaced = access(output->asked, F_OK) == 0;
  return output->sources ? store_save_merged(profile, output->sources, output->asked, error)
                         : store_save(profile, output->asked, error);
}

void profile_output_say(const struct profile_output *output) {
  fprintf(stderr, "saved %s%s\n", output->saved,
          output->replaced ? " in place of the file that was there" : "");
}
