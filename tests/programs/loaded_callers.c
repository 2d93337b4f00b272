/* Libraries that take turns at the same addresses and spend all their time in libc: ticks never
 * fall into their own code, but their callers' frames do.
 * EXPECT levels sampled
 * EXPECT library loaded_callers_library.c libone.so -DENTRY=one
 * EXPECT library loaded_callers_library.c libtwo.so -DENTRY=two
 * EXPECT output 40
 * EXPECT share one 0.5
 * EXPECT share two 0.5
 * EXPECT never one two
 * EXPECT sampled outermost main
 */
#include "program.h"
#include <dlfcn.h>

static int run(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int (*entry)(void) = (int (*)(void))dlsym(handle, name);
  int result = entry();
  dlclose(handle);
  return result;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 20; i++) {
    sum += run("libone.so", "one");
    sum += run("libtwo.so", "two");
  }
  printf("%d\n", sum);
  return 0;
}
