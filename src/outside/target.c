#include "outside/target.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Buffers of our own were permitted before, so it is the process. */
static int refused(int tid, int number, struct error *error) {
  char path[64];
  struct stat status;
  if (number == EMFILE)
    return error_set(error, "too many open files for the threads of process %d: raise ulimit -n",
                     tid);
  if (number != EACCES && number != EPERM)
    return error_set(error, "cannot measure process %d: %s", tid, strerror(number));
  snprintf(path, sizeof path, "/proc/%d", tid);
  const struct passwd *user = stat(path, &status) == 0 ? getpwuid(status.st_uid) : NULL;
  if (user && status.st_uid != geteuid())
    return error_set(error, "process %d belongs to user %s: run ascribe as that user, or with sudo",
                     tid, user->pw_name);
  return error_set(error,
                   "process %d may not be inspected (it has gained privileges, or hides from "
                   "debuggers): run ascribe with sudo",
                   tid);
}

static int open_on_cpu(const struct event *event, uint32_t tid, const struct ring *ring,
                       uint64_t *id) {
  int descriptor = event_open(event, (int)tid, ring->cpu);
  if (descriptor < 0) return -1;
  if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, ring->descriptor) == 0 &&
      ioctl(descriptor, PERF_EVENT_IOC_ID, id) == 0)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

static int add_on_cpu(struct target *target, const struct event *event, uint32_t tid,
                      const struct ring *ring) {
  struct target_event added = {.tid = tid, .cpu = ring->cpu};
  added.descriptor = open_on_cpu(event, tid, ring, &added.id);
  if (added.descriptor < 0) return -1;
  ARRAY_GROW(target->events, target->count);
  hash_index_add(&target->by_id, hash_mix(added.id), (uint32_t)target->count);
  target->events[target->count++] = added;
  return 0;
}

int target_add(struct target *target, const struct event *event, uint32_t tid,
               const struct ring_set *rings, struct error *error) {
  for (int i = 0; i < rings->count; i++) {
    if (add_on_cpu(target, event, tid, &rings->rings[i]) == 0) continue;
    return errno == ESRCH ? 1 : refused((int)tid, errno, error);
  }
  return 0;
}

static int has_id(const void *events, uint32_t index, const void *key) {
  return ((const struct target_event *)events)[index].id == *(const uint64_t *)key;
}

static void close_event(struct target_event *event) {
  if (event->descriptor >= 0) close(event->descriptor);
  event->descriptor = -1;
}

void target_note(struct target *target, uint32_t tid, uint32_t first, uint64_t id) {
  uint32_t found = hash_index_find(&target->by_id, hash_mix(id), has_id, target->events, &id);
  if (found == HASH_INDEX_NONE || target->events[found].tid == tid) return;
  for (size_t i = first; i < target->count && target->events[i].tid == tid; i++)
    if (target->events[i].cpu == target->events[found].cpu) close_event(&target->events[i]);
}

struct event_sums target_stop(const struct target *target) {
  struct event_sums sums = {0};
  for (size_t i = 0; i < target->count; i++)
    ioctl(target->events[i].descriptor, PERF_EVENT_IOC_DISABLE, 0);
  for (size_t i = 0; i < target->count; i++) {
    struct event_sums one = event_read(target->events[i].descriptor);
    sums.count += one.count;
    sums.lost += one.lost;
  }
  return sums;
}

void target_close(struct target *target) {
  for (size_t i = 0; i < target->count; i++)
    close_event(&target->events[i]);
  free(target->events);
  hash_index_free(&target->by_id);
  *target = (struct target){0};
}
