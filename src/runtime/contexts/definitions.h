/* What the keys of a world mean, written to the recording (recording/layout.h). No lock: any
 * thread, hook or signal handler. */
#ifndef ASCRIBE_RUNTIME_DEFINITIONS_H
#define ASCRIBE_RUNTIME_DEFINITIONS_H

#include "recording/layout.h"

#define DEFINITION_TEXT_MOST 1000 /* bytes of a text that count */

/* Where the definitions of a world go. All zeros but for the number, at first and in a forked
 * child. */
struct definitions {
  uint32_t world;
  struct block_header *block; /* atomic */
};

/* How many bytes of the text count; null is "". */
uint32_t definition_text_bytes(const char *text);

/* A record with the texts, without key and kind: readers pass over it until it has its kind, which
 * is to be written last. Null: there is no room. */
struct recorded_definition *definition_write(struct definitions *definitions,
                                             const char *const *texts, uint32_t count);

#endif
