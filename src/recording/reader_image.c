#include "recording/reader_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void image_drop_maps(struct image *image) {
  map_free(&image->context_units);
  free(image->context_cells);
  free(image->function_cells);
  free(image->function_ids);
  free(image->context_ids);
  free(image->recorded_threads);
  hash_index_free(&image->inherited_contexts);
  hash_index_free(&image->inherited_functions);
  hash_index_free(&image->thread_map);
  rows_free(image);
  heap_free(image);
  closures_free(image);
  image->context_cells = image->function_cells = NULL;
  image->function_ids = image->context_ids = NULL;
  image->recorded_threads = NULL;
}

void image_drop_contents(struct image *image) {
  struct process_recording *process = &image->process;
  free(process->objects);
  free(process->functions);
  free(process->contexts);
  free(process->transitions);
  free(process->entries);
  free(process->counters);
  free(process->counts);
  free(process->points);
  free(process->calls);
  free(process->ticks);
  free(process->slices);
  free(process->messages);
  free(process->message_ends);
  free(process->heap_parts);
  free(process->heap_names);
  free(process->heap_entries);
  free(process->threads);
  worlds_free(image);
  arena_free(&image->arena);
  image_drop_maps(image);
}

static void set_limits(struct image *image, const struct recording_header *header, uint64_t size) {
  image->limit = header->next < size ? header->next : size;
  uint64_t rows = header->rows_offset < size ? size - header->rows_offset : 0;
  if (header->rows_next < rows) rows = header->rows_next;
  image->rows_limit = rows ? header->rows_offset + rows : 0;
}

static int check_header(struct image *image, uint64_t size, struct error *error) {
  const struct recording_header *header = &image->process.header;
  if (header->magic != RECORDING_MAGIC)
    return error_set(error,
                     "%s is not a recording: it begins with other bytes; name the file or "
                     "directory that ascribe recorded to",
                     image->path);
  if (header->version > RECORDING_VERSION)
    return error_set(error,
                     "%s was written by a newer Ascribe (version %u; this one reads %u): update "
                     "ascribe",
                     image->path, header->version, RECORDING_VERSION);
  if (header->version && header->version < RECORDING_VERSION)
    return error_set(error,
                     "%s was written by an older Ascribe (version %u; this one reads %u): record "
                     "again",
                     image->path, header->version, RECORDING_VERSION);
  if (header->version == 0 || header->header_bytes < sizeof *header ||
      header->header_bytes > RECORDING_UNIT)
    return error_set(error,
                     "%s is damaged: its header is invalid (version %u, %u bytes); record again",
                     image->path, header->version, header->header_bytes);
  set_limits(image, header, size);
  image->process.truncated = header->next > size;
  return 0;
}

static int read_header(struct image *image, struct error *error) {
  struct stat status;
  if (fstat(image->descriptor, &status) < 0)
    return error_set(error, "cannot read %s: %s", image->path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return error_set(error, "%s is not a recording: it is not a regular file", image->path);
  struct recording_header *header = &image->process.header;
  ssize_t got = pread(image->descriptor, header, sizeof *header, 0);
  if (got < 0) return error_set(error, "cannot read %s: %s", image->path, strerror(errno));
  if (got < (ssize_t)sizeof *header)
    return error_set(error,
                     "%s is too short for a recording (%zd bytes): it was cut off, or its disk "
                     "was full; record again",
                     image->path, got);
  image->process.end = header->finished ? PROCESS_END_EXIT : PROCESS_END_UNKNOWN;
  return check_header(image, (uint64_t)status.st_size, error);
}

typedef void (*block_reader)(struct image *image, const struct block *block);

static void read_blocks(struct image *image, const struct block *blocks, size_t count,
                        enum block_kind kind, block_reader reader) {
  for (size_t i = 0; i < count; i++)
    if (blocks[i].kind == kind) reader(image, &blocks[i]);
}

/* Their places are multiples of the unit. */
static void read_rows(struct image *image, struct counts *counts) {
  uint64_t start = image->process.header.rows_offset;
  if (start % RECORDING_UNIT || start >= image->rows_limit) return;
  size_t count;
  struct block *blocks = blocks_find(image, start, image->rows_limit, &count);
  read_blocks(image, blocks, count, BLOCK_ROWS, rows_read);
  for (size_t i = 0; i < count; i++)
    if (blocks[i].kind == BLOCK_POINTS) points_read(image, counts, &blocks[i]);
  free(blocks);
}

static void read_counts(struct image *image) {
  size_t count;
  struct block *blocks = blocks_find(image, RECORDING_UNIT, image->limit, &count);
  struct counts counts = {0};
  read_blocks(image, blocks, count, BLOCK_THREADS, threads_read);
  for (size_t i = 0; i < count; i++)
    if (blocks[i].kind == BLOCK_TABLE)
      counts_read_table(image, &counts, &blocks[i]);
    else if (blocks[i].kind == BLOCK_TICKS)
      counts_read_ticks(image, &counts, &blocks[i]);
    else if (blocks[i].kind == BLOCK_COUNTS)
      counts_read_area(image, &blocks[i]);
  read_blocks(image, blocks, count, BLOCK_ENTRIES, counts_read_entries);
  read_blocks(image, blocks, count, BLOCK_CENSUSES, closures_read_censuses);
  messages_read(image, blocks, count);
  messages_read_ends(image, blocks, count);
  read_blocks(image, blocks, count, BLOCK_HEAP, heap_read_books);
  read_blocks(image, blocks, count, BLOCK_HEAP_PAST, heap_read_past);
  read_blocks(image, blocks, count, BLOCK_HEAP_CELLS, heap_read_cells);
  read_rows(image, &counts);
  hash_index_free(&counts.transitions);
  hash_index_free(&counts.calls);
  hash_index_free(&counts.ticks);
  map_free(&counts.points);
  free(blocks);
}

static void read_rest(struct image *image) {
  size_t count;
  struct block *blocks = blocks_find(image, RECORDING_UNIT, image->limit, &count);
  read_blocks(image, blocks, count, BLOCK_THREADS, threads_read);
  read_blocks(image, blocks, count, BLOCK_HEAP_FRAMES, heap_read_frames);
  read_blocks(image, blocks, count, BLOCK_MAPPINGS, heap_read_mappings);
  read_blocks(image, blocks, count, BLOCK_HEAP_NAMES, heap_read_names);
  read_blocks(image, blocks, count, BLOCK_CONTEXTS, contexts_read);
  read_blocks(image, blocks, count, BLOCK_FUNCTIONS, functions_read);
  read_blocks(image, blocks, count, BLOCK_COUNTERS, counts_read_counters);
  read_blocks(image, blocks, count, BLOCK_SLICES, counts_read_slices);
  read_blocks(image, blocks, count, BLOCK_OBJECTS, objects_read);
  read_blocks(image, blocks, count, BLOCK_SITES, rows_read_sites);
  read_blocks(image, blocks, count, BLOCK_WORLD, worlds_read);
  read_blocks(image, blocks, count, BLOCK_TEXT, texts_read);
  free(blocks);
}

/* The header has what was counted of the first event. */
static void find_measures(struct process_recording *process) {
  process->measures[0].counted = process->header.events_counted;
  if (!process->measure_count) process->measure_count = 1;
  for (size_t i = 0; i < EVENTS_MOST; i++)
    if (process->measures[i].event && process->measure_count <= i) process->measure_count = i + 1;
}

/* What was claimed meanwhile is wanted by the second look at a process that still runs. */
static void refresh_limit(struct image *image) {
  struct recording_header header;
  struct stat status;
  if (pread(image->descriptor, &header, sizeof header, 0) != sizeof header ||
      fstat(image->descriptor, &status) < 0)
    return;
  set_limits(image, &header, (uint64_t)status.st_size);
}

int image_read(struct image *image, struct error *error) {
  image->descriptor = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (image->descriptor < 0)
    return error_set(error, "cannot open %s: %s", image->path, strerror(errno));
  int status = read_header(image, error);
  if (status == 0) {
    read_counts(image);
    refresh_limit(image);
    read_rest(image);
    find_measures(&image->process);
    counts_bound(&image->process);
    counts_end_slices(&image->process);
  }
  close(image->descriptor);
  return status;
}
