/* What a library registers with atexit() runs when it is unloaded, below code of the compiler's
 * that no table describes.
 * EXPECT levels sampled
 * EXPECT library unloaded_destructor_library.c liblast.so
 * EXPECT output 1
 * EXPECT sampled outermost main
 * EXPECT sampled present last_work
 */
#include "program.h"
#include <dlfcn.h>

int main(void) {
  void *library = dlopen("liblast.so", RTLD_NOW);
  int (*begin)(void) = library ? (int (*)(void))dlsym(library, "begin_library") : NULL;
  if (!begin || begin() != 0) return 1;
  if (dlclose(library) != 0) return 1;
  return 0;
}
