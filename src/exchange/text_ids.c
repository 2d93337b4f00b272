#include "exchange/text_ids.h"

#include <stdlib.h>

#include "exchange/export_names.h"

uint32_t text_id(struct text_ids *texts, const char *text) {
  const char *own = pool_string(texts->pool, text); /* equal texts have equal addresses */
  uint32_t id = map_find_or_add(&texts->ids, (uintptr_t)own, 0, texts->count);
  if (id == texts->count) {
    ARRAY_GROW(texts->texts, texts->count);
    texts->texts[texts->count++] = own;
  }
  return id;
}

uint32_t text_id_of_profile(struct text_ids *texts, const char *text) {
  uint32_t id = map_find(&texts->known, (uintptr_t)text, 0);
  if (id != UINT32_MAX) return id;
  id = text_id(texts, text ? export_clean(texts->pool, text) : "");
  return map_find_or_add(&texts->known, (uintptr_t)text, 0, id);
}

void text_ids_free(struct text_ids *texts) {
  map_free(&texts->ids);
  map_free(&texts->known);
  free(texts->texts);
}
