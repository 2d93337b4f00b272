/* What the program's own code is, and what is only in its file. */
#include "attribution/own_code.h"

#include "check.h"

static struct profile_object program = {.path = "/home/program"};

static bool is_own(const char *name, const char *file) {
  struct profile_function function = {.name = name, .file = file};
  return own_code(
      &(struct profile){
          .objects = &program, .object_count = 1, .functions = &function, .function_count = 1},
      0);
}

int main(void) {
  CHECK(is_own("work", "/home/program.c"));
  CHECK(is_own("work", NULL));
  CHECK(!is_own("std::sort<int>", "/usr/include/c++/12/bits/stl_algo.h"));

  /* Stubs that the linker makes in the program's file, as ticks find them. */
  CHECK(!is_own("memcmp@plt", NULL));
  CHECK(!is_own("std::string::append(char const*)@plt", NULL));
  CHECK(is_own("memcpy@GLIBC_2.2.5", NULL));

  program.path = "[vdso]";
  CHECK(!is_own("__vdso_clock_gettime", NULL));
  program.path = "/home/program";

  CHECK(!is_own("_start", NULL));
  CHECK(!is_own("ascribe_tick", NULL));
  CHECK(!is_own("(page fault or interrupt)", NULL));
  CHECK(!is_own("read (system call)", NULL));
  return check_result();
}
