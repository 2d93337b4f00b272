#include "outside/ring_set.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "outside/event.h"

enum {
  STACK_MOST = 65528, /* a record's length has 16 bits */
  STACK_LEAST = 16384,
  STACKS_LEAST = 16, /* in a buffer */
  BUFFER_USUAL = 8 << 20,
  BUFFER_FAST = 16 << 20, /* above the usual rate */
  RATE_USUAL = 1000,
  BUFFER_LEAST = 64 << 10,
  ALL_BUFFERS_MOST = 256 << 20,
  PER_SECOND = 8 /* buffers last for this part of a second, with whole stacks */
};

/* The CPUs that a program may run on; ours, in a container, may be fewer. */
static int online_cpus(cpu_set_t *set) {
  int first, last, got, count = 0;
  FILE *file = fopen("/sys/devices/system/cpu/online", "re");
  CPU_ZERO(set);
  while (file && (got = fscanf(file, "%d-%d", &first, &last)) > 0) {
    if (got == 1) last = first;
    for (int cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++, count++)
      CPU_SET(cpu, set);
    if (fgetc(file) != ',') break;
  }
  if (file) fclose(file);
  if (count || sched_getaffinity(0, sizeof *set, set)) return count;
  return CPU_COUNT(set);
}

static int open_all(struct ring_set *set, const cpu_set_t *cpus, uint64_t bytes) {
  set->count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, cpus)) continue;
    if (ring_open(&set->rings[set->count], cpu, bytes)) {
      int error = errno;
      while (set->count)
        ring_close(&set->rings[--set->count]);
      errno = error;
      return -1;
    }
    set->count++;
  }
  return 0;
}

static int refused(int number, struct error *error) {
  if (number == EMFILE)
    return error_set(error, "too many open files for a buffer per CPU: raise ulimit -n");
  if (number == ENOMEM) return error_set(error, "not enough memory for the buffers of perf events");
  return event_refusal(number, error);
}

static uint32_t stack_bytes(uint64_t buffer, uint32_t rate_hz) {
  uint64_t least = buffer / STACKS_LEAST < STACK_LEAST ? buffer / STACKS_LEAST : STACK_LEAST;
  uint64_t room = buffer / (rate_hz / PER_SECOND + 1) / 8 * 8;
  if (room < least) room = least;
  return (uint32_t)(room < STACK_MOST ? room : STACK_MOST);
}

int ring_set_open(struct ring_set *set, uint32_t rate_hz, struct error *error) {
  cpu_set_t cpus;
  int count = online_cpus(&cpus);
  *set = (struct ring_set){.rings = memory_zeroed((size_t)count, sizeof *set->rings)};
  uint64_t wanted = rate_hz > RATE_USUAL ? BUFFER_FAST : BUFFER_USUAL, bytes;
  while (wanted * (uint64_t)count > ALL_BUFFERS_MOST && wanted > BUFFER_LEAST)
    wanted /= 2;
  for (bytes = wanted; open_all(set, &cpus, bytes); bytes /= 2) {
    bool too_large = errno == EPERM || errno == ENOMEM;
    if (!too_large || bytes <= BUFFER_LEAST) {
      free(set->rings);
      *set = (struct ring_set){0};
      return refused(errno, error);
    }
  }
  set->stack_bytes = stack_bytes(bytes, rate_hz);
  set->small = bytes < wanted;
  return 0;
}

void ring_set_close(struct ring_set *set) {
  for (int i = 0; i < set->count; i++)
    ring_close(&set->rings[i]);
  free(set->rings);
  *set = (struct ring_set){0};
}

void ring_set_look(struct ring_set *set) {
  for (int i = 0; i < set->count; i++)
    ring_look(&set->rings[i]);
}

struct ring *ring_set_next(struct ring_set *set, uint64_t limit) {
  struct ring *oldest = NULL;
  for (int i = 0; i < set->count; i++) {
    struct ring *ring = &set->rings[i];
    if (ring->next && ring->time < limit && (!oldest || ring->time < oldest->time)) oldest = ring;
  }
  return oldest;
}
