#include "exchange/gzip_bytes.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

bool gzip_is_start(const char *start, size_t count) {
  return count >= 2 && (unsigned char)start[0] == 0x1f && (unsigned char)start[1] == 0x8b;
}

enum {
  GZIP = 16, /* a wrapper of this kind is expected */
  CHUNK_BYTES = 1 << 16
};

struct output {
  unsigned char *bytes;
  size_t count, limit;
};

/* Z_OK as long as there may be more. */
static int inflate_some(z_stream *stream, struct output *output) {
  size_t left = output->limit + 1 - output->count;
  uInt most = left < CHUNK_BYTES ? left : CHUNK_BYTES;
  ARRAY_ROOM(output->bytes, output->count + most);
  stream->next_out = output->bytes + output->count;
  stream->avail_out = most;
  int result = inflate(stream, Z_NO_FLUSH);
  output->count += most - stream->avail_out;
  /* A file may be several of them, one after the other. */
  if (result == Z_STREAM_END && stream->avail_in) result = inflateReset(stream);
  return result;
}

size_t gzip_start(const char *bytes, size_t count, char *result, size_t room) {
  z_stream stream = {.next_in = (unsigned char *)bytes,
                     .avail_in = count,
                     .next_out = (unsigned char *)result,
                     .avail_out = room};
  if (inflateInit2(&stream, GZIP + MAX_WBITS) != Z_OK) memory_exhausted();
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return room - stream.avail_out;
}

int gzip_decompress(const char *name, const unsigned char *bytes, size_t count, size_t limit,
                    unsigned char **result, size_t *result_count, struct error *error) {
  z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = count};
  struct output output = {.limit = limit};
  if (count > UINT32_MAX) return error_set(error, "%s is too large", name);
  if (inflateInit2(&stream, GZIP + MAX_WBITS) != Z_OK) memory_exhausted();
  int state;
  do
    state = inflate_some(&stream, &output);
  while (state == Z_OK && output.count <= limit);
  size_t used = stream.total_in;
  inflateEnd(&stream);
  if (state == Z_STREAM_END && output.count <= limit) {
    *result = output.bytes;
    *result_count = output.count;
    return 0;
  }
  free(output.bytes);
  if (output.count > limit)
    return error_set(error, "%s has more than %zu MB when it is decompressed", name, limit >> 20);
  return error_set(error, "%s: the compressed data is %s at byte %zu", name,
                   state == Z_BUF_ERROR ? "cut off" : "damaged", used);
}
