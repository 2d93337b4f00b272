/* Paths of source files, each kept once. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbols/debug_info.h"
#include "symbols/source_path.h"

enum { LONGEST_PATH = 8192 };

struct source_path {
  const char *raw, *path;
};

static int has_raw_path(const void *array, uint32_t index, const void *key) {
  return strcmp(((const struct source_path *)array)[index].raw, key) == 0;
}

static const char *shown_path(struct debug_info *info, const char *raw) {
  char *path = arena_text(&info->arena, raw, strlen(raw));
  source_path_normalise(path);
  /* Behind a symbolic link ".." leads elsewhere than it seems. */
  return strcmp(path, raw) != 0 && access(path, F_OK) != 0 && access(raw, F_OK) == 0 ? raw : path;
}

static const char *path_of(struct debug_info *info, const char *complete) {
  uint64_t hash = hash_text(complete);
  uint32_t known = hash_index_find(&info->path_map, hash, has_raw_path, info->paths, complete);
  if (known != HASH_INDEX_NONE) return info->paths[known].path;
  const char *raw = arena_text(&info->arena, complete, strlen(complete));
  const char *path = shown_path(info, raw);
  ARRAY_GROW(info->paths, info->path_count);
  hash_index_add(&info->path_map, hash, (uint32_t)info->path_count);
  info->paths[info->path_count++] = (struct source_path){.raw = raw, .path = path};
  return path;
}

const char *debug_info_path(struct debug_info *info, Dwarf_Die *unit, const char *named) {
  Dwarf_Attribute attribute;
  const char *folder = dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
  if (named[0] == '/' || !folder || strlen(folder) + strlen(named) + 2 > LONGEST_PATH)
    return path_of(info, named);
  char complete[LONGEST_PATH];
  stpcpy(stpcpy(stpcpy(complete, folder), "/"), named);
  return path_of(info, complete);
}

void debug_info_free_paths(struct debug_info *info) {
  free(info->paths);
  hash_index_free(&info->path_map);
}
