/* Opens two libraries that export the same name: they are two functions, in one set of contexts. */
#include <dlfcn.h>
#include <stdio.h>

#include "fixture.h"

typedef int (*function)(int);

__attribute__((noipa)) static int use(const char *library, const char *name, int n) {
  void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  function enter = opened ? (function)dlsym(opened, name) : NULL;
  if (!enter) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  enter(n);
  fixture_expect_calls(name, (const void *)enter, 1);
  fixture_expect_calls("helper", dlsym(opened, "helper"), (unsigned long)n);
  return 0;
}

int main(int count, char **arguments) {
  FIXTURE_NAME(main);
  if (count != 3) return 2;
  if (use(arguments[1], "enter1", 10) || use(arguments[2], "enter2", 20)) return 1;
  fixture_expect("main");
  return fixture_faults();
}
