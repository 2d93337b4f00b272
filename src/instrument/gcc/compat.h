// What differs between the plugin interfaces of GCC 11 to 16. The plugin is written for the newest
// one; older compilers get its names here. Included by plugin_common.h, after GCC's own headers.
#ifndef ASCRIBE_INSTRUMENT_GCC_COMPAT_H
#define ASCRIBE_INSTRUMENT_GCC_COMPAT_H

#include "bversion.h"
#include "cfganal.h"
#include "tree-eh.h"

#if BUILDING_GCC_MAJOR < 11
#error "GCC 11 is the oldest that the plugin is written for"
#endif

namespace ascribe {

#if BUILDING_GCC_MAJOR < 12
inline bool startswith(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

inline bool mark_dfs_back_edges(function *fun) {
  gcc_assert(fun == cfun);
  return ::mark_dfs_back_edges();
}
#endif

#if BUILDING_GCC_MAJOR < 14
inline gimple *last_nondebug_stmt(basic_block block) {
  return last_stmt(block);
}

inline void make_eh_edge(gimple *statement) {
  make_eh_edges(statement);
}
#endif

// Where the macro's name stands in the text.
inline location_t expansion_point(const line_map_macro *macro) {
#if BUILDING_GCC_MAJOR < 14
  return macro->expansion;
#else
  return macro->m_expansion;
#endif
}

// Since GCC 13 a discriminator is part of each location, and two statements of one line may have
// locations that differ in nothing else. Before, it belongs to a block.
#if BUILDING_GCC_MAJOR < 13
inline void clear_discriminators(function *) {}
#else
inline location_t without_discriminator(location_t location) {
  return is_known(location) ? location_with_discriminator(location, 0) : location;
}

// Of the block's statements, and of the moves and jumps on its ways out.
inline void clear_discriminators(basic_block block) {
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    gimple_set_location(gsi_stmt(at), without_discriminator(gimple_location(gsi_stmt(at))));
  edge way;
  edge_iterator i;
  FOR_EACH_EDGE(way, i, block->succs) {
    way->goto_locus = without_discriminator(way->goto_locus);
    for (gphi_iterator at = gsi_start_phis(way->dest); !gsi_end_p(at); gsi_next(&at)) {
      location_t location = gimple_phi_arg_location_from_edge(at.phi(), way);
      gimple_phi_arg_set_location(at.phi(), way->dest_idx, without_discriminator(location));
    }
  }
}

inline void clear_discriminators(function *fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    clear_discriminators(block);
}
#endif

} // namespace ascribe

#endif
