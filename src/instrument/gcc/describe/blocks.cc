// Where the copies are that optimisation made of code within its function: the blocks of the final
// flow graph. What is said of a block is what is seen there: the loop around it, its vectors, the
// condition that leads to it and not to all others.
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "cfghooks.h"
#include "dominance.h"
#include "fold-const.h"
#include "tree-pretty-print.h"

namespace ascribe {
namespace {

// ---- loops ----

size_t inlining_depth(location_t location, counted_function &counted) {
  size_t depth = 0;
  for (size_t at = inlined_origin(counted, location); at; at = counted.origins[at - 1].parent)
    depth++;
  return depth;
}

// The vectorizer's loops go on by conditions that are not the source's: then the first line of what
// is in it, and not in what was inlined there.
location_t place_of(const counted_loop &loop, counted_function &counted) {
  location_t first = loop.condition ? expanded(loop.condition) : 0;
  if (first) return first;
  size_t least = SIZE_MAX;
  for (basic_block block : loop.body)
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
         gsi_next_nondebug(&at)) {
      location_t location = gimple_location(gsi_stmt(at));
      if (!is_known(location) || gimple_clobber_p(gsi_stmt(at))) continue;
      size_t depth = inlining_depth(location, counted);
      location_t place = expanded(location);
      bool before = !first || linemap_location_before_p(line_table, place, first);
      if (depth > least || (depth == least && !before)) continue;
      least = depth;
      first = place;
    }
  return first;
}

typedef std::map<basic_block, const counted_loop *> block_loops;

block_loops innermost_loops(const std::vector<counted_loop> &loops) {
  block_loops found;
  for (const counted_loop &loop : loops)
    for (basic_block block : loop.body) {
      const counted_loop *&innermost = found[block];
      if (!innermost || loop.body.size() < innermost->body.size()) innermost = &loop;
    }
  return found;
}

void describe_loop(const counted_loop &loop, size_t number, counted_function &counted,
                   counted_block &block) {
  expanded_location place = expand_location(place_of(loop, counted));
  block.loop = number;
  block.loop_file = text(place.file);
  block.loop_line = block.loop_file ? place.line : 0;
}

// ---- vectors ----

size_t vectors_of(basic_block block) {
  std::set<unsigned long> lanes;
  for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
       gsi_next_nondebug(&at)) {
    tree result = gimple_get_lhs(gsi_stmt(at));
    unsigned HOST_WIDE_INT count;
    if (result && VECTOR_TYPE_P(TREE_TYPE(result)) &&
        TYPE_VECTOR_SUBPARTS(TREE_TYPE(result)).is_constant(&count))
      lanes.insert(count);
  }
  std::string all;
  for (unsigned long count : lanes)
    all += (all.empty() ? "" : ", ") + std::to_string(count);
  return text(all.c_str());
}

// ---- conditions ----

// As the source has it, or empty.
std::string text_of_operand(tree operand) {
  if (TREE_CODE(operand) == INTEGER_CST) {
    if (POINTER_TYPE_P(TREE_TYPE(operand))) return integer_zerop(operand) ? "0" : "";
    if (tree_fits_shwi_p(operand)) return std::to_string(tree_to_shwi(operand));
    return "";
  }
  tree variable = TREE_CODE(operand) == SSA_NAME ? SSA_NAME_VAR(operand) : operand;
  bool named = variable && DECL_P(variable) && DECL_NAME(variable) && !DECL_IGNORED_P(variable) &&
               !DECL_ARTIFICIAL(variable);
  return named ? IDENTIFIER_POINTER(DECL_NAME(variable)) : "";
}

std::string text_of_condition(gcond *condition, bool holds) {
  std::string left = text_of_operand(gimple_cond_lhs(condition));
  std::string right = text_of_operand(gimple_cond_rhs(condition));
  tree_code code = gimple_cond_code(condition);
  if (!holds) code = invert_tree_comparison(code, HONOR_NANS(gimple_cond_lhs(condition)));
  if (left.empty() || right.empty() || code == ERROR_MARK) return "";
  return left + " " + op_symbol_code(code) + " " + right;
}

bool leads_to(edge way, basic_block block) {
  return single_pred_p(way->dest) && dominated_by_p(CDI_DOMINATORS, block, way->dest);
}

bool leads_to_all(edge way, const std::vector<basic_block> &copies) {
  for (basic_block other : copies)
    if (!leads_to(way, other)) return false;
  return true;
}

// The nearest condition that the copy is executed after and not all others are.
size_t where(basic_block block, const std::vector<basic_block> &copies) {
  for (basic_block before = get_immediate_dominator(CDI_DOMINATORS, block);
       before && before != ENTRY_BLOCK_PTR_FOR_FN(cfun);
       before = get_immediate_dominator(CDI_DOMINATORS, before)) {
    gcond *condition = safe_dyn_cast<gcond *>(last_nondebug_stmt(before));
    if (!condition) continue;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, before->succs) {
      if (!leads_to(way, block) || leads_to_all(way, copies)) continue;
      std::string found = text_of_condition(condition, way->flags & EDGE_TRUE_VALUE);
      if (!found.empty()) return text(found.c_str());
    }
  }
  return 0;
}

} // namespace

size_t block_number(counted_function &counted, basic_block block, unsigned passes, size_t family) {
  size_t &number = counted.block_numbers[block];
  if (!number) {
    counted.blocks.push_back({});
    number = counted.blocks.size();
    counted.blocks.back().block = block;
    counted.blocks.back().family = family;
  }
  counted_block &known = counted.blocks[number - 1];
  known.passes = copied_by_both(known.passes, passes);
  return number;
}

void describe_blocks(function *fun, const std::vector<counted_loop> &loops,
                     counted_function &counted) {
  clear_discriminators(fun);
  if (counted.blocks.empty()) return;
  bool had_dominators = dom_info_available_p(CDI_DOMINATORS);
  calculate_dominance_info(CDI_DOMINATORS);
  block_loops innermost = innermost_loops(loops);
  for (counted_block &copy : counted.blocks) {
    set_discriminator(copy.block, counted.block_numbers[copy.block]);
    copy.by = text_of_passes(copy.passes);
    copy.vectors = vectors_of(copy.block);
    copy.where = where(copy.block, counted.families[copy.family]);
    auto loop = innermost.find(copy.block);
    if (loop != innermost.end())
      describe_loop(*loop->second, loop->second - loops.data() + 1, counted, copy);
  }
  if (!had_dominators) free_dominance_info(CDI_DOMINATORS);
}

} // namespace ascribe
