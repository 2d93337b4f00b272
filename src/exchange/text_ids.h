/* Texts as numbers, for formats that write each text once. */
#ifndef ASCRIBE_EXCHANGE_TEXT_IDS_H
#define ASCRIBE_EXCHANGE_TEXT_IDS_H

#include "base/map.h"
#include "base/pool.h"

/* All zeros but for `pool`: no texts. */
struct text_ids {
  struct pool *pool; /* the texts are its own */
  struct map ids, known;
  const char **texts;
  size_t count;
};

/* The number of a text: 0, 1, ... in the order in which they come. */
uint32_t text_id(struct text_ids *texts, const char *text);

/* The same for a text of the profile, which stays where it is and need not be clean
 * (export_names.h).  Null is "". */
uint32_t text_id_of_profile(struct text_ids *texts, const char *text);

/* Frees all but the pool. */
void text_ids_free(struct text_ids *texts);

#endif
