/* CHICKEN's library is loaded: its C_trace is found after the runtime's. */
#include <dlfcn.h>
#include <stddef.h>

#include "runtime/guise/chicken_points.h"

__attribute__((visibility("default"))) trace_function C_trace;
__attribute__((visibility("default"))) volatile uint64_t *ascribe_chicken_begin(void);

static void find_next(char *name);
static trace_function *next_trace = find_next;

/* Not early: few programs have it. There may be none yet that the dynamic linker would find. */
static void find_next(char *name) {
  trace_function *found = (trace_function *)dlsym(RTLD_NEXT, "C_trace");
  if (!found) return;
  next_trace = found;
  found(name);
}

void C_trace(char *name) {
  chicken_trace(name, next_trace, NULL);
}

volatile uint64_t *ascribe_chicken_begin(void) {
  return chicken_begin(__builtin_return_address(0), NULL);
}
