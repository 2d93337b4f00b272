// What was counted where, written for whoever reads the counters (ascribe/counter_points.h).
//
// The section is named like debug information: linkers then take references into what they leave
// out for zeros, and strip and objcopy move it to where debug information goes.
#include "gcc_plugin.h"

#include "memmodel.h"
#include "output.h"
#include "tm.h"

#include "toplev.h"

#include <cinttypes>

#include "ascribe/counter_points.h"
#include "ascribe/hook.h"

namespace ascribe {
namespace {

std::vector<counted_function> functions;
size_t counters = 1; // the first has the unit's checksum

size_t text_hash(const char *text) {
  uint64_t hash = COUNTER_CHECKSUM_START;
  while (*text)
    hash = counter_checksum_add(hash, static_cast<unsigned char>(*text++));
  return hash;
}

// The strings of the unit; the first is empty.
std::map<std::string, size_t> offsets;
std::vector<std::string> strings;
size_t string_bytes;

void emit_string(const std::string &string) {
  fputs("\t.ascii\t\"", asm_out_file);
  for (unsigned char c : string)
    if (c < ' ' || c > '~' || c == '"' || c == '\\')
      fprintf(asm_out_file, "\\%03o", c);
    else
      fputc(c, asm_out_file);
  fputs("\\000\"\n", asm_out_file);
}

// A function that this unit's text holds; that another defines is told by its name.
bool is_defined_here(const std::string &assembler_name) {
  symtab_node *node = symtab_node::get_for_asmname(get_identifier(assembler_name.c_str()));
  cgraph_node *callee = node ? dyn_cast<cgraph_node *>(node) : nullptr;
  return callee && !callee->ifunc_resolver && TREE_ASM_WRITTEN(callee->decl);
}

// By assembler name, from 1 on.
std::map<std::string, size_t> numbers;

// 0: another unit's.
size_t number_of(const std::string &symbol) {
  auto found = numbers.find(symbol);
  return found == numbers.end() ? 0 : found->second;
}

void emit_point(const counted_point &point) {
  fputs("\t.quad\t", asm_out_file);
  if (!point.callee.empty() && is_defined_here(point.callee))
    assemble_name(asm_out_file, point.callee.c_str());
  else
    fputc('0', asm_out_file);
  fprintf(asm_out_file, "\n\t.long\t%u, %zu, %zu, %zu, %zu, %u, %u, %zu\n", point.kind, point.flow,
          point.kind == POINT_CALL ? number_of(point.callee) : point.cell, point.name, point.file,
          point.line, point.column, point.origin);
}

// NO_COUNTER and COUNTED_AT_SITES are -1 and -2.
unsigned counter_code(size_t counter) {
  return static_cast<uint32_t>(counter) + 2;
}

void emit_range(const counted_range &range) {
  fprintf(asm_out_file, "\t.uleb128\t%u, %zu, %zu, %u, %u, %u, %u, %zu", range.kind, range.origin,
          range.file, range.line, range.column, range.end_line, range.end_column,
          range.flows.size());
  for (size_t flow : range.flows)
    fprintf(asm_out_file, ", %zu", flow);
  fputc('\n', asm_out_file);
}

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
  for (const counted_function &function : functions)
    checksum = counter_checksum_add(checksum, checksum_of(function));
  return checksum | COUNTER_CHECKSUM_MARK;
}

unsigned flags_of(const counted_function &function) {
  return (function.is_public ? COUNTED_PUBLIC : 0) |
         (function.lacks_source ? COUNTED_WITHOUT_SOURCE : 0) |
         (function.from_source ? COUNTED_SOURCE : 0);
}

void emit_line(const counted_line &line) {
  fprintf(asm_out_file, "\t.uleb128\t%zu, %u, %zu, %zu", line.file, line.line, line.places.size(),
          line.steps.size());
  for (size_t flow : line.places)
    fprintf(asm_out_file, ", %zu", flow);
  for (const counted_step &step : line.steps)
    fprintf(asm_out_file, ", %zu, %zu, %zu", step.from, step.to, step.flow);
  fputc('\n', asm_out_file);
}

// One that was optimised away, or is no function of its own any more, has no address.
void emit_address(const counted_function &function) {
  if (!function.from_source)
    fprintf(asm_out_file, "\t.quad\t.Lascribe_f%zu\n", function.label);
  else if (is_defined_here(function.symbol)) {
    fputs("\t.quad\t", asm_out_file);
    assemble_name(asm_out_file, function.symbol.c_str());
    fputc('\n', asm_out_file);
  } else
    fputs("\t.quad\t0\n", asm_out_file);
}

void emit_function(const counted_function &function) {
  size_t number = number_of(function.symbol);
  emit_address(function);
  fprintf(asm_out_file,
          "\t.long\t%zu, %u, %zu, %zu, %zu, .Lascribe_g%zu_end-.Lascribe_g%zu\n"
          "\t.quad\t%" PRIu64 "\n",
          function.name, flags_of(function), function.points.size(), function.flows.size(),
          function.nodes.size(), number, number, checksum_of(function));
  for (const counted_point &point : function.points)
    emit_point(point);
  fprintf(asm_out_file, ".Lascribe_g%zu:\n", number);
  for (const counted_flow &flow : function.flows)
    fprintf(asm_out_file, "\t.uleb128\t%zu, %zu, %u\n", flow.from, flow.to,
            counter_code(flow.counter));
  fprintf(asm_out_file, "\t.uleb128\t%zu\n", function.origins.size());
  for (const counted_origin &origin : function.origins)
    fprintf(asm_out_file, "\t.uleb128\t%u, %zu, %zu, %zu, %u, %zu, %u, %u\n", origin.kind,
            origin.parent, origin.name, origin.file, origin.line, origin.call_file,
            origin.call_line, origin.call_column);
  fprintf(asm_out_file, "\t.uleb128\t%zu\n", function.ranges.size());
  for (const counted_range &range : function.ranges)
    emit_range(range);
  fprintf(asm_out_file, "\t.uleb128\t%zu, %u, %zu\n", function.file, function.line,
          function.lines.size());
  for (const counted_line &line : function.lines)
    emit_line(line);
  fprintf(asm_out_file, "\t.balign\t8\n.Lascribe_g%zu_end:\n", number);
}

void emit_unit() {
  for (const counted_function &function : functions)
    numbers.insert({function.symbol, numbers.size() + 1});
  size_t directory = text(get_src_pwd());
  fprintf(asm_out_file,
          "\t.pushsection\t" COUNTER_POINTS_SECTION ",\"\",@progbits\n"
          "\t.balign\t8\n"
          ".Lascribe_points:\n"
          "\t.long\t%u, .Lascribe_points_end-.Lascribe_points\n"
          "\t.quad\t.Lascribe_counters\n"
          "\t.long\t%zu, %zu, .Lascribe_strings-.Lascribe_points, %zu\n",
          COUNTER_POINTS_MAGIC, counters, functions.size(), directory);
  for (const counted_function &function : functions)
    emit_function(function);
  fputs(".Lascribe_strings:\n", asm_out_file);
  for (const std::string &string : strings)
    emit_string(string);
  fputs("\t.balign\t8\n"
        ".Lascribe_points_end:\n"
        "\t.popsection\n",
        asm_out_file);
}

// How this unit's code finds its counters: struct ascribe_unit's mask.
const char *unit_mask() {
  static_assert(ASCRIBE_UNIT_DIRECT == 1 && ASCRIBE_UNIT_SEGMENT == 2, "these are written as text");
  if (for_shared_library()) return "0, 0";
  // That of no executable cannot be linked: where the word is, is known in executables only.
  return counts_by_segment() ? "2, ascribe.counts@tpoff" : "1, 0";
}

// The counters, and the unit's entry that says where they are (include/ascribe/hook.h).
void emit_counters() {
  fprintf(asm_out_file,
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

} // namespace

size_t text(const char *string) {
  if (strings.empty()) {
    strings.push_back("");
    offsets[""] = 0;
    string_bytes = 1;
  }
  if (!string) return 0;
  auto known = offsets.find(string);
  if (known != offsets.end()) return known->second;
  size_t offset = string_bytes;
  offsets[string] = offset;
  strings.push_back(string);
  string_bytes += strlen(string) + 1;
  return offset;
}

const char *linkage_name(tree decl) {
  const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
  return name + (name[0] == '*');
}

counted_function describe_function(function *fun) {
  counted_function counted = {};
  counted.symbol = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl));
  counted.from_source = counts_source();
  counted.file = text(DECL_SOURCE_FILE(fun->decl));
  counted.line = DECL_SOURCE_LINE(fun->decl);
  if (!counted.from_source) counted.label = callee_label(fun);
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
      point.callee = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(callee));
      point.name = text(linkage_name(callee));
    }
    expanded_location place = expand_location(gimple_location(call));
    point.file = text(place.file);
    point.line = place.line;
    point.column = place.column;
    point.origin = inlined_origin(function, gimple_location(call));
  }
  function.points.push_back(point);
}

size_t new_counter() {
  return counters++;
}

void keep_description(const counted_function &function) {
  functions.push_back(function);
}

bool any_description() {
  return !functions.empty();
}

void emit_descriptions() {
  if (functions.empty()) return;
  describe_gone(functions);
  emit_counters();
  emit_unit();
}

} // namespace ascribe
