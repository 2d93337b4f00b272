#include "symbols/source_path.h"

#include "check.h"

int main(void) {
  const char *const paths[][2] = {{"/a/b/c.c", "/a/b/c.c"},
                                  {"/a/b/../c.c", "/a/c.c"},
                                  {"/a/./b//c.c", "/a/b/c.c"},
                                  {"/../../c.c", "/c.c"},
                                  {"/a/b/../../c", "/c"},
                                  {"/..", "/"},
                                  {"/", "/"},
                                  {"../src/c.c", "../src/c.c"},
                                  {"", ""},
                                  {"./c.c", "c.c"},
                                  {"././src//c.c", "src/c.c"},
                                  {"a/../b/./c.c", "b/c.c"},
                                  {"../a/../../c.c", "../../c.c"},
                                  {"a/..", "."},
                                  {"/a/..b/...c", "/a/..b/...c"},
                                  {"/build/../src/./x/../y.c", "/src/y.c"},
                                  {"/a/", "/a"}};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    char path[64];
    strcpy(path, paths[i][0]);
    source_path_normalise(path);
    check_text(__FILE__, __LINE__, paths[i][0], path, paths[i][1]);
  }
  return check_result();
}
