// Collects, while the unit's functions are compiled, what each counter counts.
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "file-prefix-map.h"
#include "memmodel.h"
#include "output.h"
#include "tm.h"

#include "toplev.h"

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

std::vector<counted_function> described;
size_t counters = 1; // the first has the unit's checksum

// The names of the unit; the first is empty.
std::map<std::string, size_t> text_numbers;
std::vector<std::string> texts;

class gcc_symbols : public unit_symbols {
public:
  bool is_defined(const std::string &symbol) const override {
    cgraph_node *node = node_of(symbol);
    return node && !node->ifunc_resolver && TREE_ASM_WRITTEN(node->decl);
  }
  std::string meaning(const std::string &symbol) const override {
    cgraph_node *node = node_of(symbol);
    if (!node || !node->alias || !is_defined(symbol)) return symbol;
    return IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(node->ultimate_alias_target()->decl));
  }
  bool has_copies(const std::string &symbol) const override {
    return DECL_ONE_ONLY(node_of(symbol)->decl);
  }
  void write(FILE *out, const std::string &symbol) const override {
    assemble_name(out, symbol.c_str());
  }

private:
  static cgraph_node *node_of(const std::string &assembler_name) {
    symtab_node *node = symtab_node::get_for_asmname(get_identifier(assembler_name.c_str()));
    return node ? dyn_cast<cgraph_node *>(node) : nullptr;
  }
};

counting_way the_way() {
  if (for_shared_library()) return COUNTS_IN_LIBRARY;
  return counts_by_segment() ? COUNTS_BY_SEGMENT : COUNTS_BY_WORD;
}

// Of a constructor or destructor that is another name for one: that one. Once all calls of it are
// inlined, GCC forgets the name.
tree definition_of(tree callee) {
  cgraph_node *node = asked.expressions ? cgraph_node::get(callee) : nullptr;
  bool is_other_name = node && node->alias && (DECL_ONE_ONLY(callee) || !TREE_PUBLIC(callee));
  return is_other_name ? node->ultimate_alias_target()->decl : callee;
}

} // namespace

size_t text(const char *string) {
  if (texts.empty()) {
    texts.push_back("");
    text_numbers[""] = 0;
  }
  if (!string) return 0;
  auto known = text_numbers.insert({string, texts.size()});
  if (known.second) texts.push_back(string);
  return known.first->second;
}

size_t path_text(const char *path) {
  return text(path ? remap_debug_filename(path) : nullptr);
}

const char *linkage_name(tree decl) {
  const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
  return name + (name[0] == '*');
}

counted_function describe_function(function *fun) {
  counted_function counted = {};
  counted.symbol = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl));
  counted.file = path_text(DECL_SOURCE_FILE(fun->decl));
  counted.line = DECL_SOURCE_LINE(fun->decl);
  if (!asked.expressions) counted.label = callee_label(fun);
  counted.name = text(linkage_name(fun->decl));
  counted.is_public = TREE_PUBLIC(fun->decl);
  counted.from_source = asked.expressions;
  counted.code = text_hash(linkage_name(fun->decl));
  return counted;
}

// Nodes are numbered as they come.
void add_flow(counted_function &function, size_t from, size_t to, size_t counter) {
  size_t ends[] = {from, to};
  for (size_t &node : ends)
    node = function.nodes.insert({node, function.nodes.size()}).first->second;
  function.flows.push_back({ends[0], ends[1], counter});
}

void add_code(counted_function &function, const flow_graph &graph) {
  for (const flow_edge &edge : graph.edges)
    for (gimple *statement : edge.statements) {
      function.code = counter_checksum_add(function.code, gimple_code(statement));
      if (gimple_code(statement) == GIMPLE_ASSIGN || gimple_code(statement) == GIMPLE_COND)
        function.code = counter_checksum_add(function.code, gimple_expr_code(statement));
    }
}

void add_point(counted_function &function, unsigned kind, gcall *call, size_t flow, size_t cell) {
  counted_point point = {};
  point.kind = kind;
  point.flow = flow;
  point.cell = cell;
  if (call) {
    if (tree callee = gimple_call_fndecl(call)) {
      point.callee = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(definition_of(callee)));
      point.name = text(linkage_name(callee));
    }
    expanded_location place = expand_location(gimple_location(call));
    point.file = path_text(place.file);
    point.line = place.line;
    point.column = place.column;
    point.origin = inlined_origin(function, gimple_location(call));
  }
  function.points.push_back(point);
}

size_t next_counter() {
  return counters;
}

size_t new_counters(size_t count) {
  size_t first = counters;
  counters += count;
  return first;
}

void keep_description(const counted_function &function) {
  described.push_back(function);
}

bool any_description() {
  return !described.empty();
}

void emit_descriptions() {
  if (described.empty()) return;
  size_t directory = path_text(get_src_pwd());
  counted_unit unit = {described, texts, directory, counters,
                       unit_checksum(described, texts, counters)};
  write_counters(unit, the_way(), asm_out_file);
  write_section(unit, gcc_symbols(), asm_out_file);
}

} // namespace ascribe
