#include "outside/waiting_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/living_thread.h"
#include "base/memory.h"
#include "outside/maps.h"
#include "outside/recorded_process.h"

enum { THREADS_MOST = 1 << 16, ROWS = 128 };

bool waiting_process_name(const char *name, uint32_t *pid, uint32_t *sequence) {
  int end = 0;
  return sscanf(name, "%u.%u" RECORDING_SUFFIX "%n", pid, sequence, &end) == 2 && end && !name[end];
}

static bool read_header(const struct waiting_process *process, struct recording_header *header) {
  return pread(process->file, header, sizeof *header, 0) == sizeof *header &&
         header->magic == RECORDING_MAGIC;
}

/* A number of what /proc/PID/exe leads to; 0 where we may not see it. 0, or -1: it is gone. */
static int find_program(uint32_t pid, uint64_t *program) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%u/exe", living_thread(pid));
  *program = 0;
  if (stat(path, &status)) return errno == EACCES || errno == EPERM ? 0 : -1;
  *program = (uint64_t)status.st_dev << 32 ^ status.st_ino;
  return 0;
}

bool waiting_process_has_ended(const struct waiting_process *process) {
  uint64_t program;
  if (find_program(process->seen_pid, &program) != 0) return true;
  return program && process->program && program != process->program;
}

/* CLOCK_MONOTONIC, which is at `now_ns`, of a moment of CLOCK_REALTIME; 0: it is none. */
static uint64_t moment_of(uint64_t realtime_ns, uint64_t now_ns) {
  uint64_t ago = clock_ns(CLOCK_REALTIME) - realtime_ns;
  return realtime_ns && ago < now_ns ? now_ns - ago : 0;
}

int waiting_process_open(struct waiting_process *process, int directory, const char *name,
                         struct process_tree *tree) {
  struct recording_header header;
  *process = (struct waiting_process){.scanned = RECORDING_UNIT, .code_changes = UINT64_MAX};
  waiting_process_name(name, &process->pid, &process->sequence);
  process->file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (process->file < 0) return 1;
  if (!read_header(process, &header) || header.pid != process->pid) {
    waiting_process_close(process);
    return 1;
  }
  process->seen_pid = recorded_process_find(process->pid, header.parent_pid, process->file);
  bool later = process->seen_pid == RECORDED_PROCESS_LATER;
  if (!process->seen_pid || later) {
    waiting_process_close(process);
    return later;
  }
  uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  process->image = process_tree_add(tree, process->seen_pid, moment_of(header.started_ns, now_ns));
  find_program(process->seen_pid, &process->program);
  if (process->image) return 0;
  waiting_process_close(process);
  return -1;
}

void waiting_process_close(struct waiting_process *process) {
  for (size_t i = 0; i < process->threads.count; i++)
    waiting_thread_close(&process->threads.list[i]);
  if (process->file >= 0) close(process->file);
  free(process->threads.list);
  free(process->blocks);
  process->threads = (struct waiting_threads){0};
  process->blocks = NULL;
  process->block_count = 0;
  process->file = -1;
}

/* ---- threads ---- */

static void note_block(struct waiting_process *process, uint64_t offset) {
  ARRAY_GROW(process->blocks, process->block_count);
  process->blocks[process->block_count++] = offset;
}

/* Blocks are claimed one after the other, and begun a moment later. */
static void find_blocks(struct waiting_process *process, uint64_t claimed) {
  struct block_header block;
  while (process->scanned < claimed &&
         pread(process->file, &block, sizeof block, (off_t)process->scanned) == sizeof block &&
         block.magic == RECORDING_BLOCK_MAGIC && block.bytes >= RECORDING_UNIT) {
    if (block.kind == BLOCK_THREADS) note_block(process, process->scanned);
    process->scanned += block.bytes;
  }
}

static struct waiting_thread *thread_at(struct waiting_process *process, uint32_t number) {
  if (number >= THREADS_MOST) return NULL;
  return waiting_threads_at(&process->threads, process->image, number);
}

/* Our id of a thread. */
static uint32_t seen_thread(const struct waiting_process *process, uint32_t tid) {
  return process->seen_pid == process->pid ? tid : recorded_thread_find(process->seen_pid, tid);
}

/* Other threads may follow each other under one number. */
static void see_thread(struct waiting_process *process, const struct recorded_thread *recorded,
                       uint64_t now_ns) {
  struct waiting_thread *waiting = thread_at(process, recorded->index), fresh;
  if (!waiting || !recorded->live || !recorded->tid || waiting->recorded_tid == recorded->tid)
    return;
  uint32_t place = waiting->thread;
  uint32_t seen_tid = seen_thread(process, recorded->tid);
  if (!seen_tid || !waiting_thread_open(&fresh, process->image, seen_tid)) return;
  fresh.recorded_tid = recorded->tid;
  fresh.began_ns = moment_of(recorded->started_ns, now_ns);
  waiting_thread_close(waiting);
  *waiting = fresh;
  waiting->thread = place;
  waiting->due_ns = now_ns;
  struct thread_entry *entry = &process->image->entries[place];
  entry->tid = recorded->tid;
  memcpy(entry->name, recorded->name, sizeof recorded->name);
  process->image->threads[place].start_unknown =
      entry->start_function == NOTHING && recorded->tid != process->pid;
}

static void see_threads(struct waiting_process *process, uint64_t block, uint64_t now_ns) {
  struct block_header header;
  static struct recorded_thread rows[ROWS]; /* of one thread, for the work */
  if (pread(process->file, &header, sizeof header, (off_t)block) != sizeof header) return;
  for (uint64_t at = sizeof header; at + sizeof *rows <= header.used && at < header.bytes;) {
    size_t wanted = (header.used - at) / sizeof *rows;
    if (wanted > ROWS) wanted = ROWS;
    ssize_t got = pread(process->file, rows, wanted * sizeof *rows, (off_t)(block + at));
    if (got < (ssize_t)sizeof *rows) return;
    for (size_t i = 0; i < (size_t)got / sizeof *rows; i++)
      see_thread(process, &rows[i], now_ns);
    at += (uint64_t)got / sizeof *rows * sizeof *rows;
  }
}

/* ---- code ---- */

static void see_mapping(void *tree, const struct kernel_mapping *mapping) {
  process_tree_map(tree, mapping);
}

void waiting_process_scan(struct waiting_process *process, struct process_tree *tree,
                          uint64_t now_ns) {
  struct recording_header header;
  if (!read_header(process, &header)) return;
  find_blocks(process, header.next);
  for (size_t i = 0; i < process->block_count; i++)
    see_threads(process, process->blocks[i], now_ns);
  bool is_newest = process_tree_find(tree, process->seen_pid) == process->image;
  if (header.epoch == process->code_changes || !is_newest) return;
  process->code_changes = header.epoch;
  maps_read(process->seen_pid, see_mapping, tree);
}
