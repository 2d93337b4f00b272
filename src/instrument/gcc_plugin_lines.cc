// How often each line was executed: whenever control came to code of the line from code that is not
// of it, and for each round of a loop that lies on the line as a whole. A block is of the lines of
// all its statements, and of that of a jump (`break`, `goto`) which became the edge out of it.
//
// gcov(1) means the same, but takes a block to be of the last of its lines only; of a line that is
// no block's last it has the sum of all its blocks, as often as they come to it.  So `return a > 0
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
struct place {
  size_t flow;                    // of its first piece
  std::vector<source_line> lines; // each once
  bool is_of(const source_line &line) const {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
};

bool is_known(location_t location) {
  return LOCATION_LOCUS(location) > BUILTINS_LOCATION;
}

class finder {
public:
  finder(function *fun, const flow_graph &graph, counted_function &counted)
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
  std::vector<place> places;
  std::vector<counted_step> steps; // between places
  std::map<basic_block, size_t> first, last;
  std::map<edge, size_t> jumps; // places on ways
  std::set<location_t> met;     // of statements

  static source_line line_of(location_t location) {
    expanded_location expanded = expand_location(location);
    return {path_text(expanded.file), static_cast<unsigned>(expanded.line)};
  }

  void add_line(place &at, location_t location) {
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
    place &at = places[begin->second];
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

  void describe() {
    std::map<source_line, std::vector<size_t>> on_line;
    for (size_t i = 0; i < places.size(); i++) {
      if (places[i].flow == NO_PLACE) continue; // no counter can stand there
      for (const source_line &line : places[i].lines)
        on_line[line].push_back(i);
    }
    for (const auto &line : on_line)
      counted.lines.push_back(describe_line(line.first, line.second));
  }

  counted_line describe_line(const source_line &line, const std::vector<size_t> &on_it) {
    counted_line described = {line.first, line.second, {}, {}};
    std::map<size_t, size_t> numbers;
    for (size_t i : on_it) {
      numbers[i] = described.places.size();
      described.places.push_back(places[i].flow);
    }
    for (size_t i : on_it)
      for (const counted_step &step : steps_from(i))
        if (numbers.count(step.to))
          described.steps.push_back({numbers[step.from], numbers[step.to], step.flow});
    return described;
  }

  std::vector<std::vector<counted_step>> from;

  const std::vector<counted_step> &steps_from(size_t place) {
    if (from.empty()) {
      from.resize(places.size());
      for (const counted_step &step : steps)
        from[step.from].push_back(step);
    }
    return from[place];
  }
};

} // namespace

void describe_lines(function *fun, const flow_graph &graph, counted_function &counted) {
  bool is_made_up = DECL_ARTIFICIAL(fun->decl) && !DECL_FUNCTION_VERSIONED(fun->decl) &&
                    !DECL_LAMBDA_FUNCTION_P(fun->decl);
  if (!is_made_up) finder(fun, graph, counted).find();
}

} // namespace ascribe
