/* The build-id of an ELF file: 20 bytes that the linker made of its contents. */
#ifndef ASCRIBE_OUTSIDE_BUILD_ID_H
#define ASCRIBE_OUTSIDE_BUILD_ID_H

#include <stdint.h>

enum { BUILD_ID_MOST = 20 };

/* Finds the build-id in a file with these bytes, whatever they may be. Returns its length;
 * *build_id points into the image. 0: there is none. */
uint32_t build_id_find(const uint8_t *image, uint64_t bytes, const uint8_t **build_id);

#endif
