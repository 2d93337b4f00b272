/* Preloaded: perf_event_open does not know PERF_FORMAT_LOST, as before Linux 6.0. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

enum { FORMAT_LOST = 1 << 4 };

long syscall(long number, ...) {
  static long (*next)(long, ...);
  long values[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; i++)
    values[i] = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_perf_event_open) {
    const struct perf_event_attr *event = (const void *)values[0];
    if (event->read_format & FORMAT_LOST) return errno = EINVAL, -1;
  }
  if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
