#include "runtime/life/presence.h"

#include <pthread.h>
#include <stdlib.h>

/* Exported by executables with a runtime: presence_preloaded.c looks for it. */
__attribute__((visibility("default"))) extern const char ascribe_runtime_linked;
const char ascribe_runtime_linked = 1;

bool presence_is_second(void) {
  return false;
}

bool presence_is_foreign(void) {
  return false;
}

void presence_after_fork(void (*function)(void)) {
  pthread_atfork(NULL, NULL, function);
}

void presence_at_exit(void (*function)(void)) {
  atexit(function);
}
