/* libFuzzer target: import any bytes in the format FORMAT (a struct import_format), with the
 * program EXECUTABLE where the format wants one. Aborts when a profile that comes out breaks what
 * readers of profiles rely on. */
#include "exchange/import_formats.h"
#include "profile_checks.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef EXECUTABLE
#define EXECUTABLE NULL
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct import_options options = {.executable = EXECUTABLE};
  struct input input;
  struct profile *profile;
  struct error error;
  input_from_memory(&input, "fuzz", data, size);
  FORMAT.matches((const char *)data, size);
  if (FORMAT.read(&input, &options, &profile, &error) == 0) {
    require(profile->process_count && profile->thread_count);
    check_profile(profile);
    if (profile->slice_count) check_parts(profile);
    profile_free(profile);
  }
  input_close(&input);
  return 0;
}
