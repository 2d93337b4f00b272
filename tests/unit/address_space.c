/* What lies where, after mappings over mappings and in forked children. */
#include "outside/address_space.h"

#include "check.h"

static struct object_file first = {.build_id_bytes = 2, .build_id = (const uint8_t *)"ab"};
static struct object_file second;

static void map(struct address_space *space, const struct object_file *file, uint64_t start,
                uint64_t end, uint64_t offset) {
  struct kernel_mapping mapping = {.start = start, .end = end, .offset = offset};
  address_space_map(space, &mapping, file);
}

static const struct object_file *file_at(const struct address_space *space, uint64_t address) {
  uint32_t at = address_space_find(space, address);
  return at == NOTHING ? NULL : space->mapped[at].file;
}

static const struct object_entry *object_at(const struct address_space *space, uint64_t address) {
  return &space->objects[space->mapped[address_space_find(space, address)].object];
}

static void ordered(void) {
  struct address_space space = {0};
  map(&space, &second, 0x3000, 0x4000, 0);
  map(&space, &first, 0x1000, 0x2000, 0x100);
  map(&space, NULL, 0x2000, 0x3000, 0); /* no file's */
  CHECK_EQUAL(space.count, 3);
  CHECK_EQUAL(space.object_count, 2);
  CHECK(file_at(&space, 0x1fff) == &first);
  CHECK(file_at(&space, 0x3000) == &second);
  CHECK(file_at(&space, 0x2000) == NULL);
  CHECK(address_space_find(&space, 0x2000) != NOTHING);
  CHECK_EQUAL(address_space_find(&space, 0xfff), NOTHING);
  CHECK_EQUAL(address_space_find(&space, 0x4000), NOTHING);
  CHECK_EQUAL(object_at(&space, 0x1000)->build_id_bytes, 2);
  CHECK_EQUAL(object_at(&space, 0x1000)->build_id[1], 'b');
  address_space_close(&space);
}

static void replaced(void) {
  struct address_space space = {0};
  map(&space, &first, 0x1000, 0x2000, 0);
  uint64_t before = space.epoch, generation = space.generation;
  map(&space, &second, 0x1000, 0x2000, 0);
  CHECK(file_at(&space, 0x1800) == &second);
  CHECK_EQUAL(space.object_count, 2);
  CHECK_EQUAL(space.objects[0].unloaded, space.epoch);
  CHECK_EQUAL(space.objects[1].loaded, space.epoch);
  CHECK_EQUAL(space.objects[1].unloaded, UINT64_MAX);
  CHECK(space.epoch > before);
  CHECK(space.generation != generation);
  address_space_close(&space);
}

/* Told of twice, as what was mapped while the list was read. */
static void known_already(void) {
  struct address_space space = {0};
  map(&space, &first, 0x1000, 0x2000, 0);
  uint64_t epoch = space.epoch;
  map(&space, &first, 0x1000, 0x2000, 0);
  CHECK_EQUAL(space.epoch, epoch);
  CHECK_EQUAL(space.object_count, 1);
  address_space_close(&space);
}

/* Its parts on both sides stay, with their places in the file. */
static void mapped_over_the_middle(void) {
  struct address_space space = {0};
  map(&space, &first, 0x1000, 0x9000, 0x100);
  map(&space, &second, 0x3000, 0x4000, 0);
  CHECK_EQUAL(space.count, 3);
  CHECK(file_at(&space, 0x2fff) == &first);
  CHECK(file_at(&space, 0x3000) == &second);
  CHECK(file_at(&space, 0x4000) == &first);
  CHECK_EQUAL(object_at(&space, 0x4000)->offset, 0x100 + 0x3000);
  CHECK_EQUAL(object_at(&space, 0x1000)->offset, 0x100);
  map(&space, NULL, 0, 0x10000, 0);
  CHECK_EQUAL(space.count, 1);
  address_space_close(&space);
}

static void children(void) {
  struct address_space parent = {0}, child;
  map(&parent, &first, 0x1000, 0x2000, 0x100);
  map(&parent, &second, 0x1000, 0x2000, 0x200);
  map(&parent, NULL, 0x5000, 0x6000, 0);
  address_space_copy(&child, &parent);
  CHECK_EQUAL(child.count, 2);
  CHECK_EQUAL(child.object_count, 1); /* what is gone is not the child's */
  CHECK_EQUAL(child.generation, parent.generation);
  CHECK(file_at(&child, 0x1000) == &second);
  CHECK_EQUAL(object_at(&child, 0x1000)->offset, 0x200);
  map(&child, &first, 0x1000, 0x2000, 0);
  CHECK(child.generation != parent.generation);
  CHECK(file_at(&parent, 0x1000) == &second);
  address_space_close(&child);
  address_space_close(&parent);
}

static void empty_parent(void) {
  struct address_space parent = {0}, child;
  address_space_copy(&child, &parent);
  CHECK_EQUAL(address_space_find(&child, 0x1000), NOTHING);
  address_space_close(&child);
}

static void code_before_an_address(void) {
  struct object_file file = {.image = (const uint8_t *)"0123456789", .bytes = 10};
  struct address_space space = {0};
  map(&space, &file, 0x1000, 0x2000, 4);
  const uint8_t *code = address_space_code_before(&space, 0x1003, 2);
  CHECK(code && code[0] == '5' && code[1] == '6');
  CHECK(address_space_code_before(&space, 0x1006, 2));
  CHECK(!address_space_code_before(&space, 0x1007, 2)); /* beyond the file */
  CHECK(!address_space_code_before(&space, 0x1001, 2)); /* before the mapping */
  CHECK(!address_space_code_before(&space, 0x3000, 2));
  address_space_close(&space);
}

int main(void) {
  ordered();
  replaced();
  known_already();
  mapped_over_the_middle();
  children();
  empty_parent();
  code_before_an_address();
  return check_result();
}
