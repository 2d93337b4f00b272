#include "cli/chicken_link.h"

#include <stdio.h>

#include "instrument/wrapper/support_files.h"

int chicken_link_words(bool is_static, char words[CHICKEN_LINK_BYTES]) {
  char runtime[PATH_MAX];
  if (support_file_find(is_static ? SUPPORT_RUNTIME_STATIC : SUPPORT_RUNTIME, runtime,
                        sizeof runtime))
    return -1;
  snprintf(words, CHICKEN_LINK_BYTES, "%s%s -Wl,--wrap=C_trace%s", is_static ? "-static " : "",
           runtime, is_static ? "" : ",-E");
  return 0;
}
