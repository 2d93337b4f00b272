/* How the fuzz targets pack the files of a recording into few bytes, so that a mutation rarely
 * falls on the zeros between blocks: each unit of a file is its length (two bytes, little-endian)
 * and its bytes up to its trailing zeros.  A length with PACKED_NEXT_FILE set begins a new file.
 * The files are named 1.0.recording, 2.0.recording and so on. */
#ifndef ASCRIBE_TESTS_PACKED_RECORDING_H
#define ASCRIBE_TESTS_PACKED_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#define PACKED_NEXT_FILE 0x8000u
#define PACKED_LENGTH 0x7fffu /* at most RECORDING_UNIT counts */

enum { PACKED_MOST_FILES = 4, PACKED_MOST_UNITS = 4096 /* of a file */ };

/* Write the files into a directory, which is returned: the same for each recording, empty between
 * unpack and remove.  Ends the program where that fails. */
const char *packed_recording_unpack(const uint8_t *data, size_t size);
void packed_recording_remove(void);

#endif
