// Finding the parts of the source that are described: expressions, conditions, switches, loops,
// lines.
#ifndef ASCRIBE_INSTRUMENT_GCC_SOURCE_PARTS_H
#define ASCRIBE_INSTRUMENT_GCC_SOURCE_PARTS_H

#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"

namespace ascribe {

// expressions.cc: which source the pieces came from; before there are counters.
void describe_expressions(function *fun, const flow_graph &graph, counted_function &counted);

// origins.cc: through which calls and macros code came to where it stands, as numbers of
// origins of the function.
size_t inlined_origin(counted_function &counted, location_t location);
// Where text stands that macros may have made: in the file as far as it was written there as a
// whole, in the definition of a macro else.
struct written_text {
  location_t start, finish;    // plain ones
  const line_map_macro *macro; // the expansion whose text it is, or null
};
written_text text_written(location_t start, location_t finish);
size_t macro_origin(counted_function &counted, const line_map_macro *macro);

// loops.cc: the function's loops whose condition of going on is known.
struct counted_loop {
  location_t condition;
  // All of them together.
  std::vector<edge> entries;
  std::vector<edge> trips; // ways into its body; empty: as often as its first block
  basic_block first;
};
std::vector<counted_loop> find_loops(function *fun);

// switches.cc: which values of a `switch` lead where.
struct counted_case {
  std::vector<std::string> values;
  std::string other;      // "default", if it is all other values (too); else empty
  location_t place;       // of the label, or 0
  std::vector<edge> ways; // together as often as it was chosen
};
struct counted_switch {
  location_t place; // where its statement is written
  std::vector<counted_case> cases;
};
// As the front end made the function: what GCC loses of that.
void note_written_switches(void *function, void *);

// allocations.cc: the types of the blocks that a function allocates, as the front end has it; and,
// when all functions are known, the section that says so.
void note_allocations(void *function, void *);
void add_allocation_types(void *, void *);
std::vector<counted_switch> find_switches(function *fun);
// Those of one text are one.
std::vector<counted_case> united(const std::vector<counted_case> &cases);
std::string case_text(const counted_case &one);

// lines.cc: how often lines were executed follows from which pieces.
void describe_lines(function *fun, const flow_graph &graph, counted_function &counted);

} // namespace ascribe

#endif
