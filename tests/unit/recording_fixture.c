#include "recording_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void require(int condition, const char *what) {
  if (!condition) {
    printf("fixture: %s\n", what);
    exit(1);
  }
}

static void grow(struct fixture *fixture, size_t wanted) {
  if (wanted <= fixture->capacity) return;
  size_t capacity = fixture->capacity * 2 > wanted ? fixture->capacity * 2 : wanted;
  uint8_t *data = realloc(fixture->data, capacity);
  require(data != NULL, "no memory");
  memset(data + fixture->capacity, 0, capacity - fixture->capacity);
  fixture->data = data;
  fixture->capacity = capacity;
}

struct fixture fixture_create(uint32_t pid) {
  struct fixture fixture = {0};
  grow(&fixture, RECORDING_UNIT);
  *fixture_header(&fixture) =
      (struct recording_header){.magic = RECORDING_MAGIC,
                                .version = RECORDING_VERSION,
                                .header_bytes = sizeof(struct recording_header),
                                .capacity = RECORDING_UNIT,
                                .next = RECORDING_UNIT,
                                .started_ns = 1000 + pid,
                                .pid = pid};
  return fixture;
}

void fixture_free(struct fixture *fixture) {
  free(fixture->data);
}

struct recording_header *fixture_header(struct fixture *fixture) {
  return (struct recording_header *)fixture->data;
}

void *fixture_at(struct fixture *fixture, size_t offset) {
  return fixture->data + offset;
}

size_t fixture_block(struct fixture *fixture, enum block_kind kind, uint32_t thread,
                     size_t contents) {
  size_t offset = fixture_header(fixture)->next;
  size_t units = (sizeof(struct block_header) + contents + RECORDING_UNIT - 1) / RECORDING_UNIT;
  grow(fixture, offset + units * RECORDING_UNIT);
  struct block_header *header = fixture_at(fixture, offset);
  *header = (struct block_header){.magic = RECORDING_BLOCK_MAGIC,
                                  .kind = kind,
                                  .bytes = units * RECORDING_UNIT,
                                  .used = sizeof *header,
                                  .thread = thread};
  if (kind == BLOCK_ROWS || kind == BLOCK_POINTS) header->used += ASCRIBE_ROW_FIRST;
  fixture_header(fixture)->next = offset + header->bytes;
  fixture_header(fixture)->capacity = fixture_header(fixture)->next;
  return offset;
}

static void *append(struct fixture *fixture, size_t block, size_t bytes, size_t *offset) {
  struct block_header *header = fixture_at(fixture, block);
  require(header->used + bytes <= header->bytes, "block is full");
  size_t place = block + header->used;
  header->used += bytes;
  if (offset) *offset = place;
  return fixture_at(fixture, place);
}

void fixture_text(struct fixture *fixture, size_t block, const char *text) {
  memcpy(append(fixture, block, strlen(text) + 1, NULL), text, strlen(text) + 1);
}

/* A record that begins with its length and ends with a text. */
static void append_record(struct fixture *fixture, size_t block, const void *record, size_t size,
                          const char *text) {
  size_t bytes = (size + strlen(text) + 8) / 8 * 8;
  uint8_t *place = append(fixture, block, bytes, NULL);
  memcpy(place, record, size);
  *(uint32_t *)place = (uint32_t)bytes;
  memcpy(place + size, text, strlen(text) + 1);
}

void fixture_object(struct fixture *fixture, size_t block, const struct recorded_object *object,
                    const char *path) {
  append_record(fixture, block, object, sizeof *object, path);
}

size_t fixture_world(struct fixture *fixture, uint32_t number, size_t contents) {
  size_t block = fixture_block(fixture, BLOCK_WORLD, 0, contents);
  ((struct block_header *)fixture_at(fixture, block))->first = number;
  return block;
}

void fixture_definition(struct fixture *fixture, size_t block,
                        const struct recorded_definition *definition, const char *text) {
  append_record(fixture, block, definition, sizeof *definition, text);
}

void fixture_function(struct fixture *fixture, size_t block, uint64_t address, uint64_t epoch) {
  struct recorded_function *function = append(fixture, block, sizeof *function, NULL);
  *function = (struct recorded_function){.address = address, .epoch = epoch};
}

void fixture_thread(struct fixture *fixture, size_t block, const struct recorded_thread *thread) {
  memcpy(append(fixture, block, sizeof *thread, NULL), thread, sizeof *thread);
}

void fixture_slot(struct fixture *fixture, size_t block, struct ascribe_slot slot) {
  memcpy(append(fixture, block, sizeof slot, NULL), &slot, sizeof slot);
}

void fixture_tick(struct fixture *fixture, size_t block, struct recorded_tick tick) {
  memcpy(append(fixture, block, sizeof tick, NULL), &tick, sizeof tick);
}

void fixture_counters(struct fixture *fixture, size_t block, struct recorded_counters counters) {
  memcpy(append(fixture, block, sizeof counters, NULL), &counters, sizeof counters);
}

void fixture_counts(struct fixture *fixture, size_t block, const uint64_t *counts, size_t count) {
  memcpy(append(fixture, block, count * sizeof *counts, NULL), counts, count * sizeof *counts);
}

uint32_t fixture_context(struct fixture *fixture, size_t block, const uint32_t *history,
                         uint32_t length, uint32_t flags) {
  struct recorded_context *context;
  size_t bytes = sizeof *context + length * sizeof *history, offset;
  bytes = (bytes + CONTEXT_UNIT - 1) / CONTEXT_UNIT * CONTEXT_UNIT;
  context = append(fixture, block, bytes, &offset);
  context->bytes = (uint32_t)bytes;
  context->length = length;
  context->flags = flags;
  if (length) memcpy(context->history, history, length * sizeof *history);
  return fixture_header(fixture)->context_base + (uint32_t)(offset / CONTEXT_UNIT);
}

uint32_t fixture_sites(struct fixture *fixture, uint32_t function,
                       const struct recorded_site *sites, uint32_t count) {
  size_t bytes = sizeof(struct recorded_sites) + count * sizeof *sites, offset;
  size_t block = fixture_block(fixture, BLOCK_SITES, 0, bytes);
  struct recorded_sites *record = append(fixture, block, bytes, &offset);
  *record = (struct recorded_sites){
      .bytes = (uint32_t)bytes, .function = function, .count = count, .ready = 1};
  if (count) memcpy(record->sites, sites, count * sizeof *sites);
  return fixture_header(fixture)->context_base + (uint32_t)(offset / CONTEXT_UNIT);
}

void fixture_rows_begin(struct fixture *fixture) {
  fixture_header(fixture)->rows_offset = fixture_header(fixture)->next;
  fixture_header(fixture)->rows_address = 0x7f0000000000;
}

uint64_t *fixture_row(struct fixture *fixture, size_t block, uint32_t leaves,
                      const struct ascribe_row *row, uint32_t slots) {
  size_t below = ascribe_row_below(leaves);
  size_t bytes = (below + sizeof *row + 8 * slots + 31) / 32 * 32;
  char *start = append(fixture, block, bytes, NULL);
  *(struct ascribe_row_start *)start =
      (struct ascribe_row_start){.bytes = (uint32_t)bytes, .leaves = leaves};
  memcpy(start + below, row, sizeof *row);
  return (uint64_t *)(start + below);
}

uint64_t fixture_row_address(struct fixture *fixture, const uint64_t *row) {
  const struct recording_header *header = fixture_header(fixture);
  size_t offset = (size_t)((const uint8_t *)row - fixture->data);
  return header->rows_address + offset - header->rows_offset;
}

struct recorded_points *fixture_points(struct fixture *fixture, size_t block,
                                       const uint64_t *addresses, uint32_t count) {
  size_t bytes = sizeof(struct recorded_points) + 16ul * count;
  struct recorded_points *points = append(fixture, block, bytes, NULL);
  points->bytes = (uint32_t)bytes;
  points->count = count;
  memcpy(points->counts + count, addresses, count * sizeof *addresses);
  return points;
}

size_t fixture_end(struct fixture *fixture) {
  struct recording_header *header = fixture_header(fixture);
  size_t bytes = header->next;
  if (bytes > fixture->capacity) bytes = fixture->capacity;
  if (header->rows_offset) {
    header->next = header->capacity = header->rows_offset;
    header->rows_next = header->rows_capacity = bytes - header->rows_offset;
  }
  return bytes;
}

void fixture_write(struct fixture *fixture, const char *directory, uint32_t sequence) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%u.%u" RECORDING_SUFFIX, directory, fixture_header(fixture)->pid,
           sequence);
  FILE *file = fopen(path, "wb");
  require(file != NULL, "cannot write");
  size_t bytes = fixture_end(fixture);
  require(fwrite(fixture->data, 1, bytes, file) == bytes, "cannot write");
  require(fclose(file) == 0, "cannot write");
}

struct fixture fixture_sample(uint32_t pid) {
  struct fixture fixture = fixture_create(pid);
  fixture_header(&fixture)->epoch = 2;
  size_t text = fixture_block(&fixture, BLOCK_TEXT, 0, 200);
  fixture_text(&fixture, text, "exe=/bin/sample");
  fixture_text(&fixture, text, "command=sample -x 1");
  fixture_text(&fixture, text, "cwd=/home");
  fixture_text(&fixture, text, "host=here");
  size_t objects = fixture_block(&fixture, BLOCK_OBJECTS, 0, 1000);
  struct recorded_object program = {
      .build_id_bytes = 4, .start = 0x1000, .end = 0x2000, .loaded = 1, .build_id = {1, 2, 3, 4}};
  struct recorded_object library = {.start = 0x5000, .end = 0x6000, .offset = 0x40, .loaded = 2};
  fixture_object(&fixture, objects, &library, "/lib/liblate.so");
  fixture_object(&fixture, objects, &program, "/bin/sample");
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 1000);
  for (uint64_t i = 0; i < 4; i++)
    fixture_function(&fixture, functions, i ? 0x1000 + i * 0x10 : 0, 1);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t root = fixture_context(&fixture, contexts, NULL, 0, CONTEXT_READY | CONTEXT_ROOT);
  uint32_t history[] = {1 << 1 | 1, 2 << 1 | 1, 3 << 1 | 1};
  uint32_t main_context = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  uint32_t p_context = fixture_context(&fixture, contexts, history, 2, CONTEXT_READY);
  uint32_t q_context = fixture_context(&fixture, contexts, history, 3, CONTEXT_READY);
  size_t threads = fixture_block(&fixture, BLOCK_THREADS, 0, 1000);
  fixture_thread(&fixture, threads,
                 &(struct recorded_thread){.tid = pid,
                                           .owners = 1,
                                           .root = root,
                                           .start_function = 2,
                                           .ticks = 9,
                                           .cpu_ns = 9000000,
                                           .name = "sample"});
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){0, main_context, 0x1010, 0x5500, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){0});
  fixture_slot(&fixture, table,
               (struct ascribe_slot){main_context, p_context, 0x1020, 0x1015, 100});
  size_t retired = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, retired,
               (struct ascribe_slot){main_context, p_context, 0x1020, 0x1015, 11});
  fixture_slot(&fixture, retired,
               (struct ascribe_slot){p_context, q_context, 0x1030 | SLOT_RETIRED, 0x1025, 7});
  fixture_slot(&fixture, retired, (struct ascribe_slot){q_context, q_context, 0x1030, 0x1035, 5});
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 1000);
  fixture_tick(&fixture, ticks, (struct recorded_tick){q_context, 0, 0, 0, 0x1033, 4, 0, 5});
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, 0, 0, 0, 0x5010, 2, 0, 2});
  fixture_tick(&fixture, ticks, (struct recorded_tick){q_context, 0, 0, 0, 0x1033, 3, 0, 3});
  return fixture;
}

/* Files have keys of their own, so that one may be a function's too. */
static void define_queens(struct fixture *fixture, uint64_t shift) {
  size_t world = fixture_world(fixture, 3, 2000);
  const struct {
    const char *text;
    struct recorded_definition definition; /* without a text of its own */
  } list[] = {
      {"", {.kind = DEFINED_PLACE, .key = 10, .within = 1, .file = 1, .line = 21, .column = 3}},
      {"main", {.kind = DEFINED_FUNCTION, .key = 1, .file = 1, .line = 20, .column = 1}},
      {"/home/queens.scm", {.kind = DEFINED_FILE, .key = 1}},
      {"queens", {.kind = DEFINED_WORLD}},
      {"of a later version", {.kind = 77, .key = 1}},
      {"queens", {.kind = DEFINED_FUNCTION, .key = 2, .file = 1, .line = 3, .column = 1}},
      {"", {.kind = DEFINED_FUNCTION, .key = 3, .file = 1, .line = 5, .column = 9}},
      {"defined again", {.kind = DEFINED_FUNCTION, .key = 2}},
      {"", {.kind = DEFINED_PLACE, .key = 11, .within = 2, .file = 1, .line = 5, .column = 6}},
      {"", {.kind = DEFINED_PLACE, .key = 12, .within = 2, .file = 1, .line = 5, .column = 20}}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    struct recorded_definition definition = list[i].definition;
    if (definition.kind == DEFINED_FUNCTION || definition.kind == DEFINED_PLACE)
      definition.key += shift;
    if (definition.within) definition.within += shift;
    fixture_definition(fixture, world, &definition, list[i].text);
  }
}

struct fixture fixture_of_host(uint32_t pid, uint64_t shift) {
  enum { MAIN = 1, QUEENS, NAMELESS, UNDEFINED };
  const uint64_t keys[] = {0, 1, 2, 3, 99}, base = WORLD_ADDRESS(3, shift);
  struct fixture fixture = fixture_create(pid);
  struct recording_header *header = fixture_header(&fixture);
  header->hooks = HOOKS_CONTEXTS_CALLED;
  header->tick_source = TICK_TIMER;
  header->tick_flags = TICK_USER_ONLY;
  header->period_ns = 1000000;
  header->cpu_user_ns = 8000000;
  header->finished = 1;
  size_t text = fixture_block(&fixture, BLOCK_TEXT, 0, 200);
  fixture_text(&fixture, text, "exe=/bin/scheme");
  fixture_text(&fixture, text, "command=scheme queens.scm");
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 1000);
  for (int i = 0; i <= UNDEFINED; i++)
    fixture_function(&fixture, functions, i ? base + keys[i] : 0, 0);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t history[] = {MAIN << 1 | 1, QUEENS << 1 | 1, NAMELESS << 1 | 1};
  uint32_t root = fixture_context(&fixture, contexts, NULL, 0, CONTEXT_READY | CONTEXT_ROOT);
  uint32_t at_main = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  uint32_t at_queens = fixture_context(&fixture, contexts, history, 2, CONTEXT_READY);
  uint32_t at_nameless = fixture_context(&fixture, contexts, history, 3, CONTEXT_READY);
  history[2] = UNDEFINED << 1 | 1;
  uint32_t at_undefined = fixture_context(&fixture, contexts, history, 3, CONTEXT_READY);
  size_t threads = fixture_block(&fixture, BLOCK_THREADS, 0, 1000);
  fixture_thread(&fixture, threads,
                 &(struct recorded_thread){.tid = pid,
                                           .owners = 1,
                                           .root = root,
                                           .start_function = MAIN + 1,
                                           .ticks = 8,
                                           .cpu_ns = 8000000,
                                           .name = "scheme"});
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  const struct ascribe_slot slots[] = {{0, at_main, base + 1, 0, 1},
                                       {at_main, at_queens, base + 2, base + 10, 4},
                                       {at_queens, at_queens, base + 2, base + 11, 30},
                                       {at_queens, at_nameless, base + 3, base + 12, 100},
                                       {at_queens, at_undefined, base + 99, base + 12, 2}};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
    fixture_slot(&fixture, table, slots[i]);
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 1000);
  fixture_tick(&fixture, ticks,
               (struct recorded_tick){at_nameless, 0, 0, 0, base + 3, 5, 0, 5000000});
  fixture_tick(&fixture, ticks,
               (struct recorded_tick){at_queens, 0, 0, 0, base + 11, 3, 0, 3000000});
  define_queens(&fixture, shift);
  return fixture;
}

char *fixture_directory(void) {
  char *path = strdup("/tmp/ascribe-test-XXXXXX");
  require(path && mkdtemp(path), "cannot make a directory");
  return path;
}

void fixture_remove(char *directory) {
  DIR *entries = opendir(directory);
  require(entries != NULL, "cannot list the directory");
  for (struct dirent *entry; (entry = readdir(entries));)
    if (entry->d_name[0] != '.') unlinkat(dirfd(entries), entry->d_name, 0);
  closedir(entries);
  rmdir(directory);
  free(directory);
}
