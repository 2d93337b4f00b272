#include "packed_recording.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/layout.h"
#include "require.h"

static char directory[] = "/dev/shm/ascribe-fuzz-XXXXXX";
static unsigned files; /* that are there */

static void remove_directory(void) {
  rmdir(directory);
}

static void path_of(unsigned number, char path[200]) {
  snprintf(path, 200, "%s/%u.0" RECORDING_SUFFIX, directory, number);
}

static int next_file(void) {
  char path[200];
  path_of(++files, path);
  int descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  require(descriptor >= 0);
  return descriptor;
}

static void end_file(int descriptor, size_t units) {
  require(ftruncate(descriptor, (off_t)(units * RECORDING_UNIT)) == 0);
  close(descriptor);
}

const char *packed_recording_unpack(const uint8_t *data, size_t size) {
  static int made;
  size_t units = 0;
  int descriptor = -1;
  if (!made++) {
    require(mkdtemp(directory) != NULL);
    atexit(remove_directory);
  }
  while (size >= 2 && units < PACKED_MOST_UNITS) {
    unsigned length = data[0] | data[1] << 8;
    bool next = length & PACKED_NEXT_FILE && files < PACKED_MOST_FILES;
    data += 2;
    size -= 2;
    if (next && descriptor >= 0) end_file(descriptor, units);
    if (next || descriptor < 0) {
      descriptor = next_file();
      units = 0;
    }
    length &= PACKED_LENGTH;
    length = length > RECORDING_UNIT ? RECORDING_UNIT : length;
    length = length > size ? (unsigned)size : length;
    require(pwrite(descriptor, data, length, (off_t)(units * RECORDING_UNIT)) == (ssize_t)length);
    data += length;
    size -= length;
    units++;
  }
  if (descriptor >= 0) end_file(descriptor, units);
  return directory;
}

void packed_recording_remove(void) {
  char path[200];
  for (; files; files--) {
    path_of(files, path);
    unlink(path);
  }
}
