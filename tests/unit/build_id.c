/* The build-id of this test, and of damaged copies of it. */
#include "outside/build_id.h"

#include <elf.h>
#include <stdlib.h>

#include "check.h"

static uint8_t *read_self(uint64_t *bytes) {
  FILE *file = fopen("/proc/self/exe", "re");
  fseek(file, 0, SEEK_END);
  *bytes = (uint64_t)ftell(file);
  rewind(file);
  uint8_t *image = malloc(*bytes);
  CHECK_EQUAL(fread(image, 1, *bytes, file), *bytes);
  fclose(file);
  return image;
}

/* In bytes that end where they say: reading on is an error that the sanitizer sees. */
static void shorter(const uint8_t *image, uint64_t bytes) {
  const uint8_t *found;
  uint8_t *copy = malloc(bytes ? bytes : 1);
  memcpy(copy, image, bytes);
  build_id_find(copy, bytes, &found);
  free(copy);
}

static void damaged(const uint8_t *image, uint64_t bytes) {
  const uint8_t *found;
  uint8_t *copy = malloc(bytes);
  srand(1);
  for (int round = 0; round < 2000; round++) {
    memcpy(copy, image, bytes);
    for (int i = 0; i < 8; i++)
      copy[rand() % 1024] = (uint8_t)(rand() % 3 ? rand() : 0xff);
    uint32_t length = build_id_find(copy, bytes, &found);
    CHECK(length <= BUILD_ID_MOST);
    if (length) CHECK(found >= copy && found + length <= copy + bytes);
  }
  free(copy);
}

int main(void) {
  uint64_t bytes;
  uint8_t *image = read_self(&bytes);
  const uint8_t *found = NULL;
  CHECK_EQUAL(build_id_find(image, bytes, &found), 20);
  CHECK(found > image && found + 20 <= image + bytes);
  for (uint64_t length = 0; length < 1200 && length < bytes; length++)
    shorter(image, length);
  damaged(image, bytes);
  image[EI_CLASS] = ELFCLASS32;
  CHECK_EQUAL(build_id_find(image, bytes, &found), 0);
  free(image);
  return check_result();
}
