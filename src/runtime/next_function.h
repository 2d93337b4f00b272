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

/* Looks for all functions of the array `list` before anything else runs: dlsym may wait for the
 * dynamic linker's lock, which a thread can hold that waits for the one that calls. */
#define NEXT_FUNCTIONS_FOUND_EARLY(list)                                                           \
  static void find_##list(void) {                                                                  \
    for (unsigned i = 0; i < sizeof(list) / sizeof *(list); i++)                                   \
      next_function(&(list)[i]);                                                                   \
  }                                                                                                \
  __attribute__((section(".preinit_array"), used)) static void (*const early_##list)(void) =       \
      find_##list

#endif
