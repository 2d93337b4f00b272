/* The function that the dynamic linker finds after the runtime's own of the same name. */
#ifndef ASCRIBE_RUNTIME_NEXT_FUNCTION_H
#define ASCRIBE_RUNTIME_NEXT_FUNCTION_H

#include <dlfcn.h>

struct next_function {
  const char *name;
  void *function; /* null: not looked for yet */
};

static inline void *next_function(struct next_function *next) {
  if (!next->function) next->function = dlsym(RTLD_NEXT, next->name);
  return next->function;
}

/* Runs `function` before all else, ticks included. */
#define RUN_EARLY(function)                                                                        \
  __attribute__((section("ascribe_early"), used)) static void (*const early_##function)(void) =    \
      function

/* Looks for all functions of the array `list` early: dlsym may wait for the dynamic linker's lock,
 * which a thread can hold that waits for the one that calls. */
#define NEXT_FUNCTIONS_FOUND_EARLY(list)                                                           \
  static void find_##list(void) {                                                                  \
    for (unsigned i = 0; i < sizeof(list) / sizeof *(list); i++)                                   \
      next_function(&(list)[i]);                                                                   \
  }                                                                                                \
  RUN_EARLY(find_##list)

#endif
