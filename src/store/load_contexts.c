#include <stdlib.h>
#include <string.h>

#include "profile/context_table.h"
#include "recording/history.h"
#include "store/loader.h"

/* Histories are stored as steps, so a small file could spell out any amount of them. */
#define MOST_HISTORY_ENTRIES (UINT64_C(1) << 28)

static uint32_t *history_room(struct loader *loader, size_t length) {
  ARRAY_ROOM(loader->history, length);
  return loader->history;
}

/* [3,-1,2]: see writer.c. Returns the length, 0 if it is not such a text. */
static uint32_t parse_history(struct loader *loader, const char *text) {
  uint32_t length = 0;
  if (*text != '[') return 0;
  while (*text != ']') {
    char *end;
    long long number = strtoll(text + 1, &end, 10);
    uint64_t id = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (end == text + 1 || id == 0 || id > loader->contexts_of->function_count ||
        (*end != ',' && *end != ']'))
      return 0;
    history_room(loader, length + 1)[length] = history_entry(id - 1, number > 0);
    length++;
    text = end;
  }
  return length;
}

static uint32_t inherit_history(struct loader *loader, uint32_t parent, uint32_t function) {
  const struct profile_context *from = &loader->contexts_of->contexts[parent];
  uint32_t *history = history_room(loader, (size_t)from->length + 1);
  if (from->length) memcpy(history, from->history, from->length * sizeof *history);
  history[from->length] = history_entry(function, true);
  return from->length + 1;
}

/* Costs rely on it: the running function is marked, and no function is marked twice. */
static bool is_history(struct loader *loader, uint32_t length, uint32_t stamp) {
  for (uint32_t i = 0; i < length; i++) {
    if (!history_marked(loader->history[i])) continue;
    uint32_t *seen = &loader->marked_in[history_function(loader->history[i])];
    if (*seen == stamp) return false;
    *seen = stamp;
  }
  return !length || history_marked(loader->history[length - 1]);
}

static void take_context(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->contexts_of;
  loader_expect_id(row, profile->context_count);
  uint32_t thread = get_id(row, loader->profile->thread_count);
  uint32_t parent = get_optional_id(row, profile->context_count);
  uint32_t function = get_optional_id(row, profile->function_count);
  uint32_t depth = get_number(row, UINT32_MAX >> 2);
  const char *text = get_optional_text(row);
  uint32_t length = 0;
  if (row->damaged) return;
  if (parent != NOTHING && function != NOTHING)
    length = inherit_history(loader, parent, function);
  else if (text)
    length = parse_history(loader, text);
  loader->history_entries += length;
  if (length != depth || loader->history_entries > MOST_HISTORY_ENTRIES ||
      !is_history(loader, length, profile->context_count + 1)) {
    row->damaged = true;
    return;
  }
  profile_add_context(profile, thread, loader->history, length);
}

static int read_contexts(struct loader *loader, struct profile *of, const char *sql) {
  loader->contexts_of = of;
  loader->marked_in = memory_zeroed(of->function_count, sizeof *loader->marked_in);
  int result = loader_rows(loader, sql, take_context);
  free(loader->marked_in);
  loader->marked_in = NULL;
  return result;
}

int loader_contexts(struct loader *loader) {
  return read_contexts(loader, loader->profile,
                       "SELECT id, thread, parent, function, depth, history"
                       " FROM raw_contexts ORDER BY id");
}

int loader_centre_contexts(struct loader *loader) {
  return read_contexts(loader, loader->profile->centres,
                       "SELECT id, thread, parent, centre, depth, history"
                       " FROM raw_centre_contexts ORDER BY id");
}
