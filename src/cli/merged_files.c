#include "cli/merged_files.h"

#include "attribution/merge/merge.h"
#include "cli/profile_file.h"
#include "store/store.h"

static int add_file(struct merge *merge, const char *file, bool force, struct error *error) {
  struct profile *profile;
  if (!profile_file_is_stored(file))
    return error_set(
        error, "%s: only whole profiles are merged, and recordings once they are saved", file);
  if (store_load(file, &profile, error) != 0) return -1;
  int result = merge_add(merge, profile, file, force, error);
  profile_free(profile);
  return result;
}

int merged_files(char *const *files, size_t count, bool force, struct profile **merged,
                 struct error *error) {
  struct merge *merge = merge_begin();
  for (size_t i = 0; i < count; i++)
    if (add_file(merge, files[i], force, error) != 0) {
      merge_discard(merge);
      return -1;
    }
  *merged = merge_finish(merge);
  return 0;
}
