#include "attribution/fold.h"

#include "recording/history.h"

static uint32_t join_neighbours(uint32_t *history, uint32_t length) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < length; i++) {
    if (n && history_function(history[n - 1]) == history_function(history[i]))
      history[n - 1] |= history[i] & HISTORY_MARK;
    else
      history[n++] = history[i];
  }
  return n;
}

static bool is_active_later(const uint32_t *history, uint32_t length, uint32_t entry) {
  for (uint32_t i = 0; i < length; i++)
    if (history[i] == entry) return true;
  return false;
}

uint32_t history_fold(uint32_t *history, uint32_t length) {
  length = join_neighbours(history, length);
  uint32_t n = 0;
  for (uint32_t i = 0; i < length; i++) {
    uint32_t entry = history[i];
    if (history_marked(entry) && is_active_later(history + i + 1, length - i - 1, entry))
      entry = history_entry(history_function(entry), false);
    if (history_marked(entry))
      history[n++] = entry;
    else
      n = history_append_unmarked(history, n, entry);
  }
  return n;
}
