/* The kernel's records change the tree of processes: beginnings, names, programs, ends, what is
 * lost. */
#include "outside/record_stream.h"

#include "check.h"
#include "outside/result.h"

enum { PARENT = 100, CHILD = 200, THREAD = 101 };

static struct process_tree tree;
static struct target target;
static struct record_stream stream;
static uint64_t now;

struct record {
  struct perf_event_header header;
  uint64_t words[24];
};

static void add(struct record *record, const void *data, size_t bytes) {
  memcpy((char *)record + record->header.size, data, bytes);
  record->header.size += (uint16_t)bytes;
}

static void add_pair(struct record *record, uint32_t a, uint32_t b) {
  uint32_t pair[] = {a, b};
  add(record, pair, sizeof pair);
}

static void add_word(struct record *record, uint64_t word) {
  add(record, &word, sizeof word);
}

static struct record begin(uint32_t type, uint16_t misc) {
  return (struct record){.header = {.type = type, .misc = misc, .size = 8}};
}

/* Written while `pid` ran. */
static void take(struct record *record, uint32_t pid, uint32_t tid) {
  add_pair(record, pid, tid);
  add_word(record, ++now);
  add_word(record, 0);
  record_stream_take(&stream, &record->header);
}

static void task(uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid, uint32_t parent_tid) {
  struct record record = begin(type, 0);
  add_pair(&record, pid, parent);
  add_pair(&record, tid, parent_tid);
  add_word(&record, now);
  take(&record, parent, parent_tid);
}

static void name(uint32_t pid, uint32_t tid, const char text[16], bool exec) {
  struct record record = begin(PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
  add_pair(&record, pid, tid);
  add(&record, text, 16);
  take(&record, pid, tid);
}

static void count(uint32_t pid, uint32_t tid, uint64_t value) {
  struct record record = begin(PERF_RECORD_READ, 0);
  add_pair(&record, pid, tid);
  add_word(&record, value);
  take(&record, pid, tid);
}

static void map(uint32_t pid, uint64_t start, const char path[16]) {
  struct record record = begin(PERF_RECORD_MMAP2, 0);
  add_pair(&record, pid, pid);
  add_word(&record, start);
  add_word(&record, 0x1000);
  for (int i = 0; i < 4; i++)
    add_word(&record, 0);
  add_word(&record, 5);
  add(&record, path, 16);
  take(&record, pid, pid);
}

/* In the program, without registers. */
static void tick(uint32_t pid, uint32_t tid) {
  struct record record = begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
  add_word(&record, 0x1234);
  add_pair(&record, pid, tid);
  add_word(&record, ++now);
  add_word(&record, 1);
  add_word(&record, 0);
  add_word(&record, 0);
  record_stream_take(&stream, &record.header);
}

static void open_tree(void) {
  now = 1000;
  process_tree_open(&tree);
  stream = (struct record_stream){.tree = &tree, .target = &target, .period_ns = 10};
  struct process_image *image = process_tree_add(&tree, PARENT, now);
  memcpy(image->name, "parent", 7);
  process_tree_add_thread(&tree, image, PARENT, "parent");
}

static void threads(void) {
  open_tree();
  task(PERF_RECORD_FORK, PARENT, PARENT, THREAD, PARENT);
  struct process_image *image = process_tree_find_thread(&tree, THREAD);
  CHECK(image == tree.images[0]);
  CHECK_EQUAL(image->thread_count, 2);
  CHECK_TEXT(image->entries[1].name, "parent");
  name(PARENT, THREAD, "worker\0\0\0\0\0\0\0\0\0", false);
  CHECK_TEXT(image->entries[1].name, "worker");
  task(PERF_RECORD_FORK, PARENT, PARENT, THREAD + 1, THREAD);
  CHECK_TEXT(image->entries[2].name, "worker"); /* as the one that made it */
  tick(PARENT, THREAD);
  CHECK_EQUAL(image->entries[1].ticks, 1);
  task(PERF_RECORD_EXIT, PARENT, PARENT, THREAD, THREAD);
  count(PARENT, THREAD, 5);
  count(PARENT, THREAD, 7);
  CHECK_EQUAL(image->entries[1].cpu_ns, 12);
  CHECK_EQUAL(image->counted_ns, 12);
  CHECK_EQUAL(image->ended_ns, 0);
  task(PERF_RECORD_EXIT, PARENT, PARENT, THREAD + 1, THREAD + 1);
  task(PERF_RECORD_EXIT, PARENT, PARENT, PARENT, PARENT);
  CHECK(image->ended_ns != 0);
  process_tree_close(&tree);
}

static void fork_and_exec(void) {
  open_tree();
  map(PARENT, 0x10000, "/no/such/one\0\0\0");
  task(PERF_RECORD_FORK, CHILD, PARENT, CHILD, PARENT);
  struct process_image *forked = process_tree_find(&tree, CHILD);
  CHECK_EQUAL(forked->parent_pid, PARENT);
  CHECK_EQUAL(forked->space.count, 1);
  CHECK_TEXT(forked->name, "parent");
  tick(CHILD, CHILD);
  name(CHILD, CHILD, "program\0\0\0\0\0\0\0\0", true);
  struct process_image *program = process_tree_find(&tree, CHILD);
  CHECK(program != forked && program->previous == forked && forked->replaced);
  CHECK_EQUAL(program->sequence, 1);
  CHECK_EQUAL(program->parent_pid, PARENT);
  CHECK_EQUAL(program->space.count, 0);
  CHECK_EQUAL(program->threads[0].ticks, 1); /* the count to come is of that one too */
  CHECK(forked->threads[0].counted);
  map(CHILD, 0x20000, "/no/other/one\0\0");
  CHECK_TEXT(program->executable, "/no/other/one");
  CHECK_EQUAL(forked->space.object_count, 1);
  tick(CHILD, CHILD);
  CHECK_EQUAL(program->user_ticks, 1);
  CHECK_EQUAL(forked->user_ticks, 1);
  CHECK_EQUAL(tree.images[0]->user_ticks, 0);
  process_tree_close(&tree);
}

/* None of these is in /proc: the kernel's names are their commands. */
static void commands(void) {
  open_tree();
  task(PERF_RECORD_FORK, CHILD, PARENT, CHILD, PARENT);
  struct process_image *forked = process_tree_find(&tree, CHILD);
  name(CHILD, CHILD, "program\0\0\0\0\0\0\0\0", true);
  CHECK_TEXT(result_of_image(forked).command, "parent");
  CHECK_TEXT(result_of_image(process_tree_find(&tree, CHILD)).command, "program");
  process_tree_close(&tree);
}

/* Events were opened for a thread that the kernel had not told of yet. */
static void known_already(void) {
  open_tree();
  struct process_image *image = tree.images[0];
  process_tree_add_thread(&tree, image, THREAD, "early");
  process_tree_thread(&tree, THREAD)->opened_ns = now;
  task(PERF_RECORD_FORK, PARENT, PARENT, THREAD, PARENT);
  CHECK_EQUAL(image->thread_count, 2);
  CHECK_TEXT(image->entries[1].name, "early");
  CHECK(process_tree_thread(&tree, THREAD)->opened_ns != 0);
  process_tree_close(&tree);
}

/* Its parent got events just now: before or after it was made, nobody knows. */
static void in_doubt(void) {
  open_tree();
  process_tree_thread(&tree, PARENT)->opened_ns = now;
  task(PERF_RECORD_FORK, PARENT, PARENT, THREAD, PARENT);
  CHECK(process_tree_thread(&tree, THREAD)->in_doubt);
  now += 1000000000;
  task(PERF_RECORD_FORK, PARENT, PARENT, THREAD + 1, PARENT);
  CHECK(!process_tree_thread(&tree, THREAD + 1)->in_doubt);
  process_tree_close(&tree);
}

/* Ids are given anew. */
static void id_of_one_that_ended(void) {
  open_tree();
  task(PERF_RECORD_FORK, CHILD, PARENT, CHILD, PARENT);
  struct process_image *first = process_tree_find(&tree, CHILD);
  task(PERF_RECORD_EXIT, CHILD, PARENT, CHILD, CHILD);
  task(PERF_RECORD_FORK, CHILD, PARENT, CHILD, PARENT);
  struct process_image *second = process_tree_find(&tree, CHILD);
  CHECK(first != second && !second->previous);
  tick(CHILD, CHILD);
  CHECK_EQUAL(first->user_ticks, 0);
  CHECK_EQUAL(second->user_ticks, 1);
  process_tree_close(&tree);
}

/* Records that tell of a beginning may be among those that had no room. */
static void unknown_ones(void) {
  open_tree();
  tick(PARENT, THREAD);
  CHECK_EQUAL(tree.images[0]->thread_count, 2);
  CHECK_EQUAL(tree.images[0]->entries[1].ticks, 1);
  tick(CHILD, CHILD);
  CHECK_EQUAL(tree.drops[DROP_TICKS], 1);
  tick(UINT32_MAX, UINT32_MAX); /* of one that is gone */
  CHECK_EQUAL(tree.drops[DROP_TICKS], 2);
  task(PERF_RECORD_FORK, CHILD, 777, CHILD, 777);
  tick(CHILD, CHILD);
  CHECK_EQUAL(process_tree_find(&tree, CHILD)->user_ticks, 1);
  name(999, 999, "stranger\0\0\0\0\0\0\0", false);
  count(999, 999, 1);
  task(PERF_RECORD_EXIT, 999, 1, 999, 999);
  process_tree_close(&tree);
}

static void lost(void) {
  open_tree();
  struct record record = begin(PERF_RECORD_LOST, 0);
  add_word(&record, 1);
  add_word(&record, 25);
  take(&record, PARENT, PARENT);
  record = begin(PERF_RECORD_LOST, 0);
  add_word(&record, 1);
  add_word(&record, 3);
  take(&record, 999, 999);
  CHECK_EQUAL(stream.lost, 28);
  process_tree_close(&tree);
}

/* Nobody knows whose ticks had no room. */
static void dropped(void) {
  open_tree();
  process_tree_drop_ticks(&tree, 5);
  CHECK_EQUAL(tree.drops[DROP_TICKS], 5);
  task(PERF_RECORD_FORK, CHILD, PARENT, CHILD, PARENT);
  tick(CHILD, CHILD);
  for (int i = 0; i < 3; i++)
    tick(PARENT, PARENT);
  process_tree_drop_ticks(&tree, 41);
  CHECK_EQUAL(process_tree_find(&tree, CHILD)->drops[DROP_TICKS], 10);
  CHECK_EQUAL(process_tree_find(&tree, PARENT)->drops[DROP_TICKS], 30);
  CHECK_EQUAL(tree.drops[DROP_TICKS], 6);
  process_tree_close(&tree);
}

static void throttle(uint32_t type, uint64_t event) {
  struct record record = begin(type, 0);
  add_word(&record, now);
  add_word(&record, 1);
  add_word(&record, 1);
  take(&record, PARENT, PARENT);
}

static void throttled(void) {
  open_tree();
  throttle(PERF_RECORD_THROTTLE, 5);
  now += 99;
  throttle(PERF_RECORD_UNTHROTTLE, 5);
  CHECK_EQUAL(tree.images[0]->drops[DROP_TICKS], 10);
  throttle(PERF_RECORD_UNTHROTTLE, 5); /* it was not stopped again */
  CHECK_EQUAL(tree.images[0]->drops[DROP_TICKS], 10);
  process_tree_close(&tree);
}

/* More than are kept apart: later ones take over the entries of those that ended. */
static void many_threads(void) {
  open_tree();
  struct process_image *image = tree.images[0];
  for (uint32_t i = 0; i < 2000; i++) {
    uint32_t tid = 1000 + i;
    task(PERF_RECORD_FORK, PARENT, PARENT, tid, PARENT);
    tick(PARENT, tid);
    task(PERF_RECORD_EXIT, PARENT, PARENT, tid, tid);
    count(PARENT, tid, 1);
  }
  CHECK_EQUAL(image->threads_started, 2001);
  CHECK(image->thread_count < 300);
  CHECK_EQUAL(image->user_ticks, 2000);
  CHECK_EQUAL(image->counted_ns, 2000);
  uint64_t owners = 0;
  for (size_t i = 0; i < image->thread_count; i++)
    owners += image->entries[i].owners;
  CHECK_EQUAL(owners, 2001);
  process_tree_close(&tree);
}

int main(void) {
  threads();
  fork_and_exec();
  commands();
  known_already();
  in_doubt();
  id_of_one_that_ended();
  unknown_ones();
  lost();
  dropped();
  throttled();
  many_threads();
  return check_result();
}
