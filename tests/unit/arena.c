#include "base/arena.h"

#include "check.h"

int main(void) {
  struct arena arena = {0};
  char *texts[5000];
  for (size_t i = 0; i < 5000; i++) {
    char text[40];
    int length = snprintf(text, sizeof text, "text %zu", i);
    texts[i] = arena_text(&arena, text, (size_t)length);
    CHECK_EQUAL((uintptr_t)texts[i] % 8, 0);
  }
  for (size_t i = 0; i < 5000; i++) {
    char text[40];
    snprintf(text, sizeof text, "text %zu", i);
    CHECK_TEXT(texts[i], text);
  }
  char *large = arena_take(&arena, 100 << 20);
  CHECK(large != NULL);
  large[(100 << 20) - 1] = 1;
  CHECK(arena_take(&arena, 0) != NULL);
  CHECK(arena_take(&arena, 1000) != NULL);
  arena_free(&arena);
  CHECK(arena_take(&arena, 16) != NULL);
  arena_free(&arena);
  return check_result();
}
