// The description of a unit's counters: which flow, call, range and line each of them counts.
#ifndef ASCRIBE_INSTRUMENT_GCC_DESCRIPTION_H
#define ASCRIBE_INSTRUMENT_GCC_DESCRIPTION_H

#include "instrument/common/counted_unit.h"

#include "instrument/gcc/counters/counter_graph.h"

namespace ascribe {

// descriptions.cc: what the unit counts, and its counters.
size_t text(const char *string);    // its number; 0: none
size_t path_text(const char *path); // as debug information has it (-ffile-prefix-map)
const char *linkage_name(tree decl);
counted_function describe_function(function *fun);
void add_code(counted_function &function, const flow_graph &graph); // to its checksum
void add_flow(counted_function &function, size_t from, size_t to, size_t counter);
void add_point(counted_function &function, unsigned kind, gcall *call, size_t flow, size_t cell);
size_t next_counter();
size_t new_counters(size_t count); // the first of them, next_counter()
void keep_description(const counted_function &function);
bool any_description();
void emit_descriptions();

} // namespace ascribe

#endif
