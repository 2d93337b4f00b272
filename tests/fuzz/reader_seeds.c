/* Writes the seed corpus of the fuzz targets that read recordings: reader_seeds DIRECTORY, with the
 * given files of recordings in it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "packed_recording.h"
#include "recording_fixture.h"

enum { MOST_RECORDED = 64 << 20 };

static void pack_bytes(FILE *file, const uint8_t *bytes, size_t end) {
  for (size_t offset = 0; offset < end; offset += RECORDING_UNIT) {
    const uint8_t *unit = bytes + offset;
    unsigned length = RECORDING_UNIT;
    while (length > 0 && unit[length - 1] == 0)
      length--;
    unsigned word = length | (offset == 0 ? PACKED_NEXT_FILE : 0);
    fputc(word & 0xff, file);
    fputc(word >> 8, file);
    fwrite(unit, 1, length, file);
  }
}

static void pack(FILE *file, struct fixture *fixture) {
  size_t end = fixture_end(fixture);
  pack_bytes(file, fixture->data, end);
}

static FILE *create(const char *directory, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "wb");
  if (!file) {
    perror(path);
    exit(1);
  }
  return file;
}

static void seed_bare(const char *directory) {
  FILE *file = create(directory, "bare");
  struct fixture fixture = fixture_create(1);
  pack(file, &fixture);
  fixture_free(&fixture);
  fclose(file);
}

static void seed_whole(const char *directory) {
  FILE *file = create(directory, "whole");
  struct fixture fixture = fixture_sample(1);
  pack(file, &fixture);
  fixture_free(&fixture);
  fclose(file);
}

static void seed_fork(const char *directory) {
  FILE *file = create(directory, "fork");
  struct fixture parent = fixture_sample(1), child = fixture_create(2);
  struct recording_header *header = fixture_header(&child);
  header->is_fork = 1;
  header->parent_pid = 1;
  header->context_base = (uint32_t)(fixture_header(&parent)->next / CONTEXT_UNIT);
  header->function_base = 4;
  size_t contexts = fixture_block(&child, BLOCK_CONTEXTS, 0, 1000);
  uint32_t history[] = {1 << 1 | 1, 2 << 1, 3 << 1 | 1};
  uint32_t own = fixture_context(&child, contexts, history, 3, CONTEXT_READY);
  size_t table = fixture_block(&child, BLOCK_TABLE, 0, 1000);
  for (uint32_t from = 0; from < fixture_header(&parent)->next / CONTEXT_UNIT; from += 64)
    if (from * CONTEXT_UNIT % RECORDING_UNIT == 0)
      for (uint32_t step = 4; step < 10; step++)
        fixture_slot(&child, table, (struct ascribe_slot){from + step, own, 0x1040, 0x1028, 3});
  pack(file, &parent);
  pack(file, &child);
  fixture_free(&parent);
  fixture_free(&child);
  fclose(file);
}

/* Two objects with counters, two threads' areas, and a call through a pointer that is in none. */
static void seed_counted(const char *directory) {
  FILE *file = create(directory, "counted");
  struct fixture fixture = fixture_sample(1);
  const uint64_t counts[] = {1ull << 63 | 7, 40, 2, 0, 0, 0, 0, 0, 1ull << 63 | 9, 5};
  size_t counters = fixture_block(&fixture, BLOCK_COUNTERS, 0, 1000);
  fixture_counters(&fixture, counters, (struct recorded_counters){0x3000, 24, 64, 0x1000, 1});
  fixture_counters(&fixture, counters, (struct recorded_counters){0x8000, 16, 128, 0x2000, 1});
  for (int area = 0; area < 2; area++)
    fixture_counts(&fixture, fixture_block(&fixture, BLOCK_COUNTS, 0, 1000), counts, 10);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){0, 1, CALL_INDIRECT | 0x1040, 0x1028, 3});
  pack(file, &fixture);
  fixture_free(&fixture);
  fclose(file);
}

/* Counters of main, of one of its places, and of nothing. */
static void count_points(struct fixture *fixture) {
  const uint64_t addresses[] = {WORLD_ADDRESS(3, 1), WORLD_ADDRESS(3, 10), 0};
  fixture_rows_begin(fixture);
  size_t block = fixture_block(fixture, BLOCK_POINTS, 0, 200);
  for (uint64_t i = 1; i <= 2; i++) {
    struct recorded_points *points = fixture_points(fixture, block, addresses, 3);
    points->counts[0] = points->counts[1] = i;
    points->in_pause = i == 2;
  }
}

/* A program of a language host, and a child that it forked and that defines more. */
static void seed_host(const char *directory) {
  FILE *file = create(directory, "host");
  struct fixture parent = fixture_of_host(1, 0), child = fixture_create(2);
  struct recording_header *header = fixture_header(&child);
  header->is_fork = 1;
  header->parent_pid = 1;
  header->context_base = (uint32_t)(fixture_header(&parent)->next / CONTEXT_UNIT);
  header->function_base = 5;
  size_t world = fixture_world(&child, 3, 1000);
  struct recorded_definition own = {.kind = DEFINED_FUNCTION, .key = 99, .file = 1, .line = 8};
  fixture_definition(&child, world, &own, "later");
  size_t functions = fixture_block(&child, BLOCK_FUNCTIONS, 0, 100);
  ((struct block_header *)fixture_at(&child, functions))->first = 5;
  fixture_function(&child, functions, WORLD_ADDRESS(3, 99), 0);
  count_points(&parent);
  pack(file, &parent);
  pack(file, &child);
  fixture_free(&parent);
  fixture_free(&child);
  fclose(file);
}

static void append(struct fixture *fixture, size_t block, const void *row, size_t bytes) {
  struct block_header *header = fixture_at(fixture, block);
  memcpy((char *)header + header->used, row, bytes);
  header->used += bytes;
}

/* Cost centres: one in another, a tick in both, and a tick in a context that is none of theirs. */
static void seed_centres(const char *directory) {
  FILE *file = create(directory, "centres");
  struct fixture fixture = fixture_sample(7);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 100);
  ((struct block_header *)fixture_at(&fixture, functions))->first = 4;
  fixture_function(&fixture, functions, CENTRE_ADDRESS(1), 0);
  fixture_function(&fixture, functions, CENTRE_ADDRESS(2), 0);
  size_t world = fixture_world(&fixture, CENTRE_WORLD, 200);
  for (uint64_t key = 1; key < 3; key++)
    fixture_definition(&fixture, world,
                       &(struct recorded_definition){.kind = DEFINED_CENTRE, .key = key},
                       "label and module");
  fixture_definition(&fixture, world,
                     &(struct recorded_definition){
                         .kind = DEFINED_CLOSURE, .key = CLOSURE_KEY(1), .within = 32, .place = 4},
                     "thunk");
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 200);
  const uint32_t history[] = {4 << 1 | 1, 5 << 1 | 1};
  uint32_t outer = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  uint32_t inner = fixture_context(&fixture, contexts, history, 2, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 200);
  fixture_slot(&fixture, table, (struct ascribe_slot){0, outer, CENTRE_ADDRESS(1), 0, 2});
  fixture_slot(&fixture, table, (struct ascribe_slot){outer, inner, CENTRE_ADDRESS(2), 0, 5});
  fixture_slot(&fixture, table,
               (struct ascribe_slot){outer, CLOSURE_ID(1), CENTRE_ADDRESS(CLOSURE_KEY(1)), 0, 9});
  const struct recorded_census census[] = {
      {1, 0, 0, CENSUS_BEGINS, 0}, {1, 0, outer, CLOSURE_ID(1), 5}, {1, 0, 0, CENSUS_ENDS, 0},
      {2, 1, 0, CENSUS_BEGINS, 0}, {2, 1, inner, CLOSURE_ID(1), 3}, {2, 1, 0, CENSUS_ENDS, 0},
      {3, 1, 0, CENSUS_BEGINS, 0}};
  append(&fixture, fixture_block(&fixture, BLOCK_CENSUSES, 0, 400), census, sizeof census);
  size_t entries = fixture_block(&fixture, BLOCK_ENTRIES, 0, 200);
  const struct recorded_entries rows[] = {
      {0, outer, 0, 2}, {outer, inner, 1, 3}, {outer, CLOSURE_ID(1), 0, 4}};
  append(&fixture, entries, rows, sizeof rows);
  const struct recorded_message messages[] = {{0x1022, 1, 2, inner, 0, 3, 3, 24, 0, 0, 900, 300},
                                              {0, 13, 0, 0, outer, 1, 0, 0, 1, 8, 100, 100}};
  append(&fixture, fixture_block(&fixture, BLOCK_MESSAGES, 0, 200), messages, sizeof messages);
  const struct recorded_message_end ends[] = {
      {300, 310, 320, 0x1022, 0x1033, 5, 2, 1, 8, 13, 21, 0},
      {200, 0, 0, 0x1022, 0, 6, 2, 1, 8, 5, 0, END_SENDS},
      {400, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, END_AMBIGUOUS},
      {100, 9ull << 32 | 3, 110, 0x1022, 24, 5, 2, 1, 8, 17, 17, END_SENDS | END_EXCHANGE},
      {350, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, END_OF_ENDS}};
  append(&fixture, fixture_block(&fixture, BLOCK_MESSAGE_ENDS, 0, 300), ends, sizeof ends);
  size_t slices = fixture_block(&fixture, BLOCK_SLICES, 0, 200);
  const struct recorded_slice times[] = {{1000, 0, 4096}, {5000, 4, 8192}};
  append(&fixture, slices, times, sizeof times);
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 200);
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, inner, 0, 0, 0x1021, 4, 0, 4});
  fixture_tick(&fixture, ticks, (struct recorded_tick){inner, 3, 0, 0, 0x1021, 1, 0, 1});
  pack(file, &fixture);
  fixture_free(&fixture);
  fclose(file);
}

/* Allocations: two stacks that have no caller's frame in common, one below a frame of the other,
 * and none; ticks in two slices of time. `mean`: of samples, or 0. */
static void seed_heap(const char *directory, const char *name, uint64_t mean) {
  FILE *file = create(directory, name);
  struct fixture fixture = fixture_sample(7);
  size_t frames = fixture_block(&fixture, BLOCK_HEAP_FRAMES, 0, 200);
  uint32_t first = (uint32_t)((frames + sizeof(struct block_header)) / HEAP_FRAME_UNIT);
  const struct recorded_heap_frame stacks[] = {{0x1022, 0, 0}, {0x1032, 0, 0}, {0x1034, first, 0}};
  append(&fixture, frames, stacks, sizeof stacks);
  size_t cells = fixture_block(&fixture, BLOCK_HEAP_CELLS, 0, 400);
  for (uint32_t i = 0; i < 4; i++) {
    struct recorded_heap_cell cell = {.frame = i < 3 ? first + i : 0,
                                      .slice = 1,
                                      .kind = HEAP_KIND(i, i < 3 ? i : HEAP_POOL_FIRST + 1),
                                      .allocations = i + 2,
                                      .allocated = 100 * i + 50,
                                      .frees = 1,
                                      .freed = 25,
                                      .at_peak = 30 * i,
                                      .peak_epoch = i};
    append(&fixture, cells, &cell, sizeof cell);
  }
  uint32_t place = (uint32_t)((cells + sizeof(struct block_header)) / HEAP_CELL_UNIT);
  size_t past = fixture_block(&fixture, BLOCK_HEAP_PAST, 0, 200);
  const struct recorded_heap_past earlier[] = {{place, 0, 1, 20, 0, 0, 0},
                                               {place + 1, 0, 2, 9, 1, 4, 1}};
  append(&fixture, past, earlier, sizeof earlier);
  size_t names = fixture_block(&fixture, BLOCK_HEAP_NAMES, 0, 200);
  const struct recorded_heap_name calls[] = {
      {64, 1, "node"}, {64, 2, "leaf"}, {64, HEAP_POOL_FIRST + 1, "pool"}};
  append(&fixture, names, calls, sizeof calls);
  size_t books = fixture_block(&fixture, BLOCK_HEAP, 0, 200);
  const struct recorded_heap heap = {
      .areas = {{.live = 700, .peak = 90, .bound = 950, .peak_epoch = 2, .unknown_frees = 1}},
      .mean = mean,
      .mappings = 3};
  append(&fixture, books, &heap, sizeof heap);
  size_t mappings = fixture_block(&fixture, BLOCK_MAPPINGS, 0, 200);
  const struct recorded_mapping maps[] = {{1000, 0x10000, 8192, 0, 0, MAPPING_ANONYMOUS, 0},
                                          {1200, 0x11000, 100, 0, 0, MAPPING_GONE, 0},
                                          {6000, 0x10800, 4096, 0, 0, MAPPING_FILE, 0}};
  append(&fixture, mappings, maps, sizeof maps);
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 200);
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, 0, 0, 0, 0x1021, 4, 0, 4});
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, 0, 0, 0, 0x1021, 3, 1, 3});
  size_t slices = fixture_block(&fixture, BLOCK_SLICES, 0, 200);
  const struct recorded_slice times[] = {{1000, 0, 4096}, {5000, 4, 8192}, {0, 0, 0}};
  append(&fixture, slices, times, sizeof times);
  pack(file, &fixture);
  fixture_free(&fixture);
  fclose(file);
}

/* A file that a program has written, named by its place among them. */
static void seed_recorded(const char *directory, int number, const char *path) {
  char name[20];
  snprintf(name, sizeof name, "recorded%d", number);
  int descriptor = open(path, O_RDONLY);
  const struct recording_header *header =
      mmap(NULL, MOST_RECORDED, PROT_READ, MAP_SHARED, descriptor, 0);
  if (descriptor < 0 || header == MAP_FAILED || header->next > MOST_RECORDED) {
    fprintf(stderr, "%s cannot be packed\n", path);
    exit(1);
  }
  FILE *file = create(directory, name);
  pack_bytes(file, (const uint8_t *)header, header->next);
  fclose(file);
  munmap((void *)header, MOST_RECORDED);
  close(descriptor);
}

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "usage: reader_seeds DIRECTORY [RECORDING...]\n");
    return 2;
  }
  seed_bare(arguments[1]);
  seed_whole(arguments[1]);
  seed_fork(arguments[1]);
  seed_counted(arguments[1]);
  seed_host(arguments[1]);
  seed_heap(arguments[1], "heap", 0);
  seed_heap(arguments[1], "heap-samples", 4096);
  seed_centres(arguments[1]);
  for (int i = 2; i < count; i++)
    seed_recorded(arguments[1], i - 1, arguments[i]);
  return 0;
}
