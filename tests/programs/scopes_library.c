/* Scopes of libraries, linked and loaded, count in the program's recording. One label is a centre
 * in each module; a library that was loaded again has the centres it had.
 * EXPECT library scopes_library_part.c libpart.so
 * EXPECT library scopes_library_part.c libloaded.so -DASCRIBE_MODULE=\"loaded\"
 * EXPECT link -L. -lpart -ldl
 * EXPECT output 70
 * EXPECT entries here 30
 * EXPECT entries part 70
 * EXPECT inside here part 70
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <dlfcn.h>
#include <string.h>

int part(int n);

int main(int count, char **arguments) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    ASCRIBE_SCOPE("here");
    for (int k = 0; k < 3; k++)
      sum += part(1);
  }
  for (int i = 0; i < 20; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s", arguments[0]);
    strcpy(strrchr(path, '/') + 1, "libloaded.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) abort();
    ASCRIBE_SCOPE("here");
    int (*loaded)(int) = (int (*)(int))dlsym(library, "part");
    sum += loaded(1) + loaded(1);
    dlclose(library);
  }
  printf("%d\n", sum);
  return 0;
}
