/* Histories in which functions have become one. */
#include "attribution/fold.h"

#include <stdlib.h>

#include "check.h"
#include "recording/history.h"

enum { MAIN = 1, F, G, H, MOST = 128 };

#define M(function) ((uint32_t)(function) << 1 | 1)
#define U(function) ((uint32_t)(function) << 1)

static void check_fold(int line, uint32_t *history, uint32_t length, const uint32_t *expected,
                       uint32_t expected_length) {
  length = history_fold(history, length);
  check_equal(__FILE__, line, "length", length, expected_length);
  for (uint32_t i = 0; i < length && i < expected_length; i++)
    check_equal(__FILE__, line, "entry", history[i], expected[i]);
}
#define COUNT(...) (sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define LIST(...) __VA_ARGS__
#define CHECK_FOLD(before, after)                                                                  \
  check_fold(__LINE__, (uint32_t[]){before}, COUNT(before), (const uint32_t[]){after}, COUNT(after))

static void neighbours_are_one_activation(void) {
  CHECK_FOLD(LIST(M(MAIN), M(F), M(F), M(G)), LIST(M(MAIN), M(F), M(G)));
}

static void the_later_activation_is_marked(void) {
  CHECK_FOLD(LIST(M(MAIN), M(F), M(G), M(F), M(H)), LIST(M(MAIN), U(F), M(G), M(F), M(H)));
}

static void entries_without_use_go(void) {
  CHECK_FOLD(LIST(M(MAIN), U(F), M(G), U(H), M(G)), LIST(M(MAIN), U(F), U(H), M(G)));
}

static void others_stay(void) {
  CHECK_FOLD(LIST(M(MAIN), U(F), M(G), M(H), M(F)), LIST(M(MAIN), U(F), M(G), M(H), M(F)));
}

/* Stepping the merged functions, or stepping the clones and folding: the same active functions. */
static void random_clones(void) {
  srand(3);
  for (int round = 0; round < 20000; round++) {
    uint32_t clones[MOST], merged[MOST], next[MOST], clone_length = 0, merged_length = 0;
    uint32_t depth = 1 + rand() % 40;
    for (uint32_t i = 0; i < depth; i++) {
      uint32_t clone = rand() % 10, function = clone / 2;
      if (!history_is_running(clones, clone_length, clone)) {
        clone_length = history_step(clones, clone_length, clone, next);
        memcpy(clones, next, sizeof next);
      }
      if (!history_is_running(merged, merged_length, function)) {
        merged_length = history_step(merged, merged_length, function, next);
        memcpy(merged, next, sizeof next);
      }
    }
    for (uint32_t i = 0; i < clone_length; i++)
      clones[i] = history_entry(history_function(clones[i]) / 2, history_marked(clones[i]));
    clone_length = history_fold(clones, clone_length);
    uint32_t active_clones[MOST], active_merged[MOST], a = 0, b = 0;
    for (uint32_t i = 0; i < clone_length; i++)
      if (history_marked(clones[i])) active_clones[a++] = clones[i];
    for (uint32_t i = 0; i < merged_length; i++)
      if (history_marked(merged[i])) active_merged[b++] = merged[i];
    CHECK_EQUAL(a, b);
    CHECK(memcmp(active_clones, active_merged, b * sizeof *active_merged) == 0);
    if (checks_failed) return;
  }
}

int main(void) {
  neighbours_are_one_activation();
  the_later_activation_is_marked();
  entries_without_use_go();
  others_stay();
  random_clones();
  return check_result();
}
