/* What the code of a recorded program says about its tail calls, read where it is asked for. */
#ifndef ASCRIBE_ATTRIBUTION_TAIL_CODE_H
#define ASCRIBE_ATTRIBUTION_TAIL_CODE_H

#include "attribution/recorded/places.h"
#include "attribution/tail_calls/tail_chains.h"

struct jump_list;
struct unmet_code;

struct tail_code_reader {
  struct tail_code code; /* for the search; its data is the reader */
  struct places *places;
  struct map lists_by_id; /* id -> its list */
  struct jump_list *lists;
  struct map unmet_ids; /* (object, address) -> unmet code */
  struct unmet_code *unmet;
  struct map by_linkage; /* linkage name -> function with hooks, or SEVERAL of them */
  bool names_read;
  size_t *first_place; /* by function: where its places begin in by_function; one more at the end */
  uint32_t *by_function; /* places, grouped by function; null: not read yet */
  size_t list_count, unmet_count;
};

/* `places` have met all functions of the profile, and stay open; so does the reader in its place
 * until it is closed. */
void tail_code_open(struct tail_code_reader *reader, struct places *places);
void tail_code_close(struct tail_code_reader *reader);

#endif
