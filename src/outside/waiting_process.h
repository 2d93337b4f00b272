/* A process that records itself, as its recording shows it while it runs: which threads it has, and
 * when its code has changed. */
#ifndef ASCRIBE_OUTSIDE_WAITING_PROCESS_H
#define ASCRIBE_OUTSIDE_WAITING_PROCESS_H

#include "outside/process_tree.h"
#include "outside/waiting_thread.h"

struct waiting_process {
  int file;               /* its recording; -1: closed, for the process has ended */
  uint32_t pid, sequence; /* as it knows itself */
  uint32_t seen_pid;      /* as we do: recorded_process.h; image->pid too */
  uint64_t program;       /* a number of the file that it runs; 0: not known */
  uint64_t scanned;       /* bytes of the file in which blocks of threads have been looked for */
  uint64_t *blocks;       /* where they are */
  size_t block_count;
  uint64_t code_changes; /* header.epoch when its mappings were read; UINT64_MAX: never */
  struct process_image *image;
  struct waiting_threads threads; /* by their number in the recording */
  struct wait_sums sums;
};

/* PID and N of PID.N.recording; false: it is no such name. */
bool waiting_process_name(const char *name, uint32_t *pid, uint32_t *sequence);

/* Begin with the file `name` in a directory, which is such a name. 0, also if its process has
 * ended already (`file` is then -1, `image` null); 1: it is no recording, or not yet; -1 when there
 * are too many. */
int waiting_process_open(struct waiting_process *process, int directory, const char *name,
                         struct process_tree *tree);
void waiting_process_close(struct waiting_process *process);

/* It has ended, or runs another program. */
bool waiting_process_has_ended(const struct waiting_process *process);

/* See which threads it has now, and read its mappings anew if they have changed.  Threads that are
 * new are to be looked at from `now_ns` on. */
void waiting_process_scan(struct waiting_process *process, struct process_tree *tree,
                          uint64_t now_ns);

#endif
