#include "runtime/presence.h"

extern const char ascribe_runtime_linked __attribute__((weak, visibility("default")));

bool presence_is_second(void) {
  return &ascribe_runtime_linked;
}
