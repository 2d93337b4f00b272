/* The tables of a pprof file: what its samples refer to.
 * Source: https://github.com/google/pprof/blob/main/proto/profile.proto. */
#ifndef ASCRIBE_EXCHANGE_PPROF_TABLES_H
#define ASCRIBE_EXCHANGE_PPROF_TABLES_H

#include "base/error.h"
#include "base/map.h"
#include "base/pool.h"
#include "exchange/protobuf_reader.h"

/* Texts are indices of the string table, checked to be in it. */
struct pprof_value_type {
  uint32_t type, unit;
};

struct pprof_mapping {
  uint64_t start, limit, file_offset;
  uint32_t path, build_id;
};

struct pprof_function {
  uint32_t name, linkage, file;
  uint32_t line;
};

struct pprof_location {
  uint64_t address;
  uint32_t mapping;            /* index, or UINT32_MAX */
  struct protobuf_input lines; /* the message again, for its lines */
};

struct pprof_tables {
  const char *name; /* of the file, for messages */
  const unsigned char *bytes;
  struct pool *pool; /* owns the texts that are asked for */
  struct protobuf_input *texts;
  struct pprof_value_type *types;
  struct pprof_mapping *mappings;
  struct pprof_function *functions;
  struct pprof_location *locations;
  struct protobuf_input *samples;
  size_t text_count, type_count, mapping_count, function_count, location_count, sample_count;
  struct map mapping_ids, function_ids, location_ids; /* the file's ids -> indices */
  uint64_t time_ns, duration_ns;
  uint32_t default_type; /* text */
};

/* Read all tables; the bytes must stay. Strings go to `pool`. To be freed also on failure. */
int pprof_tables_read(struct pprof_tables *tables, const char *name, const unsigned char *bytes,
                      size_t count, struct pool *pool, struct error *error);
void pprof_tables_free(struct pprof_tables *tables);

/* A text as a string of the pool. */
const char *pprof_text(const struct pprof_tables *tables, uint32_t text);

/* The text of a number that was read, 0 ("") where there is none such. */
uint32_t pprof_text_index(const struct pprof_tables *tables, uint64_t number);

/* "NAME: ..., at byte N of the profile". Returns -1. */
int pprof_error(const struct pprof_tables *tables, const unsigned char *at, const char *what,
                struct error *error);

#endif
