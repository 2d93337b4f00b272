// The description of a unit's counters: which flow, call, range and line each of them counts.
#ifndef ASCRIBE_INSTRUMENT_GCC_DESCRIPTION_H
#define ASCRIBE_INSTRUMENT_GCC_DESCRIPTION_H

#include "instrument/gcc/counters/counter_graph.h"

namespace ascribe {

// descriptions.cc: what the unit counts, and its counters.
struct counted_point {
  unsigned kind;      // enum point_kind
  size_t flow;        // index in the function's
  size_t cell;        // of a call through a pointer: its first counter
  std::string callee; // assembler name, or empty
  size_t name, file;  // numbers of texts
  unsigned line, column;
  size_t origin; // as of a counted_range
};
struct counted_flow {
  size_t from, to, counter; // as in the section
};
struct counted_origin { // a function that was inlined, a macro that was expanded
  unsigned kind;        // enum origin_kind
  size_t parent;        // number of what it stands in, 0: the function itself
  size_t name, file;    // of the definition
  unsigned line;
  size_t call_file;
  unsigned call_line, call_column;
};
struct counted_range {
  unsigned kind;
  size_t origin; // 0, or number of a counted_origin
  size_t file;
  unsigned line, column, end_line, end_column;
  std::vector<size_t> flows; // that add up to its count
  // Of a RANGE_CASE: of which switch, from 0, where several have the range; its text; the line of
  // the label, or 0.
  size_t which, label;
  unsigned label_line;
};
struct counted_step { // from one place of a line to another
  size_t from, to;    // indices of places
  size_t flow;
};
struct counted_line {
  size_t file;
  unsigned line;
  std::vector<size_t> places; // flows
  std::vector<counted_step> steps;
};
struct counted_function {
  std::string symbol; // assembler name
  size_t label;       // callee_label, after optimisation
  size_t name;
  size_t file; // of its definition
  unsigned line;
  bool is_public;
  uint64_t code;                  // checksum of its name and statements
  std::map<size_t, size_t> nodes; // their numbers in the section
  std::vector<counted_flow> flows;
  std::vector<counted_point> points;
  std::vector<counted_origin> origins;       // the first is number 1
  std::map<const void *, size_t> scopes;     // inlined ones that have numbers
  std::map<const void *, size_t> expansions; // macros that have numbers
  std::vector<counted_range> ranges;
  std::vector<counted_line> lines;
};
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

// section.cc: the same, written.
struct counted_unit {
  const std::vector<counted_function> &functions;
  const std::vector<std::string> &texts;
  size_t directory; // a text: where relative paths begin
  size_t counters;
  uint64_t checksum;
};
void emit_section(const counted_unit &unit);

} // namespace ascribe

#endif
