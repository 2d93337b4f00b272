/* A piece of machine code as text: an instruction a row, what it cost on the left, jumps as arrows,
 * the source on the right. */
#ifndef ASCRIBE_REPORT_CODE_PAGE_H
#define ASCRIBE_REPORT_CODE_PAGE_H

#include "report/code_pieces.h"
#include "report/listing.h"
#include "report/source_cache.h"

void code_page_print(const struct listing *listing, const struct code_piece *piece,
                     struct source_cache *sources);

#endif
