// How often each line was executed. A line is executed once
//  - each time control enters its code from code of another line, and
//  - for each round of a loop that lies on the line as a whole.
// A basic block belongs to the lines of all its statements. It also belongs to the line of a jump
// (`break`, `goto`) that became the edge out of it.
//
// Control may leave a statement for another line and come back, as in
//     sum = f(a) +
//           f(b);
// where the addition, on the first line, follows the call on the second. That is still the same
// execution of the first line. We recognise it by dominators: control comes back to a place that
// another place of the line dominates, and cannot get there again without passing that one. Such an
// arrival is described as a step within the line, from the dominating place. If steps within the
// line close a loop, each round of it is an execution. The head of a loop is not part of what
// stands before the loop on the same line, so there an execution begins.
//
// gcov(1) differs. It assigns a block to the last of its lines only and counts every arrival there.
// A line that is not the last of any block gets the sum of all blocks that mention it. In
//     return a > 0
//            || f(a);
// the first line may therefore have any count in gcov's output.
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "tree-eh.h"

#include <algorithm>

namespace ascribe {
namespace {

using source_line = std::pair<size_t, unsigned>; // file and line

enum : size_t { NO_PLACE = SIZE_MAX };

// A block as gcov sees it: pieces of a basic block up to a statement after which control may not
// come back. Or a jump on an edge, if the jump has a line of its own.
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

  // Edges are visited in the order of the blocks. A jump whose location a statement has too is not
  // a place of its own.
  const flow_edge *latest = nullptr;

  static location_t last_location(const flow_edge &piece) {
    for (size_t i = piece.statements.size(); i-- > 0;)
      if (is_known(gimple_location(piece.statements[i])))
        return gimple_location(piece.statements[i]);
    return UNKNOWN_LOCATION;
  }

  // Where gcov ends a block: after a statement that may not return. Our counters know of more calls
  // that they return, but trust fewer builtin and pure functions to do so.
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
