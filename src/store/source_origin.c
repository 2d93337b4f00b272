#include "store/source_origin.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct source_origin {
  int64_t built; /* ns since 1970: the oldest object; 0: none is on disk */
  struct source_claim claim;
};

static int64_t modified_ns(const struct stat *status) {
  return status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* Root's word counts as ours. Two others contradict each other: then nobody vouches. */
static void add_owner(struct source_claim *claim, uid_t owner) {
  if (owner == 0 || owner == geteuid()) return;
  claim->refused |= claim->foreign && claim->owner != owner;
  claim->foreign = true;
  claim->owner = owner;
}

static void note(struct source_origins *origins, const char *path, const struct stat *object) {
  if (!path) return;
  uint32_t id = map_find_or_add(&origins->by_path, (uintptr_t)path, 0, origins->count);
  if (id == origins->count) {
    ARRAY_GROW(origins->origins, origins->count);
    origins->origins[origins->count++] = (struct source_origin){.claim = origins->claim};
  }
  if (!object->st_mtim.tv_sec) return;
  struct source_origin *origin = &origins->origins[id];
  int64_t built = modified_ns(object);
  if (!origin->built || built < origin->built) origin->built = built;
  origin->claim.own_object |= object->st_uid == geteuid();
  add_owner(&origin->claim, object->st_uid);
}

/* Programs may be started after others of the same recording have compiled them. */
static void take_processes(struct source_claim *claim, const struct profile *profile) {
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    if (process->owner) add_owner(claim, process->owner - 1);
    if ((int64_t)process->started_ns > claim->before_ns) claim->before_ns = process->started_ns;
  }
}

void source_origins_open(struct source_origins *origins, const struct profile *profile) {
  *origins = (struct source_origins){0};
  take_processes(&origins->claim, profile);
  struct stat *objects = memory_zeroed(profile->object_count, sizeof *objects);
  for (size_t i = 0; i < profile->object_count; i++)
    if (profile->objects[i].kind == OBJECT_WORLD ||
        stat(profile->objects[i].path, &objects[i]) != 0)
      objects[i] = (struct stat){0};
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->object != NOTHING) note(origins, function->file, &objects[function->object]);
  }
  for (size_t i = 0; i < profile->line_count; i++) {
    uint32_t object = profile->functions[profile->lines[i].function].object;
    if (object != NOTHING) note(origins, profile->lines[i].file, &objects[object]);
  }
  free(objects);
}

void source_origins_close(struct source_origins *origins) {
  free(origins->origins);
  map_free(&origins->by_path);
}

static const struct source_origin *find(const struct source_origins *origins, const char *path) {
  uint32_t id = map_find(&origins->by_path, (uintptr_t)path, 0);
  return id == UINT32_MAX ? NULL : &origins->origins[id];
}

struct source_claim source_claim_of(const struct source_origins *origins, const char *path) {
  const struct source_origin *origin = find(origins, path);
  return origin ? origin->claim : origins->claim;
}

bool source_is_newer(const struct source_origins *origins, const char *path) {
  const struct source_origin *origin = find(origins, path);
  struct stat status;
  return origin && origin->built && stat(path, &status) == 0 &&
         modified_ns(&status) > origin->built;
}
