/* Libraries loaded and unloaded again and again; a different one may get the same addresses.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT library same_address_a.c libfirst.so
 * EXPECT library same_address_b.c libsecond.so
 * EXPECT output 30 60
 * EXPECT calls first_leaf 30
 * EXPECT calls second_leaf 60
 * EXPECT arc first_entry first_leaf 30
 * EXPECT arc second_entry second_leaf 60
 * EXPECT calls first_entry 30
 * EXPECT calls second_entry 30
 * EXPECT never first_entry second_leaf
 * EXPECT never second_entry first_leaf
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
  int result = 0;
  for (int i = 0; i < 3; i++)
    result += entry();
  dlclose(handle);
  return result;
}

int main(void) {
  int first = 0, second = 0;
  for (int i = 0; i < 10; i++) {
    first += run("libfirst.so", "first_entry");
    second += run("libsecond.so", "second_entry");
  }
  printf("%d %d\n", first, second);
  return 0;
}
