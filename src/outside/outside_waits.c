#include "outside/outside_waits.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "outside/look_rate.h"
#include "outside/result.h"
#include "outside/waiting_thread.h"

#define SECOND 1000000000ull
#define LOOKS_TOGETHER 4 /* this part of a period: what is due by then is done at once */

/* Belongs to the image of the same number in the other tree: shares its code, but has its own
 * contexts and ticks. */
struct waiting_image {
  struct process_image *image;
  struct waiting_threads threads; /* by their number in the image */
  struct wait_sums sums;
};

struct outside_waits {
  struct process_tree tree;
  struct waiting_image *images;
  size_t count;
  struct look_rate rate;
  uint64_t used_ns;        /* our own CPU time of looks */
  uint64_t next_ns;        /* when the next thread is due */
  struct seen_waits *told; /* by image */
};

int outside_waits_open(uint32_t looks_hz, struct outside_waits **waits, struct error *error) {
  if (waiting_thread_countable(error)) return -1;
  struct outside_waits *made = memory_zeroed(1, sizeof *made);
  process_tree_open(&made->tree);
  look_rate_start(&made->rate, looks_hz, clock_ns(CLOCK_MONOTONIC), 0);
  *waits = made;
  return 0;
}

static void close_threads(struct waiting_image *of) {
  for (size_t i = 0; i < of->threads.count; i++)
    waiting_thread_close(&of->threads.list[i]);
}

void outside_waits_close(struct outside_waits *waits) {
  if (!waits) return;
  for (size_t i = 0; i < waits->count; i++) {
    close_threads(&waits->images[i]);
    free(waits->images[i].threads.list);
  }
  free(waits->images);
  free(waits->told);
  process_tree_close(&waits->tree);
  free(waits);
}

void outside_waits_map(struct outside_waits *waits, const struct kernel_mapping *mapping) {
  process_tree_map(&waits->tree, mapping);
}

/* ---- what is there ---- */

/* The next image of the other tree, which has no more than this one can have. */
static void add_image(struct outside_waits *waits, const struct process_image *of) {
  struct process_image *image = process_tree_add(&waits->tree, of->pid, of->started_ns);
  address_space_copy(&image->space, &of->space);
  ARRAY_GROW(waits->images, waits->count);
  waits->images[waits->count++] = (struct waiting_image){.image = image};
}

/* A thread that has just begun, or takes the place of one that has ended. */
static void see_thread(struct waiting_image *of, const struct process_image *image, size_t number,
                       uint64_t now_ns) {
  struct waiting_thread *waiting = waiting_threads_at(&of->threads, of->image, number), fresh;
  uint32_t tid = image->entries[number].tid;
  if (!waiting || waiting->tid == tid || !waiting_thread_open(&fresh, of->image, tid)) return;
  waiting_thread_close(waiting);
  fresh.thread = waiting->thread;
  fresh.due_ns = now_ns;
  fresh.began_ns = image->threads[number].began_ns;
  *waiting = fresh;
  struct thread_entry *entry = &of->image->entries[waiting->thread];
  entry->tid = tid;
  of->image->threads[waiting->thread].start_unknown =
      entry->start_function == NOTHING && tid != image->pid;
}

static void see_threads(struct outside_waits *waits, const struct process_tree *tree,
                        uint64_t now_ns) {
  for (size_t i = 0; i < tree->count; i++) {
    const struct process_image *image = tree->images[i];
    if (i == waits->count) add_image(waits, image);
    struct waiting_image *of = &waits->images[i];
    if (image->ended_ns) {
      close_threads(of);
      continue;
    }
    for (size_t k = 0; k < image->thread_count; k++)
      if (image->threads[k].live) see_thread(of, image, k, now_ns);
  }
}

/* ---- looks ---- */

/* When to come again: threads that begin meanwhile are looked at as often as others. */
static uint64_t look_at_due(struct outside_waits *waits, uint64_t now_ns) {
  uint64_t next_ns = now_ns + waits->rate.period_ns;
  for (size_t i = 0; i < waits->count; i++) {
    struct waiting_image *of = &waits->images[i];
    for (size_t k = 0; k < of->threads.count; k++) {
      struct waiting_thread *thread = &of->threads.list[k];
      if (thread->statistics < 0) continue;
      if (thread->due_ns <= now_ns) {
        waiting_thread_look(thread, of->image, waits->tree.stack, &waits->rate, true, &of->sums);
      }
      if (thread->due_ns < next_ns) next_ns = thread->due_ns;
    }
  }
  return next_ns;
}

uint64_t outside_waits_look(struct outside_waits *waits, const struct process_tree *tree) {
  uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  see_threads(waits, tree, now_ns);
  uint64_t next_ns = look_at_due(waits, now_ns);
  uint64_t least_ns = now_ns + waits->rate.period_ns / LOOKS_TOGETHER;
  waits->used_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns;
  look_rate_judge(&waits->rate, now_ns, waits->used_ns);
  return next_ns < least_ns ? least_ns : next_ns;
}

/* ---- the end ---- */

void outside_waits_stop(struct outside_waits *waits, const struct process_tree *tree) {
  for (size_t i = 0; i < waits->count; i++) {
    close_threads(&waits->images[i]);
    tree->images[i]->waited = waits->images[i].image->machine.tick_count != 0;
  }
}

static void tell(struct outside_waits *waits, size_t number, struct process_recording *process) {
  const struct waiting_image *of = &waits->images[number];
  struct seen_waits *told = &waits->told[number];
  *told = (struct seen_waits){.seen = result_of_image(of->image),
                              .looked_ns = of->sums.looked_ns,
                              .ran_ns = of->sums.ran_ns,
                              .ready_ns = of->sums.ready_ns,
                              .refused = of->sums.refused};
  told->seen.header.pid = process->header.pid;
  process->waits = told;
}

void outside_waits_tell(struct outside_waits *waits, const struct process_tree *tree,
                        struct recording *recording) {
  free(waits->told);
  waits->told = memory_zeroed(waits->count, sizeof *waits->told);
  for (size_t i = 0, k = 0; i < waits->count && k < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[k];
    const struct process_image *image = tree->images[i];
    if (process->header.pid != image->pid || process->sequence != image->sequence)
      continue; /* it is not in the recording */
    tell(waits, i, process);
    k++;
  }
}
