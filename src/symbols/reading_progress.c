#include "symbols/reading_progress.h"

static void (*watching)(const struct symbols_progress *progress);

void symbols_watch(void (*watch)(const struct symbols_progress *progress)) {
  watching = watch;
}

void symbols_say_progress(const char *path, size_t units_read, size_t unit_count) {
  if (watching) watching(&(struct symbols_progress){path, units_read, unit_count});
}
