/* A file being imported: its bytes and lines, read once from front to end in bounded memory. */
#ifndef ASCRIBE_EXCHANGE_INPUT_H
#define ASCRIBE_EXCHANGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct input {
  const char *name; /* for messages */
  int descriptor;   /* -1: everything is in the buffer */
  char *buffer;
  size_t start, end; /* what is not used yet: buffer[start] to buffer[end - 1] */
  uint64_t line;     /* number of the line that was read last, from 1 */
  uint64_t used;     /* bytes that input_use used: where the next ones stand in the file */
  bool ended;        /* nothing follows what is in the buffer */
  bool cut_off;      /* the last line has no end */
  int failure;       /* errno of a read that failed, or 0 */
};

/* `path` may be "-": standard input.  The path must live as long as the input. */
int input_open(struct input *input, const char *path, struct error *error);

/* From a descriptor that belongs to the input now. */
void input_from_descriptor(struct input *input, const char *name, int descriptor);

/* A copy of bytes in memory. */
void input_from_memory(struct input *input, const char *name, const void *bytes, size_t count);

void input_close(struct input *input);

/* The next bytes, at least `wanted` of them unless the file ends before, without using them. */
size_t input_peek(struct input *input, size_t wanted, const char **bytes);

/* Uses `count` bytes, which were peeked at. */
static inline void input_use(struct input *input, size_t count) {
  input->start += count;
  input->used += count;
}

enum { MOST_LINE_BYTES = 1 << 24 };

/* The next line, without its end and with a zero behind it: valid, and the caller's to write into,
 * until the next call.  1; 0 at the end of the file; -1 with the error set. */
int input_line(struct input *input, char **line, size_t *length, struct error *error);

/* All that follows; the bytes stay the input's.  Fails above `limit` bytes. */
int input_rest(struct input *input, size_t limit, const unsigned char **bytes, size_t *count,
               struct error *error);

/* An error at the line that was read last: "NAME:LINE: ...". Returns -1. */
int input_error(const struct input *input, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
