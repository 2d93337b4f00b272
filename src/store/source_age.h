/* Source files that were modified after the program was built from them. */
#ifndef ASCRIBE_STORE_SOURCE_AGE_H
#define ASCRIBE_STORE_SOURCE_AGE_H

#include "attribution/map.h"
#include "attribution/profile.h"

/* By source file the oldest object that has code of it, as these objects are on disk now. */
struct source_ages {
  int64_t *built; /* ns since 1970 */
  size_t count, room;
  struct map by_path; /* the profile's pointer -> index */
};

void source_ages_open(struct source_ages *ages, const struct profile *profile);
void source_ages_close(struct source_ages *ages);

/* True if the file on disk is newer than an object that has code of it: the lines may be others
 * by now. `path` is the profile's own pointer. */
bool source_is_newer(const struct source_ages *ages, const char *path);

#endif
