/* Built without Ascribe: opens instrumented libraries, whose hooks are then inert, however often
 * they are called. */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*function)(int);

int main(int count, char **arguments) {
  int sum = 0;
  for (int i = 1; i < count; i++) {
    char name[] = "enter0";
    name[5] += (char)i;
    void *library = dlopen(arguments[i], RTLD_NOW);
    function enter = library ? (function)dlsym(library, name) : NULL;
    if (!enter) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    for (int times = 0; times < 3; times++)
      sum += enter(10);
  }
  return sum == 360 ? 0 : 1;
}
