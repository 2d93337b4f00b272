// What a linkage name says of a function of C++ (the Itanium ABI).
#ifndef ASCRIBE_INSTRUMENT_LINKAGE_NAMES_H
#define ASCRIBE_INSTRUMENT_LINKAGE_NAMES_H

#include <string>

namespace ascribe {

// It frees the object once it has called the destructor as such, which has the same text.
inline bool is_deleting_destructor(const std::string &linkage) {
  static const std::string end = "D0Ev";
  return linkage.size() > end.size() && linkage.compare(0, 2, "_Z") == 0 &&
         linkage.compare(linkage.size() - end.size(), end.size(), end) == 0;
}

} // namespace ascribe

#endif
