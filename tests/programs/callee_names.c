/* Calls by name go to the function that the linker or the dynamic linker has chosen among several
 * of that name: hidden ones of two libraries, one that each library has for itself, one that the
 * program has instead of theirs; by an alias; by another name that the linker was told of.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT library names_library.c libleft.so names_inner.c -DTIMES=3
 * EXPECT library names_library.c libright.so names_inner.c -DTIMES=5
 * EXPECT also names_other.c
 * EXPECT link -ldl -rdynamic -Wl,--wrap=wrapped
 * EXPECT output 24
 * EXPECT counted arc entry@libleft.so inner@libleft.so 3
 * EXPECT counted arc entry@libright.so inner@libright.so 5
 * EXPECT counted arc entry@libleft.so own@libleft.so 3
 * EXPECT counted arc entry@libright.so own@libright.so 5
 * EXPECT counted arc entry@libleft.so preferred@callee_names 3
 * EXPECT counted arc entry@libright.so preferred@callee_names 5
 * EXPECT counted calls preferred@libleft.so 0
 * EXPECT counted arc entry@libleft.so named@libleft.so 3
 * EXPECT counted arc entry@libright.so named@libright.so 5
 * EXPECT counted arc main real 7
 * EXPECT counted arc main __wrap_wrapped 2
 * EXPECT counted arc __wrap_wrapped wrapped 2
 */
#include "program.h"
#include <dlfcn.h>

int alias(void);
int wrapped(void);

KEEP int preferred(void) {
  return 1;
}

static int run(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return ((int (*)(void))dlsym(handle, "entry"))();
}

int main(void) {
  int sum = run("libleft.so") + run("libright.so");
  for (int i = 0; i < 7; i++)
    sum += alias();
  sum += wrapped() + wrapped();
  printf("%d\n", sum);
  return 0;
}
