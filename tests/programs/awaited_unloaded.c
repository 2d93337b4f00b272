/* A call's callee is awaited, and the caller is unloaded before any function is entered there.
 * EXPECT library awaited_library.c libawaited.so awaited_other.c
 * EXPECT output sorted 39
 */
#include <dlfcn.h>

#include "program.h"

static int compared;

KEEP int compare(const void *a, const void *b) {
  compared++;
  return *(const int *)a - *(const int *)b;
}

static int sort(int (*function)(const void *, const void *)) {
  int values[40];
  for (int i = 0; i < 40; i++)
    values[i] = i * 17 % 40;
  qsort(values, 40, sizeof *values, function);
  return values[39];
}

int main(void) {
  int sorted = 0;
  for (int i = 0; i < 5; i++) {
    void *library = dlopen("libawaited.so", RTLD_NOW);
    if (!library) return 1;
    int (*functions[])(const void *, const void *) = {0, compare};
    *(void **)&functions[0] = dlsym(library, "library_compare");
    for (int each = 0; each < 2; each++) {
      sorted = sort(functions[each]);
      if (each == 0) dlclose(library);
    }
  }
  printf("sorted %d\n", sorted);
  expect("calls compare %d", compared);
  expect("calls library_compare %d", compared);
  return 0;
}
