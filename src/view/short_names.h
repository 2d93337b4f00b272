/* Names of functions that are too long for a row, and how they are written there: as in the
 * terminal's report (symbols/name_parts.h).  An answer has those that it mentions. */
#ifndef ASCRIBE_VIEW_SHORT_NAMES_H
#define ASCRIBE_VIEW_SHORT_NAMES_H

#include <stdbool.h>

#include "base/hash_index.h"
#include "base/json.h"
#include "symbols/name_parts.h"

struct view;

/* Longer names have a short one. */
enum { SHORT_NAME_COLUMNS = 56 };

/* Of all functions of a view's profiles, those with long names. All zeros: not needed yet. */
struct short_names {
  bool known;
  char **names; /* each once */
  struct name_part *telling;
  size_t count;
  struct hash_index index;
  uint32_t *met; /* those that the answer has so far */
  bool *is_met;
  size_t met_count;
};

/* The beginning of an answer: the view notes which long names are written into it, until the
 * next answer begins. */
struct json short_names_note(struct view *view, FILE *out);

/* Write "short": an object of the long names that were noted so far, each with its short one. */
void short_names_write(struct json *json);

void short_names_free(struct short_names *names);

#endif
