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

#include "base/array.h"

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
                   "process %d may not be looked at (it has gained privileges, or hides from "
                   "debuggers): run ascribe with sudo",
                   tid);
}

static int add_on_cpu(struct target *target, const struct event *event, int tid,
                      const struct ring *ring) {
  int *descriptors =
      array_reserve(target->descriptors, &target->room, target->count + 1, sizeof *descriptors);
  if (!descriptors) {
    errno = ENOMEM;
    return -1;
  }
  target->descriptors = descriptors;
  int descriptor = event_open(event, tid, ring->cpu);
  if (descriptor < 0) return -1;
  if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, ring->descriptor)) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  descriptors[target->count++] = descriptor;
  return 0;
}

int target_add(struct target *target, const struct event *event, int tid,
               const struct ring_set *rings, struct error *error) {
  for (int i = 0; i < rings->count; i++) {
    if (add_on_cpu(target, event, tid, &rings->rings[i]) == 0) continue;
    return errno == ESRCH ? 1 : refused(tid, errno, error);
  }
  return 0;
}

uint64_t target_stop(const struct target *target) {
  uint64_t total = 0;
  for (size_t i = 0; i < target->count; i++)
    ioctl(target->descriptors[i], PERF_EVENT_IOC_DISABLE, 0);
  for (size_t i = 0; i < target->count; i++)
    total += event_count(target->descriptors[i]);
  return total;
}

void target_close(struct target *target) {
  for (size_t i = 0; i < target->count; i++)
    close(target->descriptors[i]);
  free(target->descriptors);
  *target = (struct target){0};
}
