/* Two libraries export one name; each calls its own, and they stay two functions.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT library same_name_helper.c libleft.so -DTIMES=3
 * EXPECT library same_name_helper.c libright.so -DTIMES=5
 * EXPECT output 3 5
 * EXPECT calls helper@libleft.so 3
 * EXPECT calls helper@libright.so 5
 * EXPECT calls entry@libleft.so 1
 */
#include "program.h"
#include <dlfcn.h>

static int run(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return ((int (*)(void))dlsym(handle, "entry"))();
}

int main(void) {
  int left = run("libleft.so");
  int right = run("libright.so");
  printf("%d %d\n", left, right);
  return 0;
}
