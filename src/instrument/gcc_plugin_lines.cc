// How often each line was executed: whenever control came to code of the line from code that is not
// of it, and for each round of a loop that lies on the line as a whole. A block is of the lines of
// all its statements, and of that of a jump (`break`, `goto`) which became the edge out of it.
//
// Control that comes back to the line is still in the same execution, if it comes to a place that
// another one of the line dominates, and cannot come there again but through that one: the sum in
// `sum = f(a) +` with `f(b);` on the next line. A loop that has its head on the line begins again
// there: its test is no part of what comes before the loop. So what comes to such a place from
// other lines is described as steps within the line, from the place that dominates it: if they
// close a loop, that is a round.
//
// gcov(1) counts each arrival, and takes a block to be of the last of its lines only; of a line
// that is no block's last it has the sum of all its blocks, as often as they come to it.  So
// `return a > 0
// || f(a)` with the rest on the next line may have any count there.
#include "gcc_plugin.h"

#include "tree-eh.h"

#include <algorithm>

namespace ascribe {
namespace {

using source_line = std::pair<size_t, unsigned>; // file and line

enum : size_t { NO_PLACE = SIZE_MAX };

// A block of gcov's: pieces up to where control may end. Or a jump that has a line of its own on a
// way.
struct line_place {
  size_t flow;                    // of its first piece
  std::vector<source_line> lines; // each once
  bool is_of(const source_line &line) const {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
};

class line_finder {
public:
  line_finder(function *fun, const flow_graph &graph, counted_function &counted)
      : fun(fun), graph(graph), counted(counted) {}

  void find() {
    size_t flow = 0;
    for (const flow_edge &edge : graph.edges) {
      if (edge.kind == flow_edge::PIECE) add_piece(edge, flow);
      flow += edge.wanted;
    }
    add_declaration();
    flow = 0;
    for (const flow_edge &edge : graph.edges) {
      if (edge.kind == flow_edge::WAY) add_way(edge.way, flow);
      flow += edge.wanted;
    }
    describe();
  }

private:
  function *fun;
  const flow_graph &graph;
  counted_function &counted;
  std::vector<line_place> places;
  std::vector<counted_step> steps; // between places
  std::map<basic_block, size_t> first, last;
  std::map<edge, size_t> jumps; // places on ways
  std::set<location_t> met;     // of statements

  static source_line line_of(location_t location) {
    expanded_location expanded = expand_location(location);
    return {path_text(expanded.file), static_cast<unsigned>(expanded.line)};
  }

  void add_line(line_place &at, location_t location) {
    source_line line = line_of(location);
    if (line.first && line.second && !at.is_of(line)) at.lines.push_back(line);
  }

  void add_piece(const flow_edge &piece, size_t flow) {
    bool begins = !last.count(piece.block);
    if (begins) end_block();
    if (begins || may_end_here(*latest)) {
      places.push_back({flow, {}});
      if (begins)
        first[piece.block] = places.size() - 1;
      else
        steps.push_back({places.size() - 2, places.size() - 1, flow});
    }
    last[piece.block] = places.size() - 1;
    for (gimple *statement : piece.statements) {
      if (!is_known(gimple_location(statement))) continue;
      add_line(places.back(), gimple_location(statement));
      met.insert(gimple_location(statement));
    }
    latest = &piece;
  }

  // Jumps are looked at in the order of the blocks: one that a statement has told of is not
  // another.
  const flow_edge *latest = nullptr;

  static location_t last_location(const flow_edge &piece) {
    for (size_t i = piece.statements.size(); i-- > 0;)
      if (is_known(gimple_location(piece.statements[i])))
        return gimple_location(piece.statements[i]);
    return UNKNOWN_LOCATION;
  }

  // Where gcov's blocks end: whoever does not come back does not jump.  Counters are sure of more
  // calls that they come back from, and of fewer builtin and pure ones.
  bool may_end_here(const flow_edge &piece) const {
    if (piece.statements.empty()) return false;
    gimple *end = piece.statements.back();
    if (stmt_can_throw_external(fun, end)) return true;
    if (gasm *text = dyn_cast<gasm *>(end)) return gimple_asm_volatile_p(text);
    gcall *call = dyn_cast<gcall *>(end);
    if (!call) return false;
    int flags = gimple_call_flags(call);
    tree callee = gimple_call_fndecl(call);
    bool comes_back = callee && fndecl_built_in_p(callee) && (flags & ECF_NOTHROW) &&
                      !(flags & ECF_RETURNS_TWICE);
    bool pure = (flags & (ECF_PURE | ECF_CONST)) && !(flags & ECF_LOOPING_CONST_OR_PURE);
    return !comes_back && !pure;
  }

  void end_block() {
    if (!latest) return;
    basic_block block = latest->block;
    bool jumps_surely = single_succ_p(block) && !may_end_here(*latest);
    location_t before = last_location(*latest);
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->succs) {
      location_t jump = way->goto_locus;
      if (!is_known(jump)) continue;
      if (jumps_surely) {
        if (!met.count(jump)) add_line(places[last[block]], jump);
      } else if (is_known(before) && line_of(before) != line_of(jump)) {
        jumps[way] = places.size();
        places.push_back({NO_PLACE, {}});
        if (!met.count(jump)) add_line(places.back(), jump);
      }
    }
    latest = nullptr;
  }

  // The function's own line is executed with its first block.
  void add_declaration() {
    end_block();
    auto begin = first.find(ENTRY_BLOCK_PTR_FOR_FN(fun)->next_bb);
    if (begin == first.end()) return;
    line_place &at = places[begin->second];
    source_line line = line_of(DECL_SOURCE_LOCATION(fun->decl));
    if (!at.is_of(line)) at.lines.push_back(line);
  }

  void add_way(edge way, size_t flow) {
    auto from = last.find(way->src), to = first.find(way->dest);
    auto jump = jumps.find(way);
    if (jump != jumps.end()) places[jump->second].flow = flow;
    if (from == last.end() || to == first.end()) return;
    if (jump == jumps.end()) {
      steps.push_back({from->second, to->second, flow});
    } else {
      steps.push_back({from->second, jump->second, flow});
      steps.push_back({jump->second, to->second, flow});
    }
  }

  // As gcov's graph of it: control may come from anywhere to where a computed goto leads, or
  // longjmp.
  std::vector<size_t> entries() {
    std::vector<size_t> found;
    basic_block block;
    FOR_EACH_BB_FN(block, fun) {
      edge way;
      edge_iterator i;
      bool is_entry = false;
      FOR_EACH_EDGE(way, i, block->preds)
        is_entry |= way->src == ENTRY_BLOCK_PTR_FOR_FN(fun) || way->flags & EDGE_ABNORMAL;
      auto place = first.find(block);
      if (is_entry && place != first.end()) found.push_back(place->second);
    }
    return found;
  }

  dominators link() {
    std::vector<std::vector<size_t>> next(places.size());
    from.resize(places.size());
    to.resize(places.size());
    for (const counted_step &step : steps) {
      from[step.from].push_back(step);
      to[step.to].push_back(step);
      next[step.from].push_back(step.to);
    }
    return dominators(next, entries());
  }

  void describe() {
    dominators order = link();
    std::map<source_line, std::vector<size_t>> on_line;
    for (size_t i = 0; i < places.size(); i++) {
      if (places[i].flow == NO_PLACE) continue; // no counter can stand there
      for (const source_line &line : places[i].lines)
        on_line[line].push_back(i);
    }
    for (const auto &line : on_line)
      counted.lines.push_back(describe_line(line.first, line.second, order));
  }

  counted_line describe_line(const source_line &line, const std::vector<size_t> &on_it,
                             dominators &order) {
    counted_line described = {line.first, line.second, {}, {}};
    std::map<size_t, size_t> numbers;
    for (size_t i : on_it) {
      numbers[i] = described.places.size();
      described.places.push_back(places[i].flow);
    }
    for (size_t i : on_it)
      for (const counted_step &step : from[i])
        if (numbers.count(step.to))
          described.steps.push_back({numbers[i], numbers[step.to], step.flow});
    for (const auto &again : continued(on_it, order))
      for (const counted_step &step : to[again.second])
        if (!numbers.count(step.from))
          described.steps.push_back({numbers[again.first], numbers[again.second], step.flow});
    return described;
  }

  // Places of a line that are no executions of their own, each behind the nearest that dominates
  // it: if that one is not passed between, no other is.
  std::vector<std::pair<size_t, size_t>> continued(const std::vector<size_t> &on_it,
                                                   dominators &order) {
    std::vector<std::pair<size_t, size_t>> found;
    std::vector<size_t> around; // places that dominate the one at hand
    for (size_t i : order.sorted(on_it)) {
      while (!around.empty() && !order.dominates(around.back(), i))
        around.pop_back();
      if (!around.empty() && order.always_between(around.back(), i))
        found.push_back({around.back(), i});
      around.push_back(i);
    }
    return found;
  }

  std::vector<std::vector<counted_step>> from, to; // by place
};

} // namespace

void describe_lines(function *fun, const flow_graph &graph, counted_function &counted) {
  bool is_made_up = DECL_ARTIFICIAL(fun->decl) && !DECL_FUNCTION_VERSIONED(fun->decl) &&
                    !DECL_LAMBDA_FUNCTION_P(fun->decl);
  if (!is_made_up) line_finder(fun, graph, counted).find();
}

} // namespace ascribe
