/* libFuzzer target: the profile of any recording, and its reports. Aborts when the profile breaks
 * what its readers rely on. */
#include "profile/profile.h"
#include "attribution/recorded/normalise.h"

#include "packed_recording.h"
#include "profile_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct recording *recording;
  struct profile *profile;
  if (recording_open(packed_recording_unpack(data, size), &recording, NULL, NULL) == 0) {
    int made = profile_from_recording(recording, &profile, NULL);
    recording_close(recording);
    if (made == 0) {
      check_profile(profile);
      check_reports(profile);
      check_parts(profile);
      profile_free(profile);
    }
  }
  packed_recording_remove();
  return 0;
}
