/* The functions with counters of an object, as far as its descriptions can be read. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_OBJECT_H
#define ASCRIBE_ATTRIBUTION_COUNTED_OBJECT_H

#include "attribution/recorded/places.h"
#include "base/hash_index.h"
#include "symbols/counted_code.h"
#include "symbols/linkage.h"

struct counted_object {
  struct counted_code_list list;
  struct linkage linkage;
  struct map cells; /* link-time address of a call's cell -> index of its function in `list` */
};

/* Where there are no descriptions that make sense the list is empty, and the object of the profile
 * gets a message. */
void counted_object_read(struct places *places, uint32_t object, struct counted_object *made);
void counted_object_free(struct counted_object *object);

/* Notes a message about an object of the profile. */
void counted_object_say(struct profile *profile, uint32_t object, const char *what);

/* A call through a pointer, as the recording tells it: by the address of its function plus its
 * number among the function's such calls (CALL_INDIRECT), or by the address of its cell; both are
 * link-time ones. Returns its function and `*number`, that of its point, or null. */
const struct counted_code *counted_object_site(const struct counted_object *object,
                                               uint64_t address, uint32_t *number);
const struct counted_code *counted_object_cell(const struct counted_object *object, uint64_t cell,
                                               uint32_t *number);

#endif
