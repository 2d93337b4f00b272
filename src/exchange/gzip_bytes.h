/* Bytes that may be compressed as gzip does. */
#ifndef ASCRIBE_EXCHANGE_GZIP_BYTES_H
#define ASCRIBE_EXCHANGE_GZIP_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

bool gzip_is_start(const char *start, size_t count);

/* Decompress what the first bytes hold, at most `room`. Returns how many; 0 if they are damaged. */
size_t gzip_start(const char *bytes, size_t count, char *result, size_t room);

/* Decompress at most `limit` bytes; more, or damaged ones, are an error. `name` is for messages.
 * The result is the caller's, to be freed with free(). */
int gzip_decompress(const char *name, const unsigned char *bytes, size_t count, size_t limit,
                    unsigned char **result, size_t *result_count, struct error *error);

#endif
