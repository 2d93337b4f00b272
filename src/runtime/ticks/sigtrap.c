#include "runtime/ticks/sigtrap.h"

#include "runtime/registry/system.h"

#include <sys/utsname.h>

static bool under_valgrind(void) {
  const volatile uint64_t request[6] = {0x1001 /* RUNNING_ON_VALGRIND */};
  return valgrind_answer(request);
}

static bool has_linux(uint32_t major, uint32_t minor) {
  struct utsname names;
  if (system_failed(system_call3(SYS_uname, (long)&names, 0, 0))) return false;
  const char *at = names.release;
  uint32_t version[2] = {0, 0};
  for (int i = 0; i < 2; i++, at++)
    for (; *at >= '0' && *at <= '9'; at++)
      version[i] = version[i] * 10 + (uint32_t)(*at - '0');
  return version[0] > major || (version[0] == major && version[1] >= minor);
}

static bool is_traced(void) {
  char status[2048];
  uint64_t length = system_read_file("/proc/self/status", status, sizeof status);
  static const char key[] = "TracerPid:\t";
  for (uint64_t i = 0; i + sizeof key < length; i++) {
    uint64_t k = 0;
    while (key[k] && status[i + k] == key[k])
      k++;
    if (!key[k]) return status[i + k] != '0';
  }
  return false;
}

bool sigtrap_is_safe(void) {
  return !under_valgrind() && has_linux(5, 18) && !is_traced();
}

bool sigtrap_spares_calls(void) {
  return has_linux(6, 11);
}
