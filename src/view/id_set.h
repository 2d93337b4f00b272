/* A set of ids of functions or files: of those whose name passes a filter. */
#ifndef ASCRIBE_VIEW_ID_SET_H
#define ASCRIBE_VIEW_ID_SET_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "view/naming.h"

struct id_set {
  bool *has; /* from 0 on */
  size_t size;
  bool none; /* what has no id belongs to it, too */
};

static inline bool id_set_has(const struct id_set *set, double id) {
  if (isnan(id)) return set->none;
  return id >= 0 && id < (double)set->size && set->has[(size_t)id];
}

/* Add the ids "1,2,3". */
void id_set_add_list(struct id_set *set, const char *ids);

/* Add those whose name holds the text, in any case; of functions also what has none, if
 * "<spontaneous>" does, as a caller that is not known is called.  0, or -1 with the reason. */
int id_set_add_filtered(struct id_set *set, struct workspace *workspace, size_t profile,
                        enum naming naming, const char *filter, struct error *error);

/* Add the files of this path. */
int id_set_add_path(struct id_set *set, struct workspace *workspace, size_t profile,
                    const char *path, struct error *error);

/* Add an id. */
void id_set_add(struct id_set *set, int64_t id);

void id_set_free(struct id_set *set);

#endif
