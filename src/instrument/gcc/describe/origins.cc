// How code came to where it stands: calls that were inlined, macros that were expanded.
//
// A location in what a macro made is virtual: an index into a map of this expansion, which has two
// places for each token: where it was written, and where it, or the parameter that it came for,
// stands in the definition.  These are one unless it came with an argument.
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "cpplib.h"

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

bool is_inlined_scope(tree block) {
  return TREE_CODE(block) == BLOCK && inlined_function_outer_scope_p(block);
}

tree inlined_scope(tree block) {
  while (block && TREE_CODE(block) == BLOCK && !is_inlined_scope(block))
    block = BLOCK_SUPERCONTEXT(block);
  return block && TREE_CODE(block) == BLOCK ? block : NULL_TREE;
}

tree function_of_scope(tree scope) {
  tree origin = BLOCK_ABSTRACT_ORIGIN(scope);
  while (origin && TREE_CODE(origin) == BLOCK && BLOCK_ABSTRACT_ORIGIN(origin) != origin)
    origin = BLOCK_ABSTRACT_ORIGIN(origin);
  return origin && TREE_CODE(origin) == FUNCTION_DECL ? DECL_ORIGIN(origin) : NULL_TREE;
}

size_t add_origin(counted_function &counted, counted_origin origin, location_t call) {
  expanded_location place = expand_location(call);
  origin.call_file = path_text(place.file);
  origin.call_line = place.line;
  origin.call_column = place.column;
  counted.origins.push_back(origin);
  return counted.origins.size();
}

size_t scope_origin(counted_function &counted, tree scope) {
  if (!scope) return 0;
  auto known = counted.scopes.find(scope);
  if (known != counted.scopes.end()) return known->second;
  size_t parent = scope_origin(counted, inlined_scope(BLOCK_SUPERCONTEXT(scope)));
  tree function = function_of_scope(scope);
  if (!function) return counted.scopes[scope] = parent;
  counted_origin origin = {};
  origin.kind = ORIGIN_INLINED;
  origin.parent = parent;
  origin.name = text(linkage_name(function));
  origin.file = path_text(DECL_SOURCE_FILE(function));
  origin.line = DECL_SOURCE_LINE(function);
  return counted.scopes[scope] = add_origin(counted, origin, BLOCK_SOURCE_LOCATION(scope));
}

// ---- macros ----

// The expansion that a location is in, or null.
const line_map_macro *expansion_at(location_t location) {
  if (IS_ADHOC_LOC(location)) location = get_location_from_adhoc_loc(line_table, location);
  const line_map *map = linemap_lookup(line_table, location);
  return map && linemap_macro_expansion_map_p(map) ? linemap_check_macro(map) : nullptr;
}

struct token_places {
  location_t written, defined;
  bool from_argument() const { return written != defined; }
};

token_places places_of(const line_map_macro *macro, location_t location) {
  if (IS_ADHOC_LOC(location)) location = get_location_from_adhoc_loc(line_table, location);
  unsigned token = location - MAP_START_LOCATION(macro);
  const location_t *places = MACRO_MAP_LOCATIONS(macro);
  return {places[2 * token], places[2 * token + 1]};
}

// Of two expansions the one that was made later is inside, and has the lower locations.
void leave_inner(location_t &one, location_t &other) {
  const line_map_macro *of_one = expansion_at(one), *of_other = expansion_at(other);
  bool leave_one =
      of_one && (!of_other || MAP_START_LOCATION(of_one) < MAP_START_LOCATION(of_other));
  if (leave_one)
    one = expansion_point(of_one);
  else
    other = expansion_point(of_other);
}

size_t definition_line(const line_map_macro *macro, counted_origin &origin) {
  const cpp_hashnode *node = macro->macro;
  if (!node || node->type != NT_USER_MACRO || !node->value.macro) return 0;
  expanded_location place = expand_location(node->value.macro->line);
  origin.file = path_text(place.file);
  return place.line;
}

} // namespace

size_t inlined_origin(counted_function &counted, location_t location) {
  return scope_origin(counted, inlined_scope(LOCATION_BLOCK(location)));
}

written_text text_written(location_t start, location_t finish) {
  for (;;) {
    const line_map_macro *macro = expansion_at(start);
    if (macro != expansion_at(finish)) {
      leave_inner(start, finish);
      continue;
    }
    if (!macro) return {get_start(start), get_finish(finish), nullptr};
    token_places first = places_of(macro, start), last = places_of(macro, finish);
    // One parameter was replaced by all of it.
    bool argument = first.from_argument() && last.from_argument() && first.defined == last.defined;
    if (!argument) return {get_start(first.defined), get_finish(last.defined), macro};
    start = first.written;
    finish = last.written;
  }
}

size_t macro_origin(counted_function &counted, const line_map_macro *macro) {
  if (!macro) return 0;
  auto known = counted.expansions.find(macro);
  if (known != counted.expansions.end()) return known->second;
  location_t point = expansion_point(macro);
  written_text place = text_written(point, point);
  counted_origin origin = {};
  origin.kind = ORIGIN_MACRO;
  origin.parent = macro_origin(counted, place.macro);
  origin.name = text(linemap_map_get_macro_name(macro));
  origin.line = definition_line(macro, origin);
  return counted.expansions[macro] = add_origin(counted, origin, place.start);
}

} // namespace ascribe
