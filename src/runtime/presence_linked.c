#include "runtime/presence.h"

/* Exported by executables with a runtime: presence_preloaded.c looks for it. */
__attribute__((visibility("default"))) extern const char ascribe_runtime_linked;
const char ascribe_runtime_linked = 1;

bool presence_is_second(void) {
  return false;
}
