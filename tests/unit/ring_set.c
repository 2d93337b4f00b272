/* Records of several rings come in the order of time, whole also where a buffer's end splits them.
 */
#include "outside/ring_set.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { BYTES = 256, LARGEST_RECORD = 1 << 16 };

/* A ring in memory of our own, in which we are the kernel too. */
struct fixture {
  struct ring ring;
  uint8_t *data;
};

static void make(struct fixture *fixture) {
  long page = sysconf(_SC_PAGESIZE);
  uint8_t *memory = calloc(1, (size_t)page + BYTES);
  fixture->data = memory + page;
  fixture->ring = (struct ring){.descriptor = -1,
                                .page = (void *)memory,
                                .bytes = BYTES,
                                .time = UINT64_MAX,
                                .whole = malloc(LARGEST_RECORD)};
}

static void drop(struct fixture *fixture) {
  free(fixture->ring.whole);
  free(fixture->ring.page);
}

/* A record that ends in its time, and the number of an event. */
static void write_record(struct fixture *fixture, uint16_t size, uint64_t time) {
  uint64_t head = fixture->ring.page->data_head;
  uint8_t bytes[BYTES] = {0};
  struct perf_event_header header = {.type = PERF_RECORD_COMM, .size = size};
  memcpy(bytes, &header, sizeof header);
  memset(bytes + sizeof header, (int)time, size - sizeof header);
  memcpy(bytes + size - 2 * sizeof time, &time, sizeof time);
  for (uint16_t i = 0; i < size; i++)
    fixture->data[(head + i) % BYTES] = bytes[i];
  fixture->ring.page->data_head = head + size;
}

static void records_in_turn(void) {
  struct fixture fixture;
  make(&fixture);
  ring_look(&fixture.ring);
  CHECK(!fixture.ring.next);
  CHECK_EQUAL(fixture.ring.time, UINT64_MAX);
  write_record(&fixture, 32, 5);
  CHECK(!fixture.ring.next); /* not looked yet */
  ring_look(&fixture.ring);
  CHECK_EQUAL(fixture.ring.time, 5);
  write_record(&fixture, 40, 6);
  ring_pass(&fixture.ring);
  CHECK(!fixture.ring.next);
  CHECK_EQUAL(fixture.ring.page->data_tail, 32);
  ring_look(&fixture.ring);
  CHECK_EQUAL(fixture.ring.time, 6);
  ring_pass(&fixture.ring);
  CHECK_EQUAL(fixture.ring.page->data_tail, 72);
  drop(&fixture);
}

static void split_by_the_end(void) {
  struct fixture fixture;
  make(&fixture);
  for (uint64_t time = 1; time < 200; time++) {
    write_record(&fixture, 56, time);
    ring_look(&fixture.ring);
    const struct perf_event_header *record = fixture.ring.next;
    CHECK(record);
    if (!record) break;
    CHECK_EQUAL(record->size, 56);
    CHECK_EQUAL(fixture.ring.time, time);
    for (int i = 8; i < 40; i++)
      CHECK_EQUAL(((const uint8_t *)record)[i], time & 0xff);
    ring_pass(&fixture.ring);
  }
  drop(&fixture);
}

/* What is no record, though the kernel should not write it, ends nothing and is passed over. */
static void nonsense(void) {
  struct fixture fixture;
  make(&fixture);
  fixture.ring.page->data_head = 64; /* of zeros: records without a length */
  ring_look(&fixture.ring);
  CHECK(!fixture.ring.next);
  write_record(&fixture, 32, 9);
  ring_look(&fixture.ring);
  CHECK_EQUAL(fixture.ring.time, 9);
  drop(&fixture);
}

static void merged(void) {
  struct fixture fixtures[3];
  struct ring rings[3];
  struct ring_set set = {.rings = rings, .count = 3};
  for (int i = 0; i < 3; i++)
    make(&fixtures[i]);
  write_record(&fixtures[0], 32, 10);
  write_record(&fixtures[0], 32, 40);
  write_record(&fixtures[1], 32, 20);
  write_record(&fixtures[1], 32, 30);
  write_record(&fixtures[1], 32, 60);
  for (int i = 0; i < 3; i++)
    rings[i] = fixtures[i].ring;
  ring_set_look(&set);
  uint64_t expected[] = {10, 20, 30, 40};
  for (int i = 0; i < 4; i++) {
    struct ring *ring = ring_set_next(&set, 60);
    CHECK(ring);
    if (!ring) break;
    CHECK_EQUAL(ring->time, expected[i]);
    ring_pass(ring);
  }
  CHECK(!ring_set_next(&set, 60)); /* perhaps others of that time are still to come */
  CHECK(ring_set_next(&set, 61) == &rings[1]);
  for (int i = 0; i < 3; i++)
    drop(&fixtures[i]);
}

int main(void) {
  records_in_turn();
  split_by_the_end();
  nonsense();
  merged();
  return check_result();
}
