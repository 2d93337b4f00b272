// What a compilation counts, and what counts it, as both compiler plugins describe it in an object
// (ascribe/counter_points.h, docs/FORMATS.md). No compiler's types are needed here.
#ifndef ASCRIBE_INSTRUMENT_COUNTED_UNIT_H
#define ASCRIBE_INSTRUMENT_COUNTED_UNIT_H

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

struct basic_block_def; // GCC's

namespace ascribe {

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
  bool from_source;               // counted before optimisation
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
struct counted_unit {
  const std::vector<counted_function> &functions;
  const std::vector<std::string> &texts;
  size_t directory; // a text: where relative paths begin
  size_t counters;
  uint64_t checksum;
};

// What the compiler knows of the unit's symbols, told by the names in counted_function and
// counted_point.
class unit_symbols {
public:
  virtual ~unit_symbols() = default;
  // The text of this unit has the function; one that another defines is told by its name.
  virtual bool is_defined(const std::string &symbol) const = 0;
  // The function that an alias stands for if this unit's text has that; else the symbol itself.
  virtual std::string meaning(const std::string &symbol) const = 0;
  // Other units may have the same function, and the linker keeps one.
  virtual bool has_copies(const std::string &symbol) const = 0;
  virtual void write(FILE *out, const std::string &symbol) const = 0; // as assembler text
};

// Mixes numbers and names into a checksum.
uint64_t text_hash(const char *text);
// Of all that the counts rest on, but for names of files: what is built the same elsewhere fits.
uint64_t unit_checksum(const std::vector<counted_function> &functions,
                       const std::vector<std::string> &texts, size_t counters);

// How a unit's code finds its counters (struct ascribe_unit).
enum counting_way { COUNTS_IN_LIBRARY, COUNTS_BY_WORD, COUNTS_BY_SEGMENT };
// Assembler text: the counters, and the unit's entry that says where they are.
void write_counters(const counted_unit &unit, counting_way way, FILE *out);
// section.cc: the section that says what each counter counts. The functions' addresses are labels
// .Lascribe_f<label>, but those of functions that were counted before optimisation.
void write_section(const counted_unit &unit, const unit_symbols &symbols, FILE *out);

} // namespace ascribe

#endif
