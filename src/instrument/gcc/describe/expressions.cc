// Which source each piece of code came from: ranges of source text, each with the pieces whose
// counts add up to how often it was executed.
//
// One range may have code in several pieces: copies of it that GCC has made by then (of a
// destructor's call, on each way out of its block), each of which is an execution; or parts of one
// execution (`a ? b : c` stores in two places and goes on in a third).  A piece is such a part as
// far as control reaches it from other pieces of the range, not around a loop: if it reaches it
// from elsewhere, too, or there is nothing but this range in the piece.  Calls are executions each,
// but those that only serve others (`new T(x)` calls operator new and T's constructor); where a
// range has conditions, these are what counts.
//
// What a macro made has two ranges: where the macro was expanded, all of it together, and where its
// text was written. The expansion was executed as often as that part of it that is executed most,
// as GCC estimates it: its parts follow each other in any way, and may have code between them.
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "gimple-fold.h"

#include <algorithm>
#include <tuple>

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

struct range_key {
  unsigned kind; // RANGE_CODE or RANGE_MACRO
  size_t origin;
  location_t start, finish;
  bool operator<(const range_key &other) const {
    return std::tie(kind, origin, start, finish) <
           std::tie(other.kind, other.origin, other.start, other.finish);
  }
};

struct range_pieces {
  std::vector<size_t> pieces;     // each once, in order
  std::vector<size_t> conditions; // those of them that end with one
  std::vector<size_t> calls;      // each as often as it makes such a call
  std::vector<size_t> servants;   // of calls that only serve what else the range has
};

// The texts that a macro was expanded to, at one place.
typedef std::map<std::pair<location_t, location_t>, range_pieces> expansion_texts;

bool is_virtual(location_t location) {
  return linemap_location_from_macro_expansion_p(line_table, location);
}

location_t where_expanded(location_t location) {
  return linemap_resolve_location(line_table, location, LRK_MACRO_EXPANSION_POINT, nullptr);
}

const char *name_of_callee(gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  tree callee = call ? gimple_call_fndecl(call) : NULL_TREE;
  return callee && DECL_NAME(callee) ? IDENTIFIER_POINTER(DECL_NAME(callee)) : "";
}

// Memory for `new`, and the C++ runtime's part in what the source has.
bool serves(gcall *call) {
  return gimple_call_from_new_or_delete(call) || startswith(name_of_callee(call), "__cxa_");
}

bool is_memory_of_exception_call(gimple *statement) {
  const char *name = name_of_callee(statement);
  return !strcmp(name, "__cxa_allocate_exception") || !strcmp(name, "__cxa_free_exception");
}

// Of `throw`, before it computes and throws. GCC 15 clears the pointer to the memory first.
bool is_memory_of_exception(gimple *statement) {
  if (is_memory_of_exception_call(statement)) return true;
  if (!gimple_assign_single_p(statement) || !integer_zerop(gimple_assign_rhs1(statement)))
    return false;
  gimple_stmt_iterator next = gsi_for_stmt(statement);
  gsi_next_nondebug(&next);
  return !gsi_end_p(next) && is_memory_of_exception_call(gsi_stmt(next));
}

class expression_finder {
public:
  expression_finder(function *fun, const flow_graph &graph, counted_function &counted)
      : fun(fun), graph(graph), counted(counted) {}

  void find() {
    size_t flow = 0;
    for (size_t i = 0; i < graph.edges.size(); i++) {
      flows.push_back(flow);
      flow += graph.edges[i].wanted;
      if (graph.edges[i].wanted) frequencies.push_back(graph.edges[i].frequency);
      if (graph.edges[i].kind == flow_edge::PIECE) add_piece(i);
    }
    for (const flow_edge &edge : graph.edges)
      if (edge.kind == flow_edge::WAY) ways[edge.way] = &edge - graph.edges.data();
    for (const auto &range : ranges)
      add_range(range.first, range.second);
    add_switches();
    for (const flow_edge &edge : graph.edges)
      if (edge.kind == flow_edge::PIECE) add_branches(edge);
    for (const counted_loop &loop : find_loops(fun))
      add_loop(loop);
  }

private:
  function *fun;
  const flow_graph &graph;
  counted_function &counted;
  std::vector<size_t> flows;       // by edge
  std::vector<double> frequencies; // by flow
  std::map<range_key, range_pieces> ranges;
  std::map<range_key, expansion_texts> expansions; // by range of code
  std::map<size_t, size_t> ranges_of;              // by piece: how many of code
  std::map<size_t, size_t> texts_of;               // by piece: how many texts it was written as
  std::map<basic_block, size_t> firsts, last;      // pieces of a block
  std::map<edge, size_t> ways;

  static bool key_of(gimple *statement, range_key *key) {
    return !gimple_clobber_p(statement) && key_of(gimple_location(statement), key);
  }

  static bool key_of(location_t location, range_key *key) {
    if (!is_known(location)) return false;
    location_t start = get_start(location), finish = get_finish(location);
    *key = {RANGE_CODE, 0, start, finish};
    if (is_virtual(start)) key->start = get_start(where_expanded(start));
    if (is_virtual(finish)) key->finish = get_finish(where_expanded(finish));
    return true;
  }

  // `code` is the statement's. Macros of the system are not the program's text.
  range_key text_of(gimple *statement, const range_key &code) {
    location_t start = get_start(gimple_location(statement));
    location_t finish = get_finish(gimple_location(statement));
    if (!is_virtual(start) && !is_virtual(finish)) return code;
    written_text written = text_written(start, finish);
    bool whole = written.start == code.start && written.finish == code.finish;
    if (whole || written.start <= BUILTINS_LOCATION || in_system_header_at(written.start))
      return code;
    return {RANGE_MACRO, macro_origin(counted, written.macro), written.start, written.finish};
  }

  static void add_once(size_t piece, std::vector<size_t> &pieces) {
    if (pieces.empty() || pieces.back() != piece) pieces.push_back(piece);
  }

  static void add_statement(size_t piece, gimple *statement, range_pieces &range) {
    gcall *call = dyn_cast<gcall *>(statement);
    if (call && serves(call)) {
      add_once(piece, range.servants);
      return;
    }
    add_once(piece, range.pieces);
    if (call && !gimple_call_internal_p(call)) range.calls.push_back(piece);
    if (gimple_code(statement) == GIMPLE_COND) range.conditions.push_back(piece);
  }

  void add_piece(size_t piece) {
    std::set<range_key> code, texts;
    for (gimple *statement : graph.edges[piece].statements) {
      range_key key;
      if (is_memory_of_exception(statement) || !key_of(statement, &key)) continue;
      range_key text = text_of(statement, key);
      location_t start = get_start(gimple_location(statement));
      location_t finish = get_finish(gimple_location(statement));
      add_statement(piece, statement, ranges[key]);
      if (is_virtual(start) || is_virtual(finish))
        add_statement(piece, statement, expansions[key][{start, finish}]);
      if (text.kind == RANGE_MACRO) add_statement(piece, statement, ranges[text]);
      code.insert(key);
      texts.insert(text);
    }
    ranges_of[piece] = code.size();
    texts_of[piece] = texts.size();
    firsts.insert({graph.edges[piece].block, piece});
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
  std::vector<size_t> executions_at(size_t piece, const std::vector<size_t> &pieces,
                                    bool nothing_else) {
    const flow_edge &at = graph.edges[piece];
    if (at.after) {
      if (nothing_else && holds(pieces, piece - 1)) return {};
      return {flows[piece]};
    }
    arrivals found = arrivals_at(at, pieces);
    bool is_part =
        found.from_range && !found.unsure && (nothing_else || !found.from_elsewhere.empty());
    return is_part ? found.from_elsewhere : std::vector<size_t>{flows[piece]};
  }

  static counted_range range_at(const range_key &key, unsigned kind) {
    expanded_location start = expand_location(key.start), finish = expand_location(key.finish);
    counted_range range = {};
    range.kind = kind;
    range.origin = key.origin;
    range.file = path_text(start.file);
    range.line = start.line;
    range.column = start.column;
    bool same = start.file == finish.file && finish.line >= start.line;
    if (same && finish.column > 0 && (finish.line > start.line || finish.column >= start.column)) {
      range.end_line = finish.line;
      range.end_column = finish.column + 1;
    }
    return range;
  }

  // `others`: how many ranges each piece has.
  std::vector<size_t> executions_of(const range_pieces &pieces, std::map<size_t, size_t> &others) {
    std::vector<size_t> found;
    const std::vector<size_t> &parts = !pieces.conditions.empty() ? pieces.conditions
                                       : !pieces.pieces.empty()   ? pieces.pieces
                                                                  : pieces.servants;
    for (size_t piece : pieces.calls)
      found.push_back(flows[piece]);
    for (size_t i = 0; pieces.calls.empty() && i < parts.size(); i++) {
      std::vector<size_t> at = executions_at(parts[i], parts, others[parts[i]] == 1);
      found.insert(found.end(), at.begin(), at.end());
    }
    return found;
  }

  double frequency_of(const std::vector<size_t> &all) {
    double sum = 0;
    for (size_t flow : all)
      sum += frequencies[flow];
    return sum;
  }

  std::vector<size_t> most_of(const expansion_texts &texts) {
    std::vector<size_t> most;
    for (const auto &text : texts) {
      std::vector<size_t> of_text = executions_of(text.second, texts_of);
      if (most.empty() || frequency_of(of_text) > frequency_of(most)) most = of_text;
    }
    return most;
  }

  void add_range(const range_key &key, const range_pieces &pieces) {
    counted_range range = range_at(key, key.kind);
    if (!range.file || !range.line) return;
    auto expansion = expansions.find(key);
    range.flows = expansion != expansions.end()
                      ? most_of(expansion->second)
                      : executions_of(pieces, key.kind == RANGE_CODE ? ranges_of : texts_of);
    counted.ranges.push_back(range);
  }

  void add_branches(const flow_edge &piece) {
    if (last[piece.block] != size_t(&piece - graph.edges.data()) || piece.statements.empty())
      return;
    gimple *condition = piece.statements.back();
    range_key key;
    if (gimple_code(condition) != GIMPLE_COND || !key_of(condition, &key)) return;
    edge first, second;
    extract_true_false_edges_from_block(piece.block, &first, &second);
    unsigned kind = RANGE_BRANCH;
    for (edge way : {first, second}) {
      counted_range range = range_at(key, kind++);
      auto known = ways.find(way);
      if (known == ways.end() || !range.file || !range.line) return;
      range.flows.push_back(flows[known->second]);
      counted.ranges.push_back(range);
    }
  }

  // False: it is not known how often control goes there.
  bool add_ways(const std::vector<edge> &taken, counted_range &range) {
    for (edge way : taken) {
      auto known = ways.find(way);
      bool entry = way->src == ENTRY_BLOCK_PTR_FOR_FN(fun);
      if (!entry && known == ways.end()) return false;
      range.flows.push_back(entry ? flows[0] : flows[known->second]);
    }
    return true;
  }

  bool add_case(const counted_range &place, const counted_case &one,
                std::vector<counted_range> &cases) {
    counted_range range = place;
    expanded_location label = expand_location(where_expanded(get_start(one.place)));
    range.label = text(case_text(one).c_str());
    if (one.place && path_text(label.file) == range.file) range.label_line = label.line;
    if (!add_ways(one.ways, range)) return false;
    cases.push_back(range);
    return true;
  }

  // Nothing is said of a switch with a way of which it is not known how often control goes there.
  void add_cases(const range_key &key, size_t which, const std::vector<counted_case> &cases) {
    counted_range place = range_at(key, RANGE_CASE);
    std::vector<counted_range> found;
    place.which = which;
    for (const counted_case &one : united(cases))
      if (!add_case(place, one, found)) return;
    if (place.file && place.line && found.size() > 1)
      counted.ranges.insert(counted.ranges.end(), found.begin(), found.end());
  }

  // One place has several where a macro has them; copies of one are one.
  void add_switches() {
    std::map<range_key, std::map<location_t, std::vector<counted_case>>> places;
    for (const counted_switch &one : find_switches(fun)) {
      range_key key;
      if (!key_of(one.place, &key)) continue;
      std::vector<counted_case> &all = places[key][pure(one.place)];
      all.insert(all.end(), one.cases.begin(), one.cases.end());
    }
    for (const auto &place : places) {
      size_t which = 0;
      for (const auto &all : place.second)
        add_cases(place.first, which++, all.second);
    }
  }

  void add_loop(const counted_loop &loop) {
    location_t place = loop.condition;
    range_key key = {RANGE_CODE, 0, get_start(where_expanded(get_start(place))),
                     get_finish(where_expanded(get_finish(place)))};
    counted_range entries = range_at(key, RANGE_LOOP), trips = range_at(key, RANGE_LOOP + 1);
    if (!entries.file || !entries.line || !add_ways(loop.entries, entries) ||
        !add_ways(loop.trips, trips))
      return;
    if (loop.trips.empty()) trips.flows.push_back(flows[firsts.at(loop.first)]);
    counted.ranges.push_back(entries);
    counted.ranges.push_back(trips);
  }
};

} // namespace

void describe_expressions(function *fun, const flow_graph &graph, counted_function &counted) {
  expression_finder(fun, graph, counted).find();
}

} // namespace ascribe
