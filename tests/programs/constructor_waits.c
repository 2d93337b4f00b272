/* A library's constructor waits for a thread that uses setjmp for the first time: the loader's
 * lock is held all the while.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT library constructor_waits_library.c libwaits.so -pthread
 * EXPECT output 5
 * EXPECT calls jumps 5
 */
#include "program.h"
#include <dlfcn.h>

int main(int count, char **arguments) {
  (void)count;
  char path[4096];
  snprintf(path, sizeof path, "%s", arguments[0]);
  char *slash = __builtin_strrchr(path, '/');
  snprintf(slash ? slash + 1 : path, 32, "libwaits.so");
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return 1;
  int *jumped = dlsym(library, "jumped");
  printf("%d\n", *jumped);
  return 0;
}
