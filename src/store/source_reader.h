/* The source texts that a profile file keeps. */
#ifndef ASCRIBE_STORE_SOURCE_READER_H
#define ASCRIBE_STORE_SOURCE_READER_H

#include "store/database.h"
#include "store/store.h"

struct source_reader {
  const char *profile; /* path, for messages */
  sqlite3 *database;
  sqlite3_stmt *statement;
};

/* To be closed also on failure. */
int source_reader_open(struct source_reader *reader, const char *profile, struct error *error);
void source_reader_close(struct source_reader *reader);

/* As store_source. */
int source_reader_get(struct source_reader *reader, const char *path, struct source_copy *copy,
                      struct error *error);

#endif
