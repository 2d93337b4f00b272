/* A library that loads another beside it, by $ORIGIN in its own run path: the loader has to see who
 * asks.
 * EXPECT levels sampled
 * EXPECT library origin_inner.c inside/libinner.so
 * EXPECT library origin_outer.c inside/libouter.so -Wl,-rpath,$ORIGIN,--enable-new-dtags
 * EXPECT output 3
 * EXPECT sampled outermost main
 * EXPECT sampled present inner_work
 */
#include "program.h"
#include <dlfcn.h>

int main(void) {
  void *outer = dlopen("inside/libouter.so", RTLD_NOW);
  int (*entry)(void) = outer ? (int (*)(void))dlsym(outer, "outer_entry") : NULL;
  if (!entry) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  printf("%d\n", entry());
  return 0;
}
