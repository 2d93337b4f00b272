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

uint32_t history_fold(uint32_t *history, uint32_t length) {
  return history_settle(history, join_neighbours(history, length));
}
