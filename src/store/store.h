/* The profile as a file: one SQLite database (docs/PROFILE.md). */
#ifndef ASCRIBE_STORE_STORE_H
#define ASCRIBE_STORE_STORE_H

#include "attribution/profile.h"

/* Write the profile to `path`.  It is written beside it under another name and moved into place
 * when complete; a file that stood there becomes PATH.old.  On failure nothing is left behind and
 * the older file stays as it was. */
int store_save(const struct profile *profile, const char *path, struct error *error);

/* Read the profile back.  Nothing in the file is believed unchecked: a foreign, newer or damaged
 * one fails with one line.  The profile is the caller's. */
int store_load(const char *path, struct profile **profile, struct error *error);

/* Whether the file at `path` begins as an SQLite file does. 0 also when it cannot be read. */
int store_is_file(const char *path);

#endif
