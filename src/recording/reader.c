#include "recording/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "recording/process_ends.h"
#include "recording/reader_image.h"

/* A recording with the files behind it. `recording` comes first: it is what callers hold. */
struct open_recording {
  struct recording recording;
  struct image **images;
  size_t image_count;
  struct hash_index by_path;
};

static void image_free(struct image *image) {
  if (image->state != IMAGE_FAILED) image_drop_contents(image);
  free(image->path);
  free(image);
}

static int has_path(const void *array, uint32_t index, const void *key) {
  return strcmp(((struct image *const *)array)[index]->path, key) == 0;
}

static struct image *find_image(const struct open_recording *open, const char *path) {
  uint32_t index = hash_index_find(&open->by_path, hash_text(path), has_path, open->images, path);
  return index == HASH_INDEX_NONE ? NULL : open->images[index];
}

static struct image *add_image(struct open_recording *open, const char *path) {
  struct image *image = memory_zeroed(1, sizeof *image);
  ARRAY_GROW(open->images, open->image_count);
  hash_index_add(&open->by_path, hash_text(path), (uint32_t)open->image_count);
  image->path = memory_text(path);
  image->process.executable = image->process.command = "";
  image->process.directory = image->process.host = "";
  return open->images[open->image_count++] = image;
}

/* N of PID.N.recording; 0 if the file was given another name. */
static uint32_t sequence_of(const char *path) {
  unsigned pid, sequence;
  int end = 0;
  if (sscanf(base_name(path), "%u.%u" RECORDING_SUFFIX "%n", &pid, &sequence, &end) != 2 ||
      end == 0)
    return 0;
  return sequence;
}

static struct image *load_image(struct open_recording *open, const char *path, int depth,
                                struct error *error);

/* The image this one was forked from, looked for in the same directory; null if it cannot be
 * read, or if the files name each other as parents. */
static struct image *load_parent(struct open_recording *open, const struct image *image,
                                 int depth) {
  enum { DEEPEST_FORK = 1000 };
  if (depth > DEEPEST_FORK) return NULL;
  int folder = (int)(base_name(image->path) - image->path);
  char *path =
      memory_printed("%.*s%u.%u" RECORDING_SUFFIX, folder, image->path,
                     image->process.header.parent_pid, image->process.header.parent_sequence);
  struct image *parent = load_image(open, path, depth + 1, NULL);
  free(path);
  return parent && parent->state == IMAGE_READY ? parent : NULL;
}

/* The image of a file, read and resolved; null if that fails, or failed before. */
static struct image *load_image(struct open_recording *open, const char *path, int depth,
                                struct error *error) {
  struct image *image = find_image(open, path);
  if (image && image->state == IMAGE_FAILED) error_set(error, "%s", image->failure.text);
  if (image) return image->state == IMAGE_FAILED ? NULL : image;
  image = add_image(open, path);
  image->state = IMAGE_LOADING;
  image->process.sequence = sequence_of(path);
  if (image_read(image, &image->failure) != 0) {
    image->state = IMAGE_FAILED;
    image_drop_contents(image);
    error_set(error, "%s", image->failure.text);
    return NULL;
  }
  if (image->process.header.is_fork) image->parent = load_parent(open, image, depth);
  image_resolve(image);
  image->state = IMAGE_READY;
  return image;
}

static int is_recording_file(const struct dirent *entry) {
  size_t length = strlen(entry->d_name), suffix = strlen(RECORDING_SUFFIX);
  return length > suffix && strcmp(entry->d_name + length - suffix, RECORDING_SUFFIX) == 0;
}

static int open_file(struct open_recording *open, const char *path, struct error *error) {
  struct image *image = load_image(open, path, 0, error);
  if (!image) return -1;
  image->listed = 1;
  return 0;
}

/* Open one file of a directory. */
static int open_entry(struct open_recording *open, const char *directory, const char *name,
                      struct error *error) {
  size_t length = strlen(directory);
  const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
  char *path = memory_printed("%s%s%s", directory, slash, name);
  int result = open_file(open, path, error);
  free(path);
  return result;
}

static int open_directory(struct open_recording *open, const char *directory, size_t *skipped,
                          struct error *error) {
  struct dirent **entries;
  int count = scandir(directory, &entries, is_recording_file, alphasort);
  if (count < 0 && errno == ENOMEM) memory_exhausted();
  if (count < 0) return error_set(error, "cannot read %s: %s", directory, strerror(errno));
  struct error first = {""}, failure;
  size_t failed = 0;
  for (int i = 0; i < count; i++) {
    if (open_entry(open, directory, entries[i]->d_name, &failure) != 0 && failed++ == 0)
      first = failure;
    free(entries[i]);
  }
  free(entries);
  if (count == 0)
    return error_set(error,
                     "%s holds no recording (no file there ends in " RECORDING_SUFFIX
                     "): was the program built with ascribe cc?",
                     directory);
  if (failed == (size_t)count) return error_set(error, "%s", first.text);
  *skipped = failed;
  return 0;
}

static int by_start(const void *left, const void *right) {
  const struct recording_header *a = &((const struct process_recording *)left)->header;
  const struct recording_header *b = &((const struct process_recording *)right)->header;
  if (a->started_ns != b->started_ns) return a->started_ns < b->started_ns ? -1 : 1;
  return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static void list_processes(struct open_recording *open) {
  struct process_recording *processes = memory_zeroed(open->image_count, sizeof *processes);
  size_t count = 0;
  for (size_t i = 0; i < open->image_count; i++) {
    image_drop_maps(open->images[i]);
    if (open->images[i]->listed) processes[count++] = open->images[i]->process;
  }
  qsort(processes, count, sizeof *processes, by_start);
  open->recording = (struct recording){.processes = processes, .process_count = count};
  process_ends_find(&open->recording);
}

int recording_open(const char *path, struct recording **recording, size_t *skipped,
                   struct error *error) {
  struct stat status;
  if (stat(path, &status) < 0)
    return error_set(error, "no recording at %s: %s; record one with ascribe record", path,
                     strerror(errno));
  struct open_recording *open = memory_zeroed(1, sizeof *open);
  size_t failed = 0;
  int result = S_ISDIR(status.st_mode) ? open_directory(open, path, &failed, error)
                                       : open_file(open, path, error);
  if (result < 0) {
    recording_close(&open->recording);
    return -1;
  }
  list_processes(open);
  *recording = &open->recording;
  if (skipped) *skipped = failed;
  return 0;
}

void recording_close(struct recording *recording) {
  if (!recording) return;
  struct open_recording *open = (struct open_recording *)recording;
  for (size_t i = 0; i < open->image_count; i++)
    image_free(open->images[i]);
  free(open->images);
  hash_index_free(&open->by_path);
  free(open->recording.processes);
  free(open);
}
