#include <stdbool.h>
#include <stddef.h>

#include "runtime/registry/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

uint64_t system_forbidden[SYSTEM_CALLS / 64];

void *system_memory(uint64_t bytes) {
  long address = system_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return system_failed(address) ? NULL : (void *)address;
}

bool system_readable(uint64_t address) {
  const int how = -1; /* refused, once the kernel has read the set at the address */
  long refused = system_call4(SYS_rt_sigprocmask, how, (long)(address / 8 * 8), 0, 8);
  return refused == -EINVAL;
}

uint64_t system_clock(int clock) {
  struct timespec now = {0, 0};
  system_call3(SYS_clock_gettime, clock, (long)&now, 0);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t system_read_file(const char *path, char *buffer, uint64_t size) {
  long file = system_call4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
  if (system_failed(file)) return 0;
  uint64_t length = 0;
  while (length < size) {
    long n = system_call3(SYS_read, file, (long)(buffer + length), (long)(size - length));
    if (n < 0) length = 0;
    if (n <= 0) break;
    length += (uint64_t)n;
  }
  system_call3(SYS_close, file, 0, 0);
  return length;
}
