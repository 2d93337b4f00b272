/* What the objects of a profile say about a source file: how old they are, and who vouches for its
 * name. */
#ifndef ASCRIBE_STORE_SOURCE_ORIGIN_H
#define ASCRIBE_STORE_SOURCE_ORIGIN_H

#include <sys/types.h>

#include "base/map.h"
#include "profile/profile.h"
#include "store/source_text.h"

/* By source file the objects that have code of it, as these objects are on disk now. */
struct source_origins {
  struct source_origin *origins; /* source_origin.c */
  size_t count;
  struct map by_path;        /* the profile's pointer -> index */
  struct source_claim claim; /* what holds for every file: the recorded processes */
};

void source_origins_open(struct source_origins *origins, const struct profile *profile);
void source_origins_close(struct source_origins *origins);

/* On whose word the file is read. `path` is the profile's own pointer. */
struct source_claim source_claim_of(const struct source_origins *origins, const char *path);

/* True if the file on disk is newer than an object that has code of it: the lines may be others
 * by now. `path` is the profile's own pointer. */
bool source_is_newer(const struct source_origins *origins, const char *path);

#endif
