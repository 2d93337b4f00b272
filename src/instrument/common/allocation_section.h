// The types of allocated blocks, as both compiler plugins describe them in an object
// (ascribe/allocation_strings.h). No compiler's types are needed here.
#ifndef ASCRIBE_INSTRUMENT_ALLOCATION_SECTION_H
#define ASCRIBE_INSTRUMENT_ALLOCATION_SECTION_H

#include <set>
#include <string>

namespace ascribe {

struct allocation_place {
  std::string function; // linkage name
  std::string file;     // its path
  unsigned line, column;
  bool by_allocator;
  std::string type; // as in the section
};

class allocation_types {
public:
  void add(const allocation_place &place);
  // The section as assembler text; nothing if there are no places.
  std::string text() const;

private:
  std::set<std::string> strings;
};

} // namespace ascribe

#endif
