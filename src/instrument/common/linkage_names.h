// Reads the linkage names of C++ functions (Itanium ABI).
#ifndef ASCRIBE_INSTRUMENT_LINKAGE_NAMES_H
#define ASCRIBE_INSTRUMENT_LINKAGE_NAMES_H

#include <string>

namespace ascribe {

// The variant of a destructor that also frees the object. It calls the plain destructor, which has
// the same name in the source.
inline bool is_deleting_destructor(const std::string &linkage) {
  static const std::string end = "D0Ev";
  return linkage.size() > end.size() && linkage.compare(0, 2, "_Z") == 0 &&
         linkage.compare(linkage.size() - end.size(), end.size(), end) == 0;
}

} // namespace ascribe

#endif
