#include "store/source_age.h"

#include <stdlib.h>
#include <sys/stat.h>

static int64_t modified_ns(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  return status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static void note(struct source_ages *ages, const char *path, int64_t built) {
  if (!path || !built) return;
  uint32_t id = map_find_or_add(&ages->by_path, (uintptr_t)path, 0, ages->count);
  if (id == ages->count) {
    MEMORY_GROW(ages->built, ages->count, ages->room);
    ages->built[ages->count++] = built;
  }
  if (built < ages->built[id]) ages->built[id] = built;
}

void source_ages_open(struct source_ages *ages, const struct profile *profile) {
  *ages = (struct source_ages){0};
  int64_t *built = memory_zeroed(profile->object_count, sizeof *built);
  for (size_t i = 0; i < profile->object_count; i++)
    built[i] = modified_ns(profile->objects[i].path);
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->object != NOTHING) note(ages, function->file, built[function->object]);
  }
  for (size_t i = 0; i < profile->line_count; i++) {
    uint32_t object = profile->functions[profile->lines[i].function].object;
    if (object != NOTHING) note(ages, profile->lines[i].file, built[object]);
  }
  free(built);
}

void source_ages_close(struct source_ages *ages) {
  free(ages->built);
  map_free(&ages->by_path);
}

bool source_is_newer(const struct source_ages *ages, const char *path) {
  uint32_t id = map_find(&ages->by_path, (uintptr_t)path, 0);
  return id != UINT32_MAX && modified_ns(path) > ages->built[id];
}
