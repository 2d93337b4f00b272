// Locations in the source, as the parts of the plugin ask about them.
#ifndef ASCRIBE_INSTRUMENT_GCC_LOCATION_H
#define ASCRIBE_INSTRUMENT_GCC_LOCATION_H

namespace ascribe {

inline bool is_known(location_t location) {
  return LOCATION_LOCUS(location) > BUILTINS_LOCATION;
}

// Without the block, the range and the discriminator that may come with it.
inline location_t pure(location_t location) {
  return get_pure_location(line_table, location);
}

// The name of the outermost macro that it comes from, or itself.
inline location_t expanded(location_t location) {
  return linemap_resolve_location(line_table, location, LRK_MACRO_EXPANSION_POINT, nullptr);
}

} // namespace ascribe

#endif
