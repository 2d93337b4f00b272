/* Loads libinner.so, which only this library's run path leads to. */
#include "program.h"
#include <dlfcn.h>

KEEP int outer_entry(void) {
  void *inner = dlopen("libinner.so", RTLD_NOW);
  int (*entry)(void) = inner ? (int (*)(void))dlsym(inner, "inner_entry") : NULL;
  if (!entry) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  int result = entry();
  NOT_A_TAIL();
  return result;
}
