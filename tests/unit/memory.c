#include "base/memory.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "check.h"

enum { ELEMENTS = 100000 };

/* Arrays that grow together have each its own room; few of all additions move one. */
static void arrays_grow_together(void) {
  uint64_t *wide = NULL;
  uint8_t *narrow = NULL;
  size_t moves = 0;
  for (uint32_t i = 0; i < ELEMENTS; i++) {
    const void *before = wide;
    ARRAY_GROW(wide, i);
    ARRAY_GROW(narrow, i);
    moves += wide != before;
    wide[i] = i * 3ull;
    narrow[i] = (uint8_t)i;
  }
  CHECK(moves < 20);
  for (uint32_t i = 0; i < ELEMENTS; i++) {
    if (wide[i] != i * 3ull) CHECK_EQUAL(wide[i], i * 3ull);
    if (narrow[i] != (uint8_t)i) CHECK_EQUAL(narrow[i], (uint8_t)i);
  }
  free(wide);
  free(narrow);
}

static void room_is_what_was_asked_for(void) {
  char *text = memory_text("grows");
  ARRAY_ROOM(text, 1000);
  CHECK_TEXT(text, "grows");
  const char *before = text;
  ARRAY_ROOM(text, 500);
  CHECK(text == before);
  text[999] = '\0';
  free(text);
}

static void texts_are_copied(void) {
  char *part = memory_text_part("abc", 2), *printed = memory_printed("%s-%d", "abc", 7);
  CHECK_TEXT(part, "ab");
  CHECK_TEXT(printed, "abc-7");
  free(part);
  free(printed);
  uint32_t *none = memory_zeroed(0, sizeof *none);
  CHECK(none != NULL);
  free(none);
}

/* In a process of its own, as it ends that. */
static int status_of(void (*work)(void)) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    fclose(stderr);
    work();
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void zero_too_much(void) {
  free(memory_zeroed(SIZE_MAX, 2));
}

static void grow_too_much(void) {
  uint64_t *array = NULL;
  ARRAY_ROOM(array, SIZE_MAX);
  free(array);
}

static void take_too_much(void) {
  struct arena arena = {0};
  arena_take(&arena, SIZE_MAX);
  arena_free(&arena);
}

int main(void) {
  arrays_grow_together();
  room_is_what_was_asked_for();
  texts_are_copied();
  CHECK_EQUAL(status_of(zero_too_much), 1);
  CHECK_EQUAL(status_of(grow_too_much), 1);
  CHECK_EQUAL(status_of(take_too_much), 1);
  return check_result();
}
