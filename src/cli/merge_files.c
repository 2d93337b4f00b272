#include "cli/merge_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/options.h"
#include "cli/profile_file.h"
#include "cli/profile_output.h"
#include "report/report.h"
#include "store/store.h"

void merge_files_begin(struct merge_files *files, bool force) {
  *files = (struct merge_files){.merge = merge_begin(), .force = force};
}

int merge_files_add(struct merge_files *files, const char *name, struct error *error) {
  struct profile *profile;
  struct error reason;
  if (!profile_file_is_stored(name))
    return error_set(
        error, "%s: only whole profiles are merged, and recordings once they are saved", name);
  if (store_load(name, &profile, &reason) != 0) {
    fprintf(stderr, "%s: %s; it is left out\n", command_name(), reason.text);
    files->left_out++;
    return 0;
  }
  int result = merge_add(files->merge, profile, name, files->force, error);
  profile_free(profile);
  if (result != 0) return -1;
  ARRAY_GROW(files->added, files->added_count);
  files->added[files->added_count++] = name;
  return 0;
}

int merge_files_save(struct merge_files *files, const char *asked, const char *usual, bool quiet,
                     struct error *error) {
  const struct kept_sources kept = {files->added, files->added_count};
  struct profile_output output = {.asked = asked, .usual = usual, .sources = &kept};
  struct profile *sum = merge_finish(files->merge);
  files->merge = NULL;
  int result = profile_output_save(&output, sum, error);
  if (result == 0 && !quiet) {
    report_merged_summary(sum, stderr);
    profile_output_say(&output);
  }
  profile_free(sum);
  return result;
}

void merge_files_end(struct merge_files *files) {
  if (files->merge) merge_discard(files->merge);
  free(files->added);
}
