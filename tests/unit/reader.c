/* The reader: what it makes of a good recording, of one that is being written, of a fork's, and
 * what it says about files that it cannot read. */
#include "recording/reader.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "recording/mpi_calls.h"
#include "recording_fixture.h"

static struct recording *open_directory(const char *directory) {
  struct recording *recording = NULL;
  struct error error = {""};
  if (recording_open(directory, &recording, NULL, &error) < 0) {
    printf("cannot open: %s\n", error.text);
    exit(1);
  }
  return recording;
}

/* Write a fixture alone into a new directory and open that. */
static struct recording *open_fixture(struct fixture *fixture) {
  char *directory = fixture_directory();
  fixture_write(fixture, directory, 0);
  fixture_free(fixture);
  struct recording *recording = open_directory(directory);
  fixture_remove(directory);
  return recording;
}

static const struct transition_entry *transition_at(const struct process_recording *process,
                                                    uint64_t site) {
  static const struct transition_entry none;
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].site == site) return &process->transitions[i];
  return &none;
}

static void reads_everything(void) {
  struct fixture fixture = fixture_sample(42);
  struct recording *recording = open_fixture(&fixture);
  CHECK_EQUAL(recording->process_count, 1);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->header.pid, 42);
  CHECK_EQUAL(process->truncated, 0);
  CHECK_TEXT(process->executable, "/bin/sample");
  CHECK_TEXT(process->command, "sample -x 1");
  CHECK_TEXT(process->directory, "/home");
  CHECK_TEXT(process->host, "here");

  CHECK_EQUAL(process->object_count, 2);
  CHECK_TEXT(process->objects[0].path, "/bin/sample");
  CHECK_EQUAL(process->objects[0].build_id_bytes, 4);
  CHECK_EQUAL(process->objects[0].unloaded, UINT64_MAX);
  CHECK_EQUAL(process->objects[1].offset, 0x40);

  CHECK_EQUAL(process->function_count, 3);
  CHECK_EQUAL(process->functions[2].address, 0x1030);
  CHECK_EQUAL(process->functions[2].object, 0);

  CHECK_EQUAL(process->context_count, 4);
  const struct context_entry *q = &process->contexts[3];
  CHECK_EQUAL(q->length, 3);
  for (uint32_t i = 0; i < 3; i++)
    CHECK_EQUAL(q->history[i], i << 1 | 1);

  CHECK_EQUAL(process->transition_count, 4);
  CHECK_EQUAL(transition_at(process, 0x5500)->from, 0);
  CHECK_EQUAL(transition_at(process, 0x5500)->to, 1);
  CHECK_EQUAL(transition_at(process, 0x1015)->count, 111);
  CHECK_EQUAL(transition_at(process, 0x1025)->count, 7);
  CHECK_EQUAL(transition_at(process, 0x1035)->from, 3);
  CHECK_EQUAL(transition_at(process, 0x1035)->to, 3);

  CHECK_EQUAL(process->tick_count, 2);
  CHECK_EQUAL(process->ticks[0].context, 3);
  CHECK_EQUAL(process->ticks[0].ticks, 7);
  CHECK_EQUAL(process->ticks[0].weight, 8);
  CHECK_EQUAL(process->ticks[1].context, 0);

  CHECK_EQUAL(process->thread_count, 1);
  CHECK_TEXT(process->threads[0].name, "sample");
  CHECK_EQUAL(process->threads[0].start_function, 0);
  CHECK_EQUAL(process->threads[0].spawned_in, NOTHING);
  recording_close(recording);
}

/* Blocks without a header, records without a flag, slots without a target: what a reader sees of
 * a process that is just writing them. */
static void skips_what_is_half_written(void) {
  struct fixture fixture = fixture_create(1);
  size_t bare = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 3 * RECORDING_UNIT);
  memset(fixture_at(&fixture, bare), 0, sizeof(struct block_header));
  fixture_block(&fixture, (enum block_kind)99, 0, 100);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 100);
  fixture_function(&fixture, functions, 0, 0);
  fixture_function(&fixture, functions, 0x10, 0);
  fixture_function(&fixture, functions, 0, 0);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t history[] = {1 << 1 | 1};
  uint32_t begun = fixture_context(&fixture, contexts, history, 0, 0);
  uint32_t whole = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){0, 0, 0x10, 0x1, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){0, whole, SLOT_CLAIMED, 0x2, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){0, begun, 0x10, 0x3, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){0, whole, 0x10, 0x4, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){whole, whole + 1, 0x10, 0x5, 1});
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 100);
  fixture_tick(&fixture, ticks, (struct recorded_tick){whole, 0, 0, 0, 1, 1, 0, 1});
  fixture_tick(&fixture, ticks, (struct recorded_tick){whole, 0, 0, 0, 0x12, 1, 0, 1});

  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->function_count, 1);
  CHECK_EQUAL(process->context_count, 2);
  CHECK_EQUAL(process->transition_count, 1);
  CHECK_EQUAL(process->transitions[0].site, 4);
  CHECK_EQUAL(process->contexts[process->transitions[0].from].flags & CONTEXT_ROOT, CONTEXT_ROOT);
  CHECK_EQUAL(process->tick_count, 1);
  /* The thread was not told of by the file, but its tables were. */
  CHECK_EQUAL(process->thread_count, 1);
  recording_close(recording);
}

/* A tag on what calls come from says that code without hooks called: the context is the same. */
static void reads_over_tags(void) {
  struct fixture fixture = fixture_create(1);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 100);
  fixture_function(&fixture, functions, 0x20, 0);
  fixture_function(&fixture, functions, 0x10, 0);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t history[] = {1 << 1 | 1};
  uint32_t own = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){0, own, 0x10, 0x1, 3});
  fixture_slot(&fixture, table, (struct ascribe_slot){ASCRIBE_TAGGED, own, 0x10, 0x1, 5});
  fixture_slot(&fixture, table, (struct ascribe_slot){own | ASCRIBE_TAGGED, own, 0x10, 0x2, 7});
  fixture_slot(&fixture, table, (struct ascribe_slot){own, SLOT_TO_UNHOOKED, 0x20, 0x4, 9});
  fixture_slot(&fixture, table, (struct ascribe_slot){UINT32_MAX, own, 0x10, 0x3, 1});
  /* Without a context `to` is a function. */
  fixture_slot(&fixture, table, (struct ascribe_slot){0, 1, 0x10 | CALL_COUNTED, 0x5, 2});

  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->call_count, 1);
  CHECK_EQUAL(process->transition_count, 2);
  const struct transition_entry *entries = process->transitions;
  CHECK_EQUAL(process->contexts[entries[0].from].flags & CONTEXT_ROOT, CONTEXT_ROOT);
  CHECK_EQUAL(entries[0].count, 8);
  CHECK_EQUAL(entries[1].from, entries[1].to);
  CHECK_EQUAL(entries[1].count, 7);
  recording_close(recording);
}

/* Rows of main, which calls P at one site and through a pointer, a leaf, and its own piece. */
static void reads_rows(void) {
  enum { AT_LEAF = -1, AT_DIRECT = 4, AT_POINTER = 6, AT_PIECE = 10 };
  struct fixture fixture = fixture_create(1);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 100);
  for (uint64_t i = 0; i < 4; i++)
    fixture_function(&fixture, functions, i * 0x10, 0);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t history[] = {1 << 1 | 1, 2 << 1 | 1};
  uint32_t at_main = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  uint32_t at_p = fixture_context(&fixture, contexts, history, 2, CONTEXT_READY);
  const struct recorded_site described[] = {
      {.address = 0x11, .callee = 3 + 1, .place = AT_LEAF, .kind = ASCRIBE_SITE_LEAF},
      {.address = 0x12, .place = AT_DIRECT, .kind = ASCRIBE_SITE_DIRECT | ASCRIBE_SITE_TAIL},
      {.address = 0x13, .place = AT_POINTER, .kind = ASCRIBE_SITE_POINTER},
      {.address = 0x14, .place = AT_PIECE, .kind = ASCRIBE_SITE_CONTINUES},
      {.address = 0x15, .place = 300, .kind = ASCRIBE_SITE_DIRECT}};
  uint32_t sites = fixture_sites(&fixture, 1, described, 5),
           none = fixture_sites(&fixture, 2, NULL, 0);
  fixture_rows_begin(&fixture);
  size_t block = fixture_block(&fixture, BLOCK_ROWS, 0, 1000);
  const struct ascribe_row main_row = {.function = 3, .context = at_main, .sites = sites};
  const struct ascribe_row p_row = {.function = 5, .context = at_p, .sites = none};
  uint64_t *words = fixture_row(&fixture, block, 1, &main_row, 8);
  uint64_t *again = fixture_row(&fixture, block, 1, &main_row, 8);
  uint64_t p = fixture_row_address(&fixture, fixture_row(&fixture, block, 0, &p_row, 0));
  words[AT_LEAF] = 100;
  words[AT_DIRECT] = p, words[AT_DIRECT + 1] = 20;
  words[AT_POINTER] = p, words[AT_POINTER + 1] = 3, words[AT_POINTER + 2] = 0x20;
  words[AT_PIECE] = p, words[AT_PIECE + 1] = 50;
  again[AT_LEAF] = 1;
  again[AT_DIRECT] = p | ASCRIBE_ROW_TAG, again[AT_DIRECT + 1] = 9; /* has no hooks */

  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->truncated, 0);
  uint64_t leaves = 0;
  for (size_t i = 0; i < process->transition_count; i++) {
    const struct transition_entry *entry = &process->transitions[i];
    const struct context_entry *to = &process->contexts[entry->to];
    CHECK_EQUAL(process->contexts[entry->from].length, 1);
    CHECK_EQUAL(to->length, 2);
    CHECK_EQUAL(process->functions[to->history[1] >> 1].address, entry->site == 0x11 ? 0x30 : 0x20);
    if (entry->site == 0x11) leaves += entry->count;
  }
  CHECK_EQUAL(leaves, 101);
  CHECK_EQUAL(transition_at(process, 0x12)->count, 20);
  CHECK_EQUAL(transition_at(process, 0x13)->count, 3);
  CHECK_EQUAL(transition_at(process, 0x14)->count, 0);
  CHECK_EQUAL(process->context_count, 2 + 1);
  recording_close(recording);
}

/* Ticks of several events in one recording. */
static void tells_events_apart(void) {
  struct fixture fixture = fixture_sample(43);
  fixture_header(&fixture)->tick_source = TICK_EVENT;
  fixture_header(&fixture)->events_counted = 1000;
  size_t text = fixture_block(&fixture, BLOCK_TEXT, 0, 200);
  fixture_text(&fixture, text, "event=page-faults,branches");
  for (uint64_t i = 1; i <= 2; i++) {
    size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 1000);
    struct block_header *block = fixture_at(&fixture, ticks);
    block->first = 1;
    block->counted = 20 * i;
    fixture_tick(&fixture, ticks, (struct recorded_tick){0, 0, 0, 0, 0x7000, 3, 0, 7 * i});
  }
  char *directory = fixture_directory();
  fixture_write(&fixture, directory, 0);
  fixture_free(&fixture);
  struct recording *recording = NULL;
  CHECK_EQUAL(recording_open(directory, &recording, NULL, NULL), 0);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->measure_count, 2);
  CHECK_TEXT(process->measures[0].event, "page-faults");
  CHECK_TEXT(process->measures[1].event, "branches");
  CHECK_EQUAL(process->measures[0].counted, 1000);
  CHECK_EQUAL(process->measures[1].counted, 60);
  CHECK_EQUAL(process->tick_count, 3);
  for (size_t i = 0; i < process->tick_count; i++)
    if (process->ticks[i].measure == 1) CHECK_EQUAL(process->ticks[i].weight, 21);
  recording_close(recording);
  fixture_remove(directory);
}

static void damaged_records_end_their_block(void) {
  struct fixture fixture = fixture_sample(5);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t unmarked[] = {1 << 1};
  fixture_context(&fixture, contexts, unmarked, 1, CONTEXT_READY);
  struct recorded_context *record =
      fixture_at(&fixture, contexts + sizeof(struct block_header) + 32);
  *record = (struct recorded_context){.bytes = 17, .flags = CONTEXT_READY};
  size_t objects = fixture_block(&fixture, BLOCK_OBJECTS, 0, 1000);
  struct recorded_object backwards = {.start = 9, .end = 8};
  fixture_object(&fixture, objects, &backwards, "/x");
  struct recording *recording = open_fixture(&fixture);
  CHECK_EQUAL(recording->processes[0].truncated, 1);
  CHECK_EQUAL(recording->processes[0].context_count, 4);
  CHECK_EQUAL(recording->processes[0].object_count, 2);
  recording_close(recording);
}

static void a_short_file_gives_what_is_there(void) {
  struct fixture fixture = fixture_sample(6);
  char *directory = fixture_directory();
  fixture_write(&fixture, directory, 0);
  char path[200];
  snprintf(path, sizeof path, "%s/6.0.recording", directory);
  size_t whole = fixture_header(&fixture)->next;
  for (size_t bytes = sizeof(struct recording_header); bytes < whole; bytes += 1000) {
    fixture_write(&fixture, directory, 0);
    CHECK(truncate(path, (off_t)bytes) == 0);
    struct recording *recording = open_directory(directory);
    CHECK_EQUAL(recording->processes[0].truncated, 1);
    recording_close(recording);
  }
  fixture_free(&fixture);
  fixture_remove(directory);
}

/* Tables and functions behind gigabytes that were never written: read at once, with their ids. */
static void jumps_over_holes(void) {
  enum { FUNCTIONS = 1 << 20 };
  char *directory = fixture_directory();
  struct fixture fixture = fixture_sample(3);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 16 * FUNCTIONS);
  struct block_header *header = fixture_at(&fixture, functions);
  header->first = 4;
  header->used = header->bytes;
  struct recorded_function *rows = fixture_at(&fixture, functions + sizeof *header);
  rows[FUNCTIONS - 1].address = 0x1ff0;
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 100);
  uint32_t history[] = {1 << 1 | 1, (4 + FUNCTIONS - 1) << 1 | 1};
  uint32_t last = fixture_context(&fixture, contexts, history, 2, CONTEXT_READY);
  fixture_write(&fixture, directory, 0);
  char path[200];
  snprintf(path, sizeof path, "%s/3.0.recording", directory);
  uint64_t end = fixture_header(&fixture)->next, huge = 1ull << 36;
  FILE *file = fopen(path, "r+b");
  struct block_header table = {.magic = RECORDING_BLOCK_MAGIC, .kind = BLOCK_TABLE, .bytes = huge};
  fseeko(file, offsetof(struct recording_header, next), SEEK_SET);
  fwrite(&(uint64_t){end + huge}, sizeof(uint64_t), 1, file);
  fseeko(file, (off_t)end, SEEK_SET);
  fwrite(&table, sizeof table, 1, file);
  fseeko(file, (off_t)(end + huge - 32), SEEK_SET);
  fwrite(&(struct ascribe_slot){0, last, 0x1ff0, 0x77, 5}, 32, 1, file);
  CHECK(fclose(file) == 0);
  struct recording *recording = open_directory(directory);
  const struct process_recording *process = &recording->processes[0];
  const struct transition_entry *entry = transition_at(process, 0x77);
  CHECK_EQUAL(entry->count, 5);
  CHECK_EQUAL(process->contexts[entry->to].length, 2);
  CHECK_EQUAL(process->functions[process->contexts[entry->to].history[1] >> 1].address, 0x1ff0);
  recording_close(recording);
  fixture_free(&fixture);
  fixture_remove(directory);
}

static void threads_have_roots_of_their_own(void) {
  struct fixture fixture = fixture_sample(7);
  size_t threads = fixture_block(&fixture, BLOCK_THREADS, 0, 1000);
  fixture_thread(&fixture, threads, &(struct recorded_thread){.index = 3, .tid = 77, .owners = 1});
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 3, 1000);
  uint32_t history[] = {1 << 1 | 1};
  uint32_t worker = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 3, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){0, worker, 0x1010, 0x5500, 2});
  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->thread_count, 2);
  CHECK_EQUAL(process->threads[1].tid, 77);
  CHECK_EQUAL(process->transition_count, 5);
  const struct transition_entry *entry = &process->transitions[4];
  CHECK_EQUAL(entry->count, 2);
  CHECK_EQUAL(process->contexts[entry->from].thread, 1);
  CHECK_EQUAL(process->contexts[entry->from].flags & CONTEXT_ROOT, CONTEXT_ROOT);
  CHECK_EQUAL(process->contexts[entry->to].thread, 1);
  recording_close(recording);
}

/* A child of `parent` that goes on in its contexts: [main P] -> [main P child's R]. */
static struct fixture forked_child(struct fixture *parent, uint32_t pid, uint32_t parent_context) {
  struct fixture fixture = fixture_create(pid);
  struct recording_header *header = fixture_header(&fixture);
  header->is_fork = 1;
  header->parent_pid = fixture_header(parent)->pid;
  header->parent_sequence = 2;
  header->context_base = (uint32_t)(fixture_header(parent)->next / CONTEXT_UNIT) +
                         fixture_header(parent)->context_base;
  header->function_base = 4;
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 100);
  ((struct block_header *)fixture_at(&fixture, functions))->first = 4;
  fixture_function(&fixture, functions, 0x1040, 0);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  uint32_t history[] = {1 << 1 | 1, 2 << 1 | 1, 4 << 1 | 1};
  uint32_t own = fixture_context(&fixture, contexts, history, 3, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){parent_context, own, 0x1040, 0x1028, 3});
  return fixture;
}

static uint32_t sample_context_p(struct fixture *sample) {
  for (size_t offset = RECORDING_UNIT; offset < fixture_header(sample)->next;
       offset += RECORDING_UNIT) {
    const struct block_header *block = fixture_at(sample, offset);
    if (block->kind == BLOCK_CONTEXTS) /* after the root and main (32 bytes each) */
      return (uint32_t)((offset + sizeof *block + 64) / CONTEXT_UNIT);
  }
  return 0;
}

static void a_fork_takes_what_it_shares(void) {
  char *directory = fixture_directory();
  struct fixture parent = fixture_sample(10);
  fixture_write(&parent, directory, 2);
  struct fixture child = forked_child(&parent, 11, sample_context_p(&parent));
  fixture_write(&child, directory, 0);

  struct recording *recording = open_directory(directory);
  CHECK_EQUAL(recording->process_count, 2);
  CHECK_EQUAL(recording->processes[0].sequence, 2);
  const struct process_recording *process = &recording->processes[1];
  CHECK_EQUAL(process->header.pid, 11);
  CHECK_EQUAL(process->truncated, 0);
  CHECK_EQUAL(process->transition_count, 1);
  const struct context_entry *from = &process->contexts[process->transitions[0].from];
  const struct context_entry *to = &process->contexts[process->transitions[0].to];
  CHECK_EQUAL(from->length, 2);
  CHECK_EQUAL(to->length, 3);
  CHECK_EQUAL(from->history[0], to->history[0]);
  CHECK_EQUAL(from->history[1], to->history[1]);
  CHECK_EQUAL(process->functions[to->history[0] >> 1].address, 0x1010);
  CHECK_EQUAL(process->functions[to->history[1] >> 1].address, 0x1020);
  CHECK_EQUAL(process->functions[to->history[2] >> 1].address, 0x1040);
  recording_close(recording);

  /* The child's file alone: its parent's is read for it, but not shown. */
  char path[200];
  struct error error = {""};
  snprintf(path, sizeof path, "%s/11.0.recording", directory);
  CHECK_EQUAL(recording_open(path, &recording, NULL, &error), 0);
  CHECK_EQUAL(recording->process_count, 1);
  CHECK_EQUAL(recording->processes[0].contexts[1].length, 2);
  recording_close(recording);

  /* Without its parent's file: the calls are there, from a root. */
  char other[200];
  snprintf(other, sizeof other, "%s/10.2.recording", directory);
  unlink(other);
  recording = open_directory(directory);
  process = &recording->processes[0];
  CHECK_EQUAL(process->truncated, 1);
  CHECK_EQUAL(process->transition_count, 1);
  CHECK_EQUAL(process->transitions[0].count, 3);
  CHECK_EQUAL(process->contexts[process->transitions[0].from].length, 0);
  CHECK_EQUAL(process->contexts[process->transitions[0].from].flags & CONTEXT_ROOT, CONTEXT_ROOT);
  CHECK_EQUAL(process->contexts[process->transitions[0].to].length, 1);
  recording_close(recording);
  fixture_free(&parent);
  fixture_free(&child);
  fixture_remove(directory);
}

static void a_grandchild_finds_its_grandparent(void) {
  char *directory = fixture_directory();
  struct fixture parent = fixture_sample(10);
  uint32_t shared = sample_context_p(&parent);
  fixture_write(&parent, directory, 2);
  struct fixture child = forked_child(&parent, 11, shared);
  fixture_write(&child, directory, 2);
  struct fixture grandchild = forked_child(&child, 9, shared);
  fixture_header(&grandchild)->function_base = 5;
  size_t contexts = fixture_block(&grandchild, BLOCK_CONTEXTS, 0, 100);
  uint32_t history[] = {1 << 1 | 1, 4 << 1 | 1};
  fixture_context(&grandchild, contexts, history, 2, CONTEXT_READY);
  fixture_write(&grandchild, directory, 0);
  struct recording *recording = open_directory(directory);
  CHECK_EQUAL(recording->process_count, 3);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->header.pid, 9);
  const struct context_entry *from = &process->contexts[process->transitions[0].from];
  CHECK_EQUAL(from->length, 2);
  CHECK_EQUAL(process->functions[from->history[0] >> 1].address, 0x1010);
  const struct context_entry *mixed = &process->contexts[1];
  CHECK_EQUAL(mixed->length, 2);
  CHECK_EQUAL(process->functions[mixed->history[1] >> 1].address, 0x1040);
  recording_close(recording);
  fixture_free(&parent);
  fixture_free(&child);
  fixture_free(&grandchild);
  fixture_remove(directory);
}

static void files_that_are_each_others_parent(void) {
  char *directory = fixture_directory();
  struct fixture one = fixture_sample(1), other = fixture_sample(2);
  for (int i = 0; i < 2; i++) {
    struct recording_header *header = fixture_header(i ? &other : &one);
    header->is_fork = 1;
    header->context_base = header->function_base = 100000;
    header->parent_pid = i ? 1 : 2;
    fixture_write(i ? &other : &one, directory, 0);
  }
  struct recording *recording = open_directory(directory);
  CHECK_EQUAL(recording->process_count, 2);
  CHECK_EQUAL(recording->processes[0].truncated, 1);
  recording_close(recording);
  fixture_free(&one);
  fixture_free(&other);
  fixture_remove(directory);
}

static void objects_come_and_go(void) {
  struct fixture fixture = fixture_create(1);
  size_t objects = fixture_block(&fixture, BLOCK_OBJECTS, 0, 1000);
  struct recorded_object first = {.start = 0x1000, .end = 0x3000, .loaded = 1, .unloaded = 5};
  struct recorded_object second = {.start = 0x2000, .end = 0x2800, .loaded = 6, .unloaded = 9};
  struct recorded_object third = {.start = 0x2000, .end = 0x2100, .loaded = 9};
  fixture_object(&fixture, objects, &third, "third");
  fixture_object(&fixture, objects, &first, "first");
  fixture_object(&fixture, objects, &second, "second");
  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  const struct {
    uint64_t address, epoch;
    const char *path;
  } expected[] = {{0x1000, 1, "first"},
                  {0x2fff, 4, "first"},
                  {0x2050, 4, "first"},
                  {0x2050, 6, "second"},
                  {0x2050, 8, "second"},
                  {0x2050, 9, "third"},
                  {0x2050, UINT64_MAX, "third"},
                  {0x2700, UINT64_MAX, "second"},
                  {0x2900, UINT64_MAX, "first"},
                  {0x1000, 0, NULL},
                  {0x1000, 5, NULL},
                  {0x2100, 9, NULL},
                  {0x3000, 1, NULL},
                  {0x0fff, 1, NULL},
                  {0x3000, UINT64_MAX, NULL}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    uint32_t found = recording_object_at(process, expected[i].address, expected[i].epoch);
    if (expected[i].path)
      CHECK_TEXT(found == NOTHING ? NULL : process->objects[found].path, expected[i].path);
    else
      CHECK_EQUAL(found, NOTHING);
  }
  recording_close(recording);
}

static const struct world *world_at(const struct process_recording *process, uint64_t address) {
  uint32_t object = recording_object_at(process, address, UINT64_MAX);
  return object == NOTHING ? NULL : process->objects[object].world;
}

/* "NAME FILE:LINE:COLUMN" of a key; "": it is not defined. */
static const char *defined(const struct process_recording *process, uint32_t number, uint64_t key) {
  static char text[300];
  struct key_definition found = {0};
  const struct world *world = world_at(process, WORLD_ADDRESS(number, key));
  text[0] = '\0';
  if (world && world_find(world, key, &found))
    snprintf(text, sizeof text, "%s %s:%u:%u", found.name, found.file ? found.file : "-",
             found.line, found.column);
  return text;
}

static void a_world_is_an_object(void) {
  struct fixture fixture = fixture_of_host(1, 0);
  size_t last = fixture_world(&fixture, WORLDS_MOST - 1, 1000);
  fixture_definition(&fixture, last,
                     &(struct recorded_definition){.kind = DEFINED_FUNCTION, .key = 1, .file = 1},
                     "in a world without a name");
  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->truncated, 0);
  CHECK_EQUAL(process->object_count, 2);
  CHECK_TEXT(process->objects[0].path, "queens");
  CHECK_TEXT(process->objects[1].path, "world 2047");
  CHECK_TEXT(defined(process, 3, 1), "main /home/queens.scm:20:1");
  CHECK_TEXT(defined(process, 3, 2), "queens /home/queens.scm:3:1");
  CHECK_TEXT(defined(process, 3, 99), "");
  CHECK_TEXT(defined(process, 4, 1), "");
  CHECK_TEXT(defined(process, WORLDS_MOST - 1, 1), "in a world without a name -:0:0");
  struct key_definition site;
  CHECK(world_find(process->objects[0].world, 12, &site));
  CHECK_EQUAL(site.within, 2);
  CHECK_EQUAL(process->function_count, 4);
  for (size_t i = 0; i < process->function_count; i++)
    CHECK_EQUAL(process->functions[i].object, 0);
  recording_close(recording);
}

/* What was defined before stays. */
static void damaged_definitions_end_their_block(void) {
  static const struct recorded_definition damaged[] = {
      {.kind = DEFINED_FUNCTION},
      {.kind = DEFINED_FUNCTION, .key = 1ull << WORLD_SHIFT},
      {.kind = DEFINED_FUNCTION, .key = 7, .bytes = 41},
      {.kind = DEFINED_FUNCTION, .key = 7, .bytes = 40},
      {.kind = DEFINED_FUNCTION, .key = 7, .bytes = 0xfffffff8}};
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    struct fixture fixture = fixture_of_host(1, 0);
    size_t world = fixture_world(&fixture, 3, 1000);
    const struct recorded_definition good = {.kind = DEFINED_FUNCTION, .key = 50, .line = 1};
    fixture_definition(&fixture, world, &good, "good");
    size_t used = ((struct block_header *)fixture_at(&fixture, world))->used;
    fixture_definition(&fixture, world, &damaged[i], "damaged");
    struct recorded_definition *record = fixture_at(&fixture, world + used);
    if (damaged[i].bytes) record->bytes = damaged[i].bytes;
    fixture_definition(&fixture, world, &(struct recorded_definition){.kind = 3, .key = 51}, "no");
    struct recording *recording = open_fixture(&fixture);
    const struct process_recording *process = &recording->processes[0];
    CHECK_EQUAL(process->truncated, 1);
    CHECK_TEXT(defined(process, 3, 50), "good -:1:0");
    CHECK_TEXT(defined(process, 3, 51), "");
    recording_close(recording);
  }
  struct fixture fixture = fixture_of_host(1, 0);
  fixture_world(&fixture, WORLDS_MOST, 1000);
  struct recording *recording = open_fixture(&fixture);
  CHECK_EQUAL(recording->processes[0].truncated, 1);
  CHECK_EQUAL(recording->processes[0].object_count, 1);
  recording_close(recording);
}

/* A child knows what was defined before the fork, and goes on with its numbers. */
static void a_fork_keeps_its_worlds(void) {
  char *directory = fixture_directory();
  struct fixture parent = fixture_of_host(10, 0);
  fixture_write(&parent, directory, 2);
  struct fixture child = forked_child(&parent, 11, 0);
  size_t world = fixture_world(&child, 3, 1000);
  struct recorded_definition own = {.kind = DEFINED_FUNCTION, .key = 3, .file = 1, .line = 8};
  fixture_definition(&child, world, &own, "child's");
  fixture_write(&child, directory, 2);
  struct fixture grandchild = forked_child(&child, 12, 0);
  fixture_header(&grandchild)->function_base = 5;
  fixture_write(&grandchild, directory, 0);
  struct recording *recording = open_directory(directory);
  CHECK_EQUAL(recording->process_count, 3);
  CHECK_TEXT(defined(&recording->processes[0], 3, 3), " /home/queens.scm:5:9");
  for (int i = 1; i < 3; i++) {
    CHECK_EQUAL(recording->processes[i].object_count, 1);
    CHECK_TEXT(recording->processes[i].objects[0].path, "queens");
    CHECK_TEXT(defined(&recording->processes[i], 3, 1), "main /home/queens.scm:20:1");
    CHECK_TEXT(defined(&recording->processes[i], 3, 3), "child's /home/queens.scm:8:0");
  }
  recording_close(recording);
  fixture_free(&parent);
  fixture_free(&child);
  fixture_free(&grandchild);
  fixture_remove(directory);
}

static void expect_failure(const char *path, const char *part) {
  struct recording *recording = NULL;
  struct error error = {""};
  CHECK_EQUAL(recording_open(path, &recording, NULL, &error), -1);
  CHECK_CONTAINS(error.text, part);
  CHECK(recording == NULL);
}

static void says_what_is_wrong(void) {
  char *directory = fixture_directory();
  char path[200];
  snprintf(path, sizeof path, "%s/1.0.recording", directory);
  expect_failure(path, "No such file");
  expect_failure(directory, "holds no recording");
  struct fixture fixture = fixture_create(1);
  fixture_header(&fixture)->version = 1000;
  fixture_write(&fixture, directory, 0);
  expect_failure(path, "was written by a newer Ascribe (version 1000; this one reads 17): update");
  fixture_header(&fixture)->version = 5;
  fixture_write(&fixture, directory, 0);
  expect_failure(path, "was written by an older Ascribe (version 5; this one reads 17)");
  fixture_header(&fixture)->version = RECORDING_VERSION;
  fixture_header(&fixture)->header_bytes = 8;
  fixture_write(&fixture, directory, 0);
  expect_failure(path, "is damaged");
  fixture_header(&fixture)->magic = 1;
  fixture_write(&fixture, directory, 0);
  expect_failure(directory, "is not a recording");
  CHECK(truncate(path, 100) == 0);
  expect_failure(path, "too short for a recording (100 bytes)");
  expect_failure("/dev/null", "not a regular file");

  /* One good file is enough for a directory. */
  struct fixture good = fixture_sample(2);
  fixture_write(&good, directory, 0);
  struct recording *recording = NULL;
  size_t skipped = 0;
  CHECK_EQUAL(recording_open(directory, &recording, &skipped, NULL), 0);
  CHECK_EQUAL(recording->process_count, 1);
  CHECK_EQUAL(skipped, 1);
  recording_close(recording);
  fixture_free(&fixture);
  fixture_free(&good);
  fixture_remove(directory);
}

/* The areas of all threads add up. Counters that say that they lie behind all areas, or in the
 * header of their block, are not there. */
static void counters_are_within_their_areas(void) {
  struct fixture fixture = fixture_create(1);
  const uint64_t counts[] = {7, 40, 2, 0, 5};
  const uint64_t header = sizeof(struct block_header);
  size_t counters = fixture_block(&fixture, BLOCK_COUNTERS, 0, 1000);
  fixture_counters(&fixture, counters, (struct recorded_counters){0x100, 24, header, 0x1000, 1});
  fixture_counters(&fixture, counters,
                   (struct recorded_counters){0x200, UINT64_MAX, header + 24, 0x2000, 1});
  fixture_counters(&fixture, counters,
                   (struct recorded_counters){0x300, 24, UINT64_MAX - 7, 0x3000, 1});
  fixture_counters(&fixture, counters, (struct recorded_counters){0x400, 24, 8, 0x4000, 1});
  fixture_counters(&fixture, counters, (struct recorded_counters){0x500, 24, header, 0, 1});
  fixture_counts(&fixture, fixture_block(&fixture, BLOCK_COUNTS, 0, 1000), counts, 5);
  fixture_counts(&fixture, fixture_block(&fixture, BLOCK_COUNTS, 0, 1000), counts, 3);
  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->counters_count, 3);
  CHECK_EQUAL(process->count_count, 5);
  CHECK_EQUAL(process->counters[0].count, 3);
  CHECK_EQUAL(process->counts[process->counters[0].first + 1], 40 + 40);
  CHECK_EQUAL(process->counters[1].first, 3);
  CHECK_EQUAL(process->counters[1].count, 2);
  CHECK_EQUAL(process->counts[process->counters[1].first + 1], 5);
  CHECK_EQUAL(process->counters[2].count, 0);
  recording_close(recording);
}

/* Rows of one site, context, call and partner add up, also of several blocks; calls of unknown
 * numbers are passed over. */
static void messages_add_up(void) {
  struct fixture fixture = fixture_sample(42);
  const uint32_t history[] = {1 << 1 | 1};
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 200);
  uint32_t stack = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY | CONTEXT_STACK);
  const struct recorded_message rows[] = {
      {0x1022, 1, 2, 0, 0, 3, 3, 24, 0, 0, 900, 0},
      {0x1022, MPI_CALL_NUMBERS, 2, 0, 0, 3, 3, 24, 0, 0, 900, 1},
      {0x1022, 1, 3, 0, 0, 1, 1, 8, 0, 0, 5, 5},
      {0x1022, 1, 3, stack, 0, 1, 1, 8, 0, 0, 5, 5}};
  for (int i = 0; i < 2; i++) {
    size_t block = fixture_block(&fixture, BLOCK_MESSAGES, 0, sizeof rows);
    struct block_header *header = fixture_at(&fixture, block);
    memcpy(header + 1, rows, sizeof rows);
    header->used = sizeof *header + sizeof rows;
  }
  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  CHECK_EQUAL(process->message_count, 3);
  CHECK_EQUAL(process->messages[0].peer, 2);
  CHECK_EQUAL(process->messages[0].calls, 6);
  CHECK_EQUAL(process->messages[0].sent_bytes, 48);
  CHECK_EQUAL(process->messages[1].cycles, 10);
  CHECK_EQUAL(process->messages[1].least_cycles, 5);
  CHECK_EQUAL(process->contexts[process->messages[1].context].length, 0);
  CHECK_EQUAL(process->contexts[process->messages[2].context].length, 1);
  recording_close(recording);
}

/* In the order in which they were posted, and only those that count. */
static void ends_of_messages_are_in_order(void) {
  struct fixture fixture = fixture_sample(42);
  struct recorded_message_end ends[9] = {
      {300, 310, 320, 0x1022, 0x1033, 5, 2, 1, 8, 13, 21, 0},
      {200, 0, 0, 0x1022, 0, 5, 2, 1, 8, 5, 0, END_SENDS},
      {250, 0, 0, 0x1022, 0, 6, 2, 1, 8, 5, 0, END_SENDS},
      {260, 270, 265, 0x1022, 0, 5, 2, 1, 8, 13, 13, 0}, /* ends before it begins */
      {265, 270, 275, 0x1022, 0, 5, 2, 1, 8, 13, 13, END_CANCELLED},
      {0, 270, 275, 0x1022, 0, 5, 2, 1, 8, 13, 13, 0}, /* not written */
      {400, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, END_AMBIGUOUS},
      {400, 0, 0, 0x1022, 0, 5, 2, 1, 8, 5, 0, END_SENDS},
      {100, 9ull << 32 | 3, 110, 0x1022, 24, 5, 2, 1, 8, 17, 17, END_SENDS | END_EXCHANGE}};
  const struct recorded_message_end last = {350, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, END_OF_ENDS};
  size_t block = fixture_block(&fixture, BLOCK_MESSAGE_ENDS, 0, sizeof ends);
  struct block_header *header = fixture_at(&fixture, block);
  memcpy(header + 1, ends, sizeof ends);
  header->used = sizeof *header + sizeof ends;
  block = fixture_block(&fixture, BLOCK_MESSAGE_ENDS, 1, sizeof last);
  header = fixture_at(&fixture, block);
  memcpy(header + 1, &last, sizeof last);
  header->used = sizeof *header + sizeof last;
  struct recording *recording = open_fixture(&fixture);
  const struct process_recording *process = &recording->processes[0];
  const struct message_end *found = process->message_ends;
  CHECK_EQUAL(process->message_end_count, 4);
  for (int i = 0; i < 2; i++) {
    CHECK(found[i].posted == 100 && found[i].wait_begin == 100 && found[i].wait_end == 110);
    CHECK(found[i].call == 17 && found[i].wait_call == 17 && found[i].wait_site == 0x1022);
  }
  CHECK(found[0].flags == END_SENDS && found[0].peer == 2 && found[0].tag == 1 &&
        found[0].bytes == 8);
  CHECK(found[1].flags == 0 && found[1].peer == 3 && found[1].tag == 9 && found[1].bytes == 24);
  CHECK_EQUAL(found[2].posted, 200);
  CHECK_EQUAL(found[2].wait_call, 0);
  CHECK_EQUAL(found[3].wait_end, 320);
  CHECK_EQUAL(found[3].wait_site, 0x1033);
  recording_close(recording);
}

int main(void) {
  reads_everything();
  messages_add_up();
  ends_of_messages_are_in_order();
  skips_what_is_half_written();
  reads_over_tags();
  reads_rows();
  tells_events_apart();
  damaged_records_end_their_block();
  a_short_file_gives_what_is_there();
  jumps_over_holes();
  threads_have_roots_of_their_own();
  a_fork_takes_what_it_shares();
  a_grandchild_finds_its_grandparent();
  files_that_are_each_others_parent();
  objects_come_and_go();
  counters_are_within_their_areas();
  a_world_is_an_object();
  damaged_definitions_end_their_block();
  a_fork_keeps_its_worlds();
  says_what_is_wrong();
  return check_result();
}
