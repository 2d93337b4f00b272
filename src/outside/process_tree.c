#include "outside/process_tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

enum {
  IDS = 1 << 22, /* Linux's own limit of process ids (PID_MAX_LIMIT) */
  IMAGES_MOST = 1 << 20
};

/* Memory that is there only where it is written to. */
static struct owner *new_ids(void) {
  void *memory = mmap(NULL, IDS * sizeof(struct owner), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) memory_exhausted();
  return memory;
}

void process_tree_open(struct process_tree *tree) {
  *tree =
      (struct process_tree){.stack = sampled_stack_new(), .by_pid = new_ids(), .by_tid = new_ids()};
}

void process_tree_close(struct process_tree *tree) {
  for (size_t i = 0; i < tree->count; i++)
    process_image_free(tree->images[i]);
  free(tree->images);
  object_files_close(&tree->files);
  sampled_stack_free(tree->stack);
  if (tree->by_pid) munmap(tree->by_pid, IDS * sizeof *tree->by_pid);
  if (tree->by_tid) munmap(tree->by_tid, IDS * sizeof *tree->by_tid);
  *tree = (struct process_tree){0};
}

static struct process_image *image_of(const struct process_tree *tree, const struct owner *ids,
                                      uint32_t id) {
  return id < IDS && ids[id].image ? tree->images[ids[id].image - 1] : NULL;
}

struct process_image *process_tree_find(const struct process_tree *tree, uint32_t pid) {
  return image_of(tree, tree->by_pid, pid);
}

struct process_image *process_tree_find_thread(const struct process_tree *tree, uint32_t tid) {
  return image_of(tree, tree->by_tid, tid);
}

struct image_thread *process_tree_thread(const struct process_tree *tree, uint32_t tid) {
  struct process_image *image = process_tree_find_thread(tree, tid);
  return image ? &image->threads[tree->by_tid[tid].thread] : NULL;
}

struct process_image *process_tree_add(struct process_tree *tree, uint32_t pid, uint64_t now_ns) {
  if (pid >= IDS || tree->count >= IMAGES_MOST) {
    tree->drops[DROP_PROCESSES]++;
    return NULL;
  }
  ARRAY_GROW(tree->images, tree->count);
  struct process_image *image = tree->images[tree->count++] = process_image_new(pid, now_ns);
  tree->by_pid[pid].image = (uint32_t)tree->count;
  return image;
}

void process_tree_add_thread(struct process_tree *tree, struct process_image *image, uint32_t tid,
                             const char *name) {
  if (tid >= IDS) return;
  uint32_t thread = process_image_start_thread(image, tid, name);
  tree->by_tid[tid] = (struct owner){0};
  if (thread != NOTHING) tree->by_tid[tid] = (struct owner){tree->by_pid[image->pid].image, thread};
}

void process_tree_map(struct process_tree *tree, const struct kernel_mapping *mapping) {
  struct process_image *image = process_tree_find(tree, mapping->pid);
  if (!image) return;
  bool is_file = mapping->path[0] == '/' && mapping->path[1] != '/';
  const struct object_file *file = NULL;
  if (is_file || strcmp(mapping->path, "[vdso]") == 0)
    file = object_files_get(&tree->files, mapping);
  address_space_map(&image->space, mapping, file);
  if (is_file && !image->executable) image->executable = memory_text(mapping->path);
}

void process_tree_drop_ticks(struct process_tree *tree, uint64_t ticks) {
  uint64_t all = 0, given = 0;
  for (size_t i = 0; i < tree->count; i++)
    all += tree->images[i]->user_ticks + tree->images[i]->kernel_ticks;
  for (size_t i = 0; i < tree->count && all; i++) {
    struct process_image *image = tree->images[i];
    uint64_t own = image->user_ticks + image->kernel_ticks;
    uint64_t share = (uint64_t)((unsigned __int128)ticks * own / all);
    image->drops[DROP_TICKS] += share;
    given += share;
  }
  tree->drops[DROP_TICKS] += ticks - given;
}
