// Collects, while the unit's functions are compiled, what each counter counts.
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "file-prefix-map.h"
#include "memmodel.h"
#include "output.h"
#include "tm.h"

#include "toplev.h"

#include <cinttypes>

#include "ascribe/counter_points.h"
#include "ascribe/hook.h"

namespace ascribe {
namespace {

std::vector<counted_function> described;
size_t counters = 1; // the first has the unit's checksum

size_t text_hash(const char *text) {
  uint64_t hash = COUNTER_CHECKSUM_START;
  while (*text)
    hash = counter_checksum_add(hash, static_cast<unsigned char>(*text++));
  return hash;
}

// The names of the unit; the first is empty.
std::map<std::string, size_t> text_numbers;
std::vector<std::string> texts;

// Of all that the counts of a function rest on, but for names of files: what is built the same
// elsewhere fits.
uint64_t checksum_of(const counted_function &function) {
  uint64_t checksum = function.code;
  auto add = [&checksum](std::initializer_list<size_t> numbers) {
    for (size_t number : numbers)
      checksum = counter_checksum_add(checksum, number);
  };
  add({function.is_public, function.points.size(), function.flows.size(), function.origins.size(),
       function.ranges.size()});
  for (const counted_point &point : function.points)
    add({point.kind, point.flow, point.cell, text_hash(point.callee.c_str()), point.line,
         point.column});
  for (const counted_flow &flow : function.flows)
    add({flow.from, flow.to, flow.counter});
  for (const counted_origin &origin : function.origins)
    add({origin.parent, origin.line, origin.call_line, origin.call_column});
  for (const counted_range &range : function.ranges) {
    add({range.kind, range.origin, range.line, range.column, range.end_line, range.end_column});
    if (range.kind == RANGE_CASE) add({range.which, text_hash(texts[range.label].c_str())});
    for (size_t flow : range.flows)
      add({flow});
  }
  for (const counted_line &line : function.lines) {
    add({line.line, line.places.size(), line.steps.size()});
    for (size_t flow : line.places)
      add({flow});
    for (const counted_step &step : line.steps)
      add({step.from, step.to, step.flow});
  }
  return checksum;
}

uint64_t unit_checksum() {
  uint64_t checksum = counter_checksum_add(COUNTER_CHECKSUM_START, counters);
  for (const counted_function &function : described)
    checksum = counter_checksum_add(checksum, checksum_of(function));
  return checksum | COUNTER_CHECKSUM_MARK;
}

// How this unit's code finds its counters: struct ascribe_unit's mask.
const char *unit_mask() {
  static_assert(ASCRIBE_UNIT_DIRECT == 1 && ASCRIBE_UNIT_SEGMENT == 2, "these are written as text");
  if (for_shared_library()) return "0, 0";
  // Where a thread-local variable is, is known in executables only: no library can be linked with
  // it. One of the unit's own, which takes no room, for objcopy may make all symbols local.
  return counts_by_segment() ? "2, .Lascribe_executable@tpoff" : "1, 0";
}

// The counters, and the unit's entry that says where they are (include/ascribe/hook.h).
void emit_counters() {
  fprintf(asm_out_file,
          "\t.pushsection\t.tbss,\"awT\",@nobits\n"
          ".Lascribe_executable:\n"
          "\t.popsection\n"
          "\t.pushsection\tascribe_counts,\"aw\",@nobits\n"
          "\t.balign\t64\n"
          ".Lascribe_counters:\n"
          "\t.zero\t%zu\n"
          "\t.popsection\n"
          "\t.pushsection\tascribe_units,\"aw\",@progbits\n"
          "\t.balign\t32\n"
          ".Lascribe_unit:\n"
          "\t.quad\t.Lascribe_counters\n"
          "\t.long\t%s\n"
          "\t.quad\t%" PRIu64 ", 0\n"
          "\t.popsection\n",
          8 * counters, unit_mask(), unit_checksum());
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
  emit_counters();
  emit_section({described, texts, directory, counters, unit_checksum()});
}

} // namespace ascribe
