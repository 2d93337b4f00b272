/* The processes and threads that are looked at. */
#ifndef ASCRIBE_OUTSIDE_PROCESS_TREE_H
#define ASCRIBE_OUTSIDE_PROCESS_TREE_H

#include "outside/process_image.h"

/* Who has an id now. */
struct owner {
  uint32_t image;  /* index + 1; 0: nobody */
  uint32_t thread; /* of it; of a process's id: not used */
};

struct process_tree {
  struct process_image **images; /* in the order of their begin */
  size_t count;
  struct object_files files;
  struct sampled_stack *stack; /* for the work */
  struct owner *by_pid, *by_tid;
  uint64_t drops[DROP_KINDS]; /* of nobody that is known */
};

void process_tree_open(struct process_tree *tree);
void process_tree_close(struct process_tree *tree);

/* The program that a process runs now, the process that a thread belongs to; or null. */
struct process_image *process_tree_find(const struct process_tree *tree, uint32_t pid);
struct process_image *process_tree_find_thread(const struct process_tree *tree, uint32_t tid);

/* What is known of a thread, or null. */
struct image_thread *process_tree_thread(const struct process_tree *tree, uint32_t tid);

/* A program that process `pid` runs from now on, without threads yet. Null when there are too many
 * (which is counted). */
struct process_image *process_tree_add(struct process_tree *tree, uint32_t pid, uint64_t now_ns);

/* A thread of it. */
void process_tree_add_thread(struct process_tree *tree, struct process_image *image, uint32_t tid,
                             const char *name);

/* Executable memory was mapped, or is there already. */
void process_tree_map(struct process_tree *tree, const struct kernel_mapping *mapping);

/* Count ticks that had no room. Whose they were is unknown: processes have them as they have
 * others. */
void process_tree_drop_ticks(struct process_tree *tree, uint64_t ticks);

#endif
