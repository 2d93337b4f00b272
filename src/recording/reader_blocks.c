#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "recording/reader_image.h"

enum { PIECE = 256 << 10, LARGEST_RECORD = 64 << 20 };

static ssize_t read_at(int descriptor, void *data, size_t bytes, uint64_t offset) {
  size_t have = 0;
  while (have < bytes) {
    ssize_t got = pread(descriptor, (char *)data + have, bytes - have, (off_t)(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += (size_t)got;
  }
  return (ssize_t)have;
}

static int all_zero(const struct block_header *header) {
  static const struct block_header zero;
  return memcmp(header, &zero, sizeof zero) == 0;
}

/* Where to look next after a block whose header was not written: holes of a sparse file, which
 * may be huge, are jumped over. */
static uint64_t after_unwritten(const struct image *image, uint64_t offset, uint64_t limit) {
  offset += RECORDING_UNIT;
  off_t data = lseek(image->descriptor, (off_t)offset, SEEK_DATA);
  if (data < 0) return errno == ENXIO ? limit : offset;
  return (uint64_t)data / RECORDING_UNIT * RECORDING_UNIT;
}

struct block *blocks_find(struct image *image, uint64_t start, uint64_t end, size_t *count) {
  struct block *blocks = NULL;
  uint64_t offset = start;
  *count = 0;
  while (offset < end && end - offset >= sizeof(struct block_header)) {
    struct block_header header;
    if (read_at(image->descriptor, &header, sizeof header, offset) != sizeof header) break;
    if (header.magic != RECORDING_BLOCK_MAGIC || header.bytes < sizeof header ||
        header.bytes % RECORDING_UNIT != 0) {
      if (!all_zero(&header) && header.magic != 0) image->process.truncated = 1;
      offset = after_unwritten(image, offset, end);
      continue;
    }
    uint64_t bytes = header.bytes;
    if (bytes > end - offset) {
      image->process.truncated = 1;
      bytes = end - offset;
    }
    uint64_t used = header.used >= sizeof header && header.used <= bytes ? header.used : bytes;
    ARRAY_GROW(blocks, *count);
    blocks[(*count)++] =
        (struct block){.kind = header.kind,
                       .thread = header.thread,
                       .first = header.first,
                       .counted = header.counted,
                       .pauses = header.pauses,
                       .squares = (double)header.squares[0] + header.squares[1] * 0x1p64,
                       .start = offset + sizeof header,
                       .end = offset + used};
    offset += bytes;
  }
  return blocks;
}

void block_stream_start(struct block_stream *stream, const struct image *image,
                        const struct block *block) {
  *stream = (struct block_stream){
      .descriptor = image->descriptor, .offset = block->start, .end = block->end};
}

void block_stream_stop(struct block_stream *stream) {
  free(stream->data);
  stream->data = NULL;
}

static int fill(struct block_stream *stream, size_t bytes) {
  size_t left = stream->have - stream->at;
  if (bytes - left > stream->end - stream->offset || bytes > LARGEST_RECORD) return -1;
  if (left) memmove(stream->data, stream->data + stream->at, left);
  stream->at = 0;
  stream->have = left;
  size_t wanted = bytes > PIECE ? bytes : PIECE;
  ARRAY_ROOM(stream->data, wanted);
  size_t more = wanted - left;
  if (more > stream->end - stream->offset) more = stream->end - stream->offset;
  ssize_t got = read_at(stream->descriptor, stream->data + left, more, stream->offset);
  if (got < (ssize_t)more) {
    stream->failed = 1;
    stream->end = stream->offset + (got > 0 ? (uint64_t)got : 0);
  }
  if (got > 0) {
    stream->offset += (uint64_t)got;
    stream->have += (size_t)got;
  }
  return stream->have >= bytes ? 0 : -1;
}

const void *block_stream_peek(struct block_stream *stream, size_t bytes) {
  if (stream->have - stream->at < bytes && fill(stream, bytes) < 0) return NULL;
  return stream->data + stream->at;
}

static bool all_zeros(const uint8_t *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (data[i]) return false;
  return true;
}

/* A table is mostly empty, and a hostile one can be a huge hole: pass over whole rows that were
 * never written, the one that begins in what is left of the last piece included. Returns how
 * many. */
static uint64_t pass_hole(struct block_stream *stream, size_t row) {
  size_t left = stream->have - stream->at;
  if (left >= row || (left && !all_zeros(stream->data + stream->at, left))) return 0;
  off_t data = lseek(stream->descriptor, (off_t)stream->offset, SEEK_DATA);
  uint64_t next = data >= 0 ? (uint64_t)data : errno == ENXIO ? stream->end : stream->offset;
  if (next > stream->end) next = stream->end;
  uint64_t rows = (left + (next - stream->offset)) / row;
  if (!rows) return 0;
  stream->offset += rows * row - left;
  stream->at = stream->have;
  return rows;
}

/* As many whole rows of `row` bytes as are at hand, at least one, and pass over them; null at the
 * end. *skipped rows before them lie in a hole of the file: all zeros. */
static const void *block_stream_rows(struct block_stream *stream, size_t row, size_t *rows,
                                     uint64_t *skipped) {
  *skipped = pass_hole(stream, row);
  const void *data = block_stream_peek(stream, row);
  if (!data) return NULL;
  *rows = (stream->have - stream->at) / row;
  stream->at += *rows * row;
  return data;
}

void block_rows(struct image *image, const struct block *block, size_t bytes,
                void (*take)(void *context, const void *row, uint64_t number), void *context) {
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const char *rows;
  size_t count;
  uint64_t skipped, number = 0;
  while ((rows = block_stream_rows(&stream, bytes, &count, &skipped))) {
    number += skipped;
    for (size_t i = 0; i < count; i++)
      take(context, rows + i * bytes, number++);
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

const void *block_stream_record(struct block_stream *stream, uint32_t least, uint32_t unit) {
  const uint32_t *start = block_stream_peek(stream, least);
  uint32_t bytes = start ? *start : 0;
  if (!bytes) return NULL;
  const void *record =
      bytes >= least && bytes % unit == 0 ? block_stream_peek(stream, bytes) : NULL;
  if (record)
    stream->at += bytes;
  else
    stream->failed = 1;
  return record;
}
