/* Which function a name means where it is called: as the linker bound it inside an object, or as
 * the dynamic linker looks it up among the objects of a process (ELF gABI, "Shared Object
 * Dependencies"): the executable and what it needs, breadth first, then the calling object and what
 * that needs. Of several versions of a symbol the one that the calling object asks for. A function
 * that nobody entered is not meant.
 */
#ifndef ASCRIBE_ATTRIBUTION_NAME_SCOPE_H
#define ASCRIBE_ATTRIBUTION_NAME_SCOPE_H

#include "attribution/counts/counter_values.h"
#include "base/map.h"
#include "base/pool.h"
#include "profile/profile.h"
#include "symbols/counted_code.h"
#include "symbols/linkage.h"

/* An object with counters, as it was loaded. Nothing in it belongs to the scope. */
struct named_object {
  const char *path;
  const struct linkage *linkage;
  const struct counted_code_list *list;
  const struct counter_values *values;
};

struct name_scope {
  struct pool *pool;
  const struct named_object *objects; /* in order of loading */
  size_t count;
  size_t *order; /* of each object in the search, first the executable */
  struct map names;
  uint32_t *first; /* by name: index in `named`, or NOTHING */
  size_t name_count;
  struct scope_entry *named;
  size_t named_count;
};

/* `executable`: its path. */
void name_scope_open(struct name_scope *scope, struct pool *pool,
                     const struct named_object *objects, size_t count, const char *executable);
void name_scope_close(struct name_scope *scope);

/* The function that object `from` (SIZE_MAX: any) calls by `name`; `here`: a function of the same
 * name in the calling unit, or null. False: it has no counters. */
bool name_scope_find(const struct name_scope *scope, size_t from, const char *name,
                     const struct counted_code *here, size_t *object,
                     const struct counted_code **code);

/* The code with counters at a link-time address of an object, its first byte; or null. */
const struct counted_code *named_object_code(const struct named_object *object, uint64_t address);

#endif
