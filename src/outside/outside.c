#include "outside/outside.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/living_thread.h"
#include "base/memory.h"
#include "outside/attach.h"
#include "outside/cpu_times.h"
#include "outside/outside_waits.h"
#include "outside/process_text.h"
#include "outside/result.h"

#define LOOK_EVERY_NS 100000000 /* at least, so that /proc still has what records speak of */
#define URGENT (-10)         /* nice, where we may: else a busy machine has the buffers overflow */
#define MARGIN_NS 1000000ull /* a record is complete this long after the time it tells */

struct outside {
  struct outside_settings settings;
  struct event event;
  struct ring_set rings;
  struct target target;
  struct process_tree tree;
  struct record_stream stream;
  struct outside_waits *waits; /* null: threads that wait are not looked at */
  struct pollfd *polled;       /* the rings', then the caller's */
  uint64_t used_ns;            /* our own CPU time before */
  uint64_t recorder_ns;        /* and since then, at the end */
  int priority;                /* and our priority */
  uint64_t ended_ns;           /* CLOCK_MONOTONIC; 0: not yet */
  struct event_sums sums;      /* of all events */
  char host[256];
  struct recording recording;
};

static void take_until(struct outside *outside, uint64_t limit_ns) {
  ring_set_look(&outside->rings);
  for (struct ring *ring; (ring = ring_set_next(&outside->rings, limit_ns)); ring_pass(ring)) {
    struct kernel_mapping mapping;
    record_stream_take(&outside->stream, ring->next);
    if (outside->waits && ring->next->type == PERF_RECORD_MMAP2 &&
        kernel_record_mapping(ring->next, &mapping) == 0)
      outside_waits_map(outside->waits, &mapping);
  }
}

/* ---- begin ---- */

uint32_t outside_process_of(uint32_t id) {
  return process_text_group(id);
}

/* It waits before its exec. */
static int watch_start(struct outside *outside, struct process_image *image, struct error *error) {
  uint32_t pid = outside->settings.pid;
  process_tree_add_thread(&outside->tree, image, image->pid, image->name);
  int status = target_add(&outside->target, &outside->event, pid, &outside->rings, error);
  return status > 0 ? error_set(error, "process %u is gone", pid) : status;
}

static int open_parts(struct outside *outside, struct error *error) {
  const struct outside_settings *settings = &outside->settings;
  if (ring_set_open(&outside->rings, settings->rate_hz, error)) return -1;
  outside->event = event_of_time(settings->rate_hz);
  outside->event.kernel = event_kernel_permitted();
  outside->event.tells_lost = event_lost_permitted();
  outside->event.from_exec = !settings->runs;
  outside->event.stack_bytes = outside->rings.stack_bytes;
  process_tree_open(&outside->tree);
  struct process_image *image =
      process_tree_add(&outside->tree, settings->pid, clock_ns(CLOCK_MONOTONIC));
  if (!image) return error_set(error, "not enough memory to record");
  outside->stream = (struct record_stream){
      .tree = &outside->tree, .target = &outside->target, .period_ns = outside->event.period};
  return settings->runs ? attach(settings->pid, &outside->target, &outside->event, &outside->rings,
                                 &outside->stream, error)
                        : watch_start(outside, image, error);
}

int outside_open(const struct outside_settings *settings, struct outside **outside,
                 struct error *error) {
  struct outside *made = memory_zeroed(1, sizeof *made);
  made->settings = *settings;
  made->used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  made->priority = getpriority(PRIO_PROCESS, 0);
  if (made->priority > URGENT) setpriority(PRIO_PROCESS, 0, URGENT);
  descriptors_allow();
  gethostname(made->host, sizeof made->host - 1);
  if ((settings->looks_hz && outside_waits_open(settings->looks_hz, &made->waits, error)) ||
      open_parts(made, error)) {
    outside_close(made);
    return -1;
  }
  *outside = made;
  return 0;
}

void outside_limits(const struct outside *outside, struct outside_limits *limits) {
  *limits = (struct outside_limits){.small_buffers = outside->rings.small,
                                    .stack_bytes = outside->rings.stack_bytes};
}

/* ---- meanwhile ---- */

static void fill_polled(struct outside *outside, const int *descriptors, int count) {
  int rings = outside->rings.count;
  ARRAY_ROOM(outside->polled, (size_t)(rings + count));
  for (int i = 0; i < rings + count; i++)
    outside->polled[i] = (struct pollfd){.fd = i < rings ? outside->rings.rings[i].descriptor
                                                         : descriptors[i - rings],
                                         .events = POLLIN};
}

int outside_watch(struct outside *outside, const int *descriptors, int count,
                  uint64_t duration_ns) {
  uint64_t begin = clock_ns(CLOCK_MONOTONIC), spent = 0;
  uint64_t next_ns = outside->waits ? begin : UINT64_MAX;
  int rings = outside->rings.count;
  fill_polled(outside, descriptors, count);
  while (spent < duration_ns) {
    uint64_t now = clock_ns(CLOCK_MONOTONIC), wait = duration_ns - spent;
    if (wait > LOOK_EVERY_NS) wait = LOOK_EVERY_NS;
    if (next_ns < now + wait) wait = next_ns > now ? next_ns - now : 0;
    struct timespec timeout = {0, (long)wait};
    int ready = ppoll(outside->polled, (nfds_t)rings + (nfds_t)count, &timeout, NULL);
    now = clock_ns(CLOCK_MONOTONIC);
    take_until(outside, now - MARGIN_NS);
    if (outside->waits) next_ns = outside_waits_look(outside->waits, &outside->tree);
    for (int i = 0; ready > 0 && i < count; i++)
      if (outside->polled[rings + i].revents) return i;
    spent = now - begin;
  }
  return -1;
}

/* ---- end ---- */

/* Before Linux 6.0, the kernel reports lost records only along with the next one that fits on that
 * CPU. One that never comes leaves its ticks out of what is dropped: they are not sampled. */
static void wait_for_lost(struct outside *outside) {
  const struct timespec some_ticks = {0, 5 * MARGIN_NS};
  if (outside->event.tells_lost) return;
  take_until(outside, clock_ns(CLOCK_MONOTONIC) - MARGIN_NS);
  nanosleep(&some_ticks, NULL);
}

/* The end of some thread may have had no room. */
static void note_ended(struct outside *outside) {
  for (size_t i = 0; i < outside->tree.count; i++) {
    struct process_image *image = outside->tree.images[i];
    if (image->ended_ns || image != process_tree_find(&outside->tree, image->pid)) continue;
    if (thread_has_ended(image->pid, living_thread(image->pid)))
      image->ended_ns = outside->ended_ns;
  }
}

/* Of others that seem to live the end was not told, and may be long ago. */
static void end_living(struct outside *outside) {
  for (size_t i = 0; i < outside->tree.count; i++) {
    struct process_image *image = outside->tree.images[i];
    for (uint32_t k = 0; k < image->thread_count && !image->ended_ns; k++)
      if (image->threads[k].live && !thread_has_ended(image->pid, image->entries[k].tid))
        process_image_end_thread(image, k, outside->ended_ns);
  }
}

void outside_stop(struct outside *outside) {
  if (outside->ended_ns) return;
  wait_for_lost(outside);
  outside->sums = target_stop(&outside->target);
  outside->ended_ns = clock_ns(CLOCK_MONOTONIC);
  take_until(outside, UINT64_MAX);
  process_tree_drop_ticks(&outside->tree,
                          outside->event.tells_lost ? outside->sums.lost : outside->stream.lost);
  note_ended(outside);
  end_living(outside);
  if (outside->waits) outside_waits_stop(outside->waits, &outside->tree);
  setpriority(PRIO_PROCESS, 0, outside->priority);
  outside->recorder_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - outside->used_ns;
}

struct recording *outside_finish(struct outside *outside, int signal) {
  struct process_image *image = process_tree_find(&outside->tree, outside->settings.pid);
  if (image) image->signal = signal;
  bool user_only = !outside->event.kernel;
  cpu_times_share(&outside->tree, outside->sums.count, outside->event.period, user_only);
  struct result_run run = {
      .rate_hz = outside->settings.rate_hz,
      .tick_flags = TICK_STACKS | (user_only ? TICK_USER_ONLY : 0),
      .period_ns = outside->event.period,
      .realtime_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC),
      .ended_ns = outside->ended_ns,
      .recorder_ns = outside->recorder_ns,
      .host = outside->host,
  };
  free(outside->recording.processes);
  outside->recording = result_make(&outside->tree, &run);
  if (outside->waits) outside_waits_tell(outside->waits, &outside->tree, &outside->recording);
  return &outside->recording;
}

void outside_close(struct outside *outside) {
  if (!outside) return;
  setpriority(PRIO_PROCESS, 0, outside->priority);
  target_close(&outside->target);
  ring_set_close(&outside->rings);
  outside_waits_close(outside->waits); /* before what its code belongs to */
  process_tree_close(&outside->tree);
  free(outside->polled);
  free(outside->recording.processes);
  free(outside);
}
