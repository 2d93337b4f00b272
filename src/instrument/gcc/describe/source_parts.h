// Finding the parts of the source that are described: expressions, conditions, switches, loops,
// lines.
#ifndef ASCRIBE_INSTRUMENT_GCC_SOURCE_PARTS_H
#define ASCRIBE_INSTRUMENT_GCC_SOURCE_PARTS_H

#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"

namespace ascribe {

// expressions.cc: which source the pieces came from; before there are counters.
struct counted_function;
struct counted_range;
void describe_expressions(const flow_graph &graph, counted_function &counted);
counted_range describe_range(location_t start, location_t finish, unsigned kind, size_t origin);

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
size_t macro_origin(counted_function &counted, size_t inlined, const line_map_macro *macro);

// gone.cc: ranges that optimisation left nothing of. Each function is noted before it
// has a flow graph; what is left of ranges and of calls (by their own location) when it is
// compiled.
void note_written(function *fun);
void note_left(location_t location);
void note_call_left(location_t call);
void note_left_uncounted(function *fun);
void describe_gone(std::vector<counted_function> &counted);

// loops.cc: loops that the function has after optimisation.
struct counted_loop {
  location_t condition; // of going on with it; 0: not known
  // All of them together.
  std::vector<edge> entries;
  std::vector<edge> trips; // ways into its body; empty: as often as its first block
  basic_block first;
  std::vector<basic_block> body;
};
std::vector<counted_loop> find_loops(function *fun);

// conditions.cc: whether a condition holds when the one that was written does. Those are
// noted before the function has a flow graph.
enum condition_sense { SENSE_UNKNOWN, AS_WRITTEN, TURNED_ROUND };
void note_conditions(function *fun);
condition_sense sense_of(gcond *condition);

// switches.cc: which values of a `switch` lead where.
struct counted_case {
  std::vector<std::string> values;
  std::string other;      // "default", if it is all other values (too); else empty
  location_t place;       // of the label, or 0
  std::vector<edge> ways; // together as often as it was chosen
};
struct counted_switch {
  location_t location, place;      // of its statement; where that is written
  std::vector<counted_case> cases; // empty: not known
  std::set<gimple *> statements;   // that it consists of
};
// As the front end made the function; then, before it has a flow graph, what GCC lost of that.
void note_written_switches(void *function, void *);
void place_switches(function *fun);
// Before switches are lowered, where the first time counts; and when the function is counted.
void note_switches(function *fun);
std::vector<counted_switch> find_switches(function *fun);
// Those that share a way, and those of one text, are one; what has no way is left out.
std::vector<counted_case> united(const std::vector<counted_case> &cases);
std::string case_text(const counted_case &one);

// copies.cc: which passes copied a statement within its function, as number of a set of
// their names; 0: none is known. Copies are seen from here on; those of a function are known until
// they are forgotten.
void watch_copies();
unsigned copied_by(function *fun, gimple *statement);
bool had_copies(function *fun, gimple *statement); // ever
unsigned copied_by_both(unsigned one, unsigned other);
size_t text_of_passes(unsigned set); // "loop unswitching, vectorization"
void forget_copies(function *fun);

// blocks.cc: the blocks that copies are told apart by. The number of one, from 1 on, in
// which a copy is that passes made (0: an original), with its family; and where they are, once all
// have numbers, which are their discriminators then.
size_t block_number(counted_function &counted, basic_block block, unsigned passes, size_t family);
void describe_blocks(function *fun, const std::vector<counted_loop> &loops,
                     counted_function &counted);

// lines.cc: how often lines were executed follows from which pieces.
void describe_lines(function *fun, const flow_graph &graph, counted_function &counted);

} // namespace ascribe

#endif
