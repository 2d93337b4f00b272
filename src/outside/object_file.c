#include "outside/object_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/living_thread.h"
#include "base/memory.h"
#include "outside/build_id.h"
#include "outside/file_fault.h"
#include "outside/maps.h"

static const char vdso[] = "[vdso]";

const struct unwind_tables object_no_rules;

static bool is_vdso(const struct object_file *file) {
  return strcmp(file->first.path, vdso) == 0;
}

void object_files_close(struct object_files *files) {
  for (size_t i = 0; i < files->count; i++)
    if (files->list[i]->image && !is_vdso(files->list[i]))
      munmap((void *)files->list[i]->image, files->list[i]->bytes);
  free(files->list);
  hash_index_free(&files->by_name);
  arena_free(&files->arena);
  *files = (struct object_files){0};
}

/* ---- opening ---- */

static bool is_same_file(const char *path, const struct stat *file) {
  struct stat status;
  return stat(path, &status) == 0 && status.st_dev == file->st_dev && status.st_ino == file->st_ino;
}

/* A name of an open file that leads to it in our file system, however it was opened. */
static bool find_name(int file, const struct stat *status, char name[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, PATH_MAX - 1);
  if (length < 0) return false;
  name[length] = '\0';
  return is_same_file(name, status);
}

/* Null: it cannot be read.  `name`: where it can be opened; that it has already, or a better one.
 */
static const uint8_t *map_file(char name[PATH_MAX], uint64_t *bytes) {
  struct stat status;
  char better[PATH_MAX];
  int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return NULL;
  void *image = MAP_FAILED;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (image != MAP_FAILED && find_name(file, &status, better)) strcpy(name, better);
  close(file);
  *bytes = (uint64_t)status.st_size;
  return image == MAP_FAILED ? NULL : image;
}

/* The kernel's own code, which is the same in all processes. */
static void take_vdso(void *context, const struct kernel_mapping *mapping) {
  struct object_file *file = context;
  if (strcmp(mapping->path, vdso) != 0) return;
  file->image = (const uint8_t *)mapping->start;
  file->bytes = mapping->end - mapping->start;
}

static void read_build_id(void *context) {
  struct object_file *file = context;
  file->build_id_bytes = build_id_find(file->image, file->bytes, &file->build_id);
}

/* Whether the file is the one that was mapped, as far as is known. */
static bool is_mapped_one(struct object_file *file) {
  const struct kernel_mapping *mapped = &file->first;
  if (!file_fault_guard(read_build_id, file)) return false;
  return !mapped->build_id_bytes ||
         (mapped->build_id_bytes == file->build_id_bytes &&
          memcmp(mapped->build_id, file->build_id, file->build_id_bytes) == 0);
}

static bool open_at(struct object_files *files, struct object_file *file, char name[PATH_MAX]) {
  file->image = map_file(name, &file->bytes);
  if (!file->image) return false;
  if (is_mapped_one(file)) {
    file->path = arena_text(&files->arena, name, strlen(name));
    return true;
  }
  munmap((void *)file->image, file->bytes);
  file->image = NULL;
  file->build_id_bytes = 0;
  return false;
}

static void read_tables(void *context) {
  struct object_file *file = context;
  file->tables = unwind_tables_open(&file->own, file->image, file->bytes) == 0 ? &file->own : NULL;
}

/* Under its name as the process sees it, then as we do. */
static void open_file(struct object_files *files, struct object_file *file) {
  char inside[PATH_MAX], outside[PATH_MAX];
  snprintf(inside, sizeof inside, "/proc/%u/root%s", living_thread(file->first.pid),
           file->first.path);
  snprintf(outside, sizeof outside, "%s", file->first.path);
  if (is_vdso(file))
    maps_read((uint32_t)getpid(), take_vdso, file);
  else if (file->first.path[0] == '/' && !open_at(files, file, inside))
    open_at(files, file, outside);
  file->tables = &object_no_rules;
  if (file->first.build_id_bytes) {
    file->build_id = file->first.build_id;
    file->build_id_bytes = file->first.build_id_bytes;
  }
  if (file->image) file_fault_guard(read_tables, file);
}

/* ---- the list ---- */

static uint64_t name_hash(const struct kernel_mapping *name) {
  uint64_t hash = hash_text(name->path) ^ hash_mix(name->device * 31 + name->inode);
  for (uint32_t i = 0; i < name->build_id_bytes; i++)
    hash = hash * 31 + name->build_id[i];
  return hash_mix(hash);
}

static int is_named(const void *list, uint32_t index, const void *key) {
  const struct kernel_mapping *a = &((struct object_file *const *)list)[index]->first, *b = key;
  return a->device == b->device && a->inode == b->inode && a->build_id_bytes == b->build_id_bytes &&
         strcmp(a->path, b->path) == 0 &&
         (!a->build_id_bytes || memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0);
}

/* A file with our own copies of what the mapping points at. */
static struct object_file *make_file(struct object_files *files,
                                     const struct kernel_mapping *mapping) {
  struct object_file *file = arena_take(&files->arena, sizeof *file);
  char *path = arena_text(&files->arena, mapping->path, strlen(mapping->path));
  uint8_t *build_id = arena_take(&files->arena, mapping->build_id_bytes);
  if (mapping->build_id_bytes) memcpy(build_id, mapping->build_id, mapping->build_id_bytes);
  *file = (struct object_file){.first = *mapping};
  file->first.path = path;
  file->first.build_id = build_id;
  return file;
}

const struct object_file *object_files_get(struct object_files *files,
                                           const struct kernel_mapping *mapping) {
  uint64_t hash = name_hash(mapping);
  uint32_t known = hash_index_find(&files->by_name, hash, is_named, files->list, mapping);
  if (known != HASH_INDEX_NONE) return files->list[known];
  struct object_file *file = make_file(files, mapping);
  ARRAY_GROW(files->list, files->count);
  hash_index_add(&files->by_name, hash, (uint32_t)files->count);
  files->list[files->count++] = file;
  open_file(files, file);
  return file;
}

const char *object_files_path(const struct object_file *file) {
  return file->path && access(file->path, R_OK) == 0 ? file->path : file->first.path;
}
