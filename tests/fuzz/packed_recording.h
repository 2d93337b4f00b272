/* How the fuzz target packs the files of a recording into few bytes, so that a mutation rarely
 * falls on the zeros between blocks: each unit of a file is its length (two bytes, little-endian)
 * and its bytes up to its trailing zeros.  A length with PACKED_NEXT_FILE set begins a new file.
 * The files are named 1.0.recording, 2.0.recording and so on. */
#ifndef ASCRIBE_TESTS_PACKED_RECORDING_H
#define ASCRIBE_TESTS_PACKED_RECORDING_H

#define PACKED_NEXT_FILE 0x8000u
#define PACKED_LENGTH 0x7fffu /* at most RECORDING_UNIT counts */

#endif
