// Which source each piece of code came from: ranges of source text, each with the pieces whose
// counts add up to how often it was executed.
//
// One range may have code in several pieces: copies of it (unrolled, the condition of a loop once
// before it and once at its end), each of which is an execution; or parts of one execution (a
// switch becomes several comparisons, `a ? b : c` stores in two places and goes on in a third).  A
// piece is such a part as far as control reaches it from other pieces of the range, not around a
// loop: if it reaches it from elsewhere, too, or there is nothing but this range in the piece.
// Calls are executions each; where a range has conditions, these are what counts.
#include "gcc_plugin.h"

#include "gimple-fold.h"

#include <algorithm>
#include <tuple>

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

struct range_key {
  tree inlined; // the scope that a function was inlined as, or null
  location_t start, finish;
  bool operator<(const range_key &other) const {
    return std::tie(inlined, start, finish) < std::tie(other.inlined, other.start, other.finish);
  }
};

struct range_pieces {
  std::vector<size_t> pieces;     // each once, in order
  std::vector<size_t> conditions; // those of them that end with one
  std::vector<size_t> calls;      // each as often as it makes such a call
};

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

bool key_of(gimple *statement, range_key *key) {
  location_t location = gimple_location(statement);
  if (LOCATION_LOCUS(location) <= BUILTINS_LOCATION || gimple_clobber_p(statement)) return false;
  *key = {inlined_scope(LOCATION_BLOCK(location)), get_start(location), get_finish(location)};
  return true;
}

class finder {
public:
  finder(const flow_graph &graph, counted_function &counted) : graph(graph), counted(counted) {}

  void find() {
    size_t flow = 0;
    for (size_t i = 0; i < graph.edges.size(); i++) {
      flows.push_back(flow);
      flow += graph.edges[i].wanted;
      if (graph.edges[i].kind == flow_edge::PIECE) add_piece(i);
    }
    for (const flow_edge &edge : graph.edges)
      if (edge.kind == flow_edge::WAY) ways[edge.way] = &edge - graph.edges.data();
    for (const auto &range : ranges)
      add_range(range.first, range.second);
    for (const flow_edge &edge : graph.edges)
      if (edge.kind == flow_edge::PIECE) add_branches(edge);
  }

private:
  const flow_graph &graph;
  counted_function &counted;
  std::vector<size_t> flows; // by edge
  std::map<range_key, range_pieces> ranges;
  std::map<size_t, size_t> ranges_of; // by piece: how many
  std::map<basic_block, size_t> last; // piece of a block
  std::map<edge, size_t> ways;
  std::map<tree, size_t> origins;
  std::set<range_key> in_parts; // several comparisons for one condition

  void add_piece(size_t piece) {
    std::set<range_key> met;
    for (gimple *statement : graph.edges[piece].statements) {
      range_key key;
      if (!key_of(statement, &key)) continue;
      range_pieces &range = ranges[key];
      if (met.insert(key).second) range.pieces.push_back(piece);
      if (is_gimple_call(statement) && !gimple_call_internal_p(statement))
        range.calls.push_back(piece);
      if (gimple_code(statement) == GIMPLE_COND) range.conditions.push_back(piece);
    }
    ranges_of[piece] = met.size();
    last[graph.edges[piece].block] = piece;
  }

  struct arrivals {
    bool from_range = false;            // from other pieces of it
    bool unsure = false;                // around a loop, or it is not known how often
    std::vector<size_t> from_elsewhere; // flows
  };

  arrivals arrivals_at(const flow_edge &at, const std::vector<size_t> &pieces) {
    arrivals found;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, at.block->preds) {
      auto before = last.find(way->src);
      auto flow = ways.find(way);
      if (way->flags & EDGE_DFS_BACK)
        found.unsure = true;
      else if (before != last.end() && holds(pieces, before->second))
        found.from_range = true;
      else if (flow == ways.end())
        found.unsure = true;
      else
        found.from_elsewhere.push_back(flows[flow->second]);
    }
    return found;
  }

  static bool holds(const std::vector<size_t> &pieces, size_t piece) {
    return std::binary_search(pieces.begin(), pieces.end(), piece);
  }

  // The flows into a piece that are executions of the range.
  std::vector<size_t> executions_at(size_t piece, const std::vector<size_t> &pieces) {
    const flow_edge &at = graph.edges[piece];
    bool nothing_else = ranges_of[piece] == 1;
    if (at.after) {
      if (nothing_else && holds(pieces, piece - 1)) return {};
      return {flows[piece]};
    }
    arrivals found = arrivals_at(at, pieces);
    bool is_part =
        found.from_range && !found.unsure && (nothing_else || !found.from_elsewhere.empty());
    return is_part ? found.from_elsewhere : std::vector<size_t>{flows[piece]};
  }

  size_t origin_of(tree scope) {
    if (!scope) return 0;
    auto known = origins.find(scope);
    if (known != origins.end()) return known->second;
    tree function = function_of_scope(scope);
    size_t parent = origin_of(inlined_scope(BLOCK_SUPERCONTEXT(scope)));
    if (!function) return origins[scope] = parent;
    counted.origins.push_back(describe_origin(parent, function, BLOCK_SOURCE_LOCATION(scope)));
    return origins[scope] = counted.origins.size();
  }

  counted_range range_at(const range_key &key, unsigned kind) {
    expanded_location start = expand_location(key.start), finish = expand_location(key.finish);
    counted_range range = {};
    range.kind = kind;
    range.origin = origin_of(key.inlined);
    range.file = text(start.file);
    range.line = start.line;
    range.column = start.column;
    bool same = start.file == finish.file && finish.line >= start.line;
    if (same && finish.column > 0 && (finish.line > start.line || finish.column >= start.column)) {
      range.end_line = finish.line;
      range.end_column = finish.column + 1;
    }
    return range;
  }

  void add_range(const range_key &key, const range_pieces &pieces) {
    counted_range range = range_at(key, RANGE_CODE);
    if (!range.file || !range.line) return;
    const std::vector<size_t> &parts =
        pieces.conditions.empty() ? pieces.pieces : pieces.conditions;
    for (size_t piece : pieces.calls)
      range.flows.push_back(flows[piece]);
    for (size_t i = 0; pieces.calls.empty() && i < parts.size(); i++) {
      std::vector<size_t> executions = executions_at(parts[i], parts);
      if (executions.size() != 1 || executions[0] != flows[parts[i]]) in_parts.insert(key);
      range.flows.insert(range.flows.end(), executions.begin(), executions.end());
    }
    counted.ranges.push_back(range);
  }

  // Where the code that a way leads to stands in the text: optimisation may have turned a condition
  // round, in some of its copies.
  location_t place_of(basic_block block) {
    for (int steps = 0; steps < 4; steps++) {
      for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
           gsi_next_nondebug(&at)) {
        range_key key;
        if (key_of(gsi_stmt(at), &key)) return key.start;
      }
      if (!single_succ_p(block)) break;
      block = single_succ(block);
    }
    return 0;
  }

  void add_branches(const flow_edge &piece) {
    if (last[piece.block] != size_t(&piece - graph.edges.data()) || piece.statements.empty())
      return;
    gimple *condition = piece.statements.back();
    range_key key;
    if (gimple_code(condition) != GIMPLE_COND || !key_of(condition, &key) || in_parts.count(key))
      return;
    edge first, second;
    extract_true_false_edges_from_block(piece.block, &first, &second);
    if (place_of(second->dest) < place_of(first->dest)) std::swap(first, second);
    unsigned kind = RANGE_BRANCH;
    for (edge way : {first, second}) {
      counted_range range = range_at(key, kind++);
      auto known = ways.find(way);
      if (known == ways.end() || !range.file || !range.line) return;
      range.flows.push_back(flows[known->second]);
      counted.ranges.push_back(range);
    }
  }
};

} // namespace

void describe_expressions(const flow_graph &graph, counted_function &counted) {
  finder(graph, counted).find();
}

} // namespace ascribe
