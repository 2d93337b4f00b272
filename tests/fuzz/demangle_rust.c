/* libFuzzer target: demangle any text as a Rust name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *linkage = strndup((const char *)data, size);
  if (!linkage) return 0;
  char *name = demangle_rust(linkage);
  if (name && strlen(name) > 8192 && strlen(name) > strlen(linkage) * 2) abort();
  if (demangle_base_length(linkage) > strlen(linkage)) abort();
  free(name);
  free(linkage);
  return 0;
}
