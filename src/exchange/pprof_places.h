/* The texts, functions and locations of a pprof profile: numbered when they are first mentioned,
 * written at its end. */
#ifndef ASCRIBE_EXCHANGE_PPROF_PLACES_H
#define ASCRIBE_EXCHANGE_PPROF_PLACES_H

#include "exchange/calling_lines.h"
#include "exchange/text_ids.h"

/* A function as it stands in one file: code of other files is inlined into it. */
struct function_in_file {
  uint32_t function;
  uint32_t file; /* text */
};

struct pprof_place {
  uint32_t function; /* index in `functions` */
  uint32_t line;     /* 0: not known */
};

struct pprof_places {
  const struct export_data *data;
  struct text_ids texts;
  struct map function_ids, location_ids;
  struct function_in_file *functions;
  struct pprof_place *locations;
  size_t function_count, location_count;
};

void pprof_places_open(struct pprof_places *places, const struct export_data *data);
void pprof_places_close(struct pprof_places *places);

/* The id of a function, or of PATH_HOLE, at a line. */
uint64_t pprof_location(struct pprof_places *places, uint32_t function, struct source_line line);

/* Write all of them. No id may be asked for afterwards. */
void pprof_places_write(struct pprof_places *places, FILE *out);

#endif
