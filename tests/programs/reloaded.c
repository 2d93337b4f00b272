/* Two libraries take turns at the same addresses: what runs there is never called by the name of
 * the one before. Each runs long enough that to load it takes little beside that.
 * EXPECT levels sampled
 * EXPECT library reloaded_library.c libfirst.so -DENTRY=first_entry -DLEAF=first_leaf -DROUNDS=9000000
 * EXPECT library reloaded_library.c libsecond.so -DENTRY=second_entry -DLEAF=second_leaf -DROUNDS=27000000
 * EXPECT output 20
 * EXPECT share first_leaf 0.25
 * EXPECT share second_leaf 0.75
 * EXPECT share main 1
 * EXPECT never first_entry second_leaf
 * EXPECT never second_entry first_leaf
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
    sum += run("libfirst.so", "first_entry");
    sum += run("libsecond.so", "second_entry");
  }
  printf("%d\n", sum / 2);
  return 0;
}
