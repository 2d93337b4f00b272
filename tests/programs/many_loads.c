/* A library that is loaded and closed more often than there is room for libraries: it comes back to
 * where it was, and counts on there. It calls back through a pointer, and is called through one.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT library many_loads_library.c libagain.so
 * EXPECT link -ldl
 * EXPECT output 3000
 * EXPECT calls back 3000
 * EXPECT calls again 1500
 * EXPECT calls again_step 1500
 * EXPECT arc again back 3000
 * EXPECT counted calls back 3000
 * EXPECT counted calls again 1500
 * EXPECT counted calls again_step 1500
 * EXPECT counted arc again back 3000
 * EXPECT counted arc again again_step 1500
 * EXPECT counted arc main again 1500
 * _init and __do_global_dtors_aux have no unwind tables, and page faults meet them where ticks are
 * of the kernel, too:
 * EXPECT sampled cut any
 */
#include "program.h"
#include <dlfcn.h>

KEEP int back(int n) {
  return n;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1500; i++) {
    void *handle = dlopen("libagain.so", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    sum += ((int (*)(int (*)(int)))dlsym(handle, "again"))(back);
    dlclose(handle);
  }
  printf("%d\n", sum);
  return 0;
}
