// What the runtime has to know of a function with rows: struct ascribe_function of
// include/ascribe/hook.h, as assembly text at the end of the unit.
//
// The places of a function's sites are written by the asm statements that count there, and so are
// as many as there are copies of them. They go to a subsection behind the function's, so that both
// lie together. A section has room for few subsections: large units have several.
#include "instrument/gcc/contexts/context_hooks.h"

#include "fold-const.h"
#include "output.h"
#include "varasm.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

enum { SUBSECTIONS = 3, FUNCTIONS_IN_SECTION = 2000 };

struct kept_site {
  int place;
  unsigned kind, arguments;
  size_t callee; // number in the unit, plus 1; 0: not known
};
struct kept_function {
  std::string code;  // .Lascribe_f<N>
  std::string group; // of its section, if it has one
  bool own_section, keeps_cell, emitted;
  unsigned number;
  int above, leaves;
  std::vector<kept_site> sites;
};
std::vector<kept_function> kept;
std::map<unsigned, size_t> numbered; // by DECL_UID

unsigned hash_text(unsigned hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

size_t number_of(tree decl) {
  auto found = numbered.find(DECL_UID(decl));
  if (found != numbered.end()) return found->second;
  kept_function function = {};
  function.number = function_number(decl);
  function.above = sizeof(ascribe_row);
  function.code = "";
  function.own_section = flag_function_sections || DECL_COMDAT_GROUP(decl);
  if (tree group = DECL_COMDAT_GROUP(decl)) function.group = IDENTIFIER_POINTER(group);
  kept.push_back(function);
  return numbered[DECL_UID(decl)] = kept.size() - 1;
}

// Where a part of the function's data goes.
std::string section_of(size_t number, int part) {
  const kept_function &function = kept[number];
  std::string text = "\t.pushsection\t.data.ascribe.";
  if (function.own_section)
    text += "f" + std::to_string(number) + "," + std::to_string(part);
  else
    text += std::to_string(number / FUNCTIONS_IN_SECTION) + "," +
            std::to_string(number % FUNCTIONS_IN_SECTION * SUBSECTIONS + part);
  if (function.group.empty()) return text + ",\"aw\",@progbits";
  return text + ",\"awG\",@progbits," + function.group + ",comdat";
}

// Stack that arguments may take, in 16 bytes, generously: it tells whether a function that is
// entered was called here.
unsigned arguments_of(gcall *call) {
  HOST_WIDE_INT bytes = 0;
  for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
    HOST_WIDE_INT size = int_size_in_bytes(TREE_TYPE(gimple_call_arg(call, i)));
    if (size < 0) return 255;
    bytes += (size + 15) / 8 * 8;
  }
  bytes = bytes > 48 ? bytes - 40 : 0; // six go in registers; large ones do not
  return bytes / 16 > 255 ? 255 : bytes / 16;
}

void emit_site(const kept_site &site) {
  fprintf(asm_out_file, "\t.quad\t0\n");
  if (site.callee)
    fprintf(asm_out_file, "\t.long\t.Lascribe_d%zu-.\n", site.callee - 1);
  else
    fprintf(asm_out_file, "\t.long\t0\n");
  fprintf(asm_out_file, "\t.short\t%d\n\t.byte\t%u, %u\n", site.place / 8, site.kind,
          site.arguments);
}

void emit_function(size_t number) {
  const kept_function &function = kept[number];
  fprintf(asm_out_file, "%s\n\t.balign\t8\n.Lascribe_d%zu:\n", section_of(number, 0).c_str(),
          number);
  fprintf(asm_out_file, "\t.long\t%s-.\n\t.long\t%u, %d, %d, %zu\n", function.code.c_str(),
          function.number, (function.above + 15) / 16 * 16, function.leaves, function.sites.size());
  fprintf(asm_out_file, "\t.long\t.Lascribe_p%zu-.\n\t.long\t.Lascribe_q%zu-.\n", number, number);
  fprintf(asm_out_file, "\t.long\t0, 0, %d\n", function.keeps_cell);
  for (const kept_site &site : function.sites)
    emit_site(site);
  fprintf(asm_out_file, ".Lascribe_p%zu:\n\t.popsection\n", number);
  fprintf(asm_out_file, "%s\n.Lascribe_q%zu:\n\t.popsection\n", section_of(number, 2).c_str(),
          number);
}

} // namespace

bool is_known_callee(tree decl) {
  return only_called_with_hooks(decl) || is_counted_leaf(decl);
}

// The same for all copies of a function in a program. A function of a unit alone is another one in
// each unit.
unsigned function_number(tree decl) {
  unsigned hash = hash_text(2166136261u, IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl)));
  if (!TREE_PUBLIC(decl)) hash = hash_text(hash, main_input_filename);
  hash |= 1;
  return hash < 3 ? 3 : hash;
}

size_t keep_function(function *fun) {
  size_t number = number_of(fun->decl);
  kept[number].code = ".Lascribe_f" + std::to_string(callee_label(fun));
  kept[number].emitted = true;
  return number;
}

void keep_sites(size_t number, const std::vector<call_site> &sites, bool keeps_cell) {
  int above = sizeof(ascribe_row), leaves = 0;
  std::vector<kept_site> described;
  for (const call_site &site : sites) {
    if (!site.kind || site.shared) continue;
    bool known = site.callee && is_known_callee(site.callee);
    size_t callee = known ? number_of(site.callee) + 1 : 0;
    described.push_back({site.place, site.kind, arguments_of(site.call), callee});
    unsigned kind = site.kind & ASCRIBE_SITE_KINDS;
    if (kind == ASCRIBE_SITE_LEAF)
      leaves++;
    else if (site.place)
      above +=
          kind == ASCRIBE_SITE_POINTER ? sizeof(ascribe_slot_pointer) : sizeof(ascribe_slot_direct);
  }
  kept_function &function = kept[number];
  function.above = above;
  function.leaves = leaves;
  function.keeps_cell = keeps_cell;
  function.sites = described;
}

tree rows_symbol(size_t number) {
  std::string name = ".Lascribe_d" + std::to_string(number);
  return build_fold_addr_expr(local_symbol(name.c_str(), char_type_node));
}

std::string places_section(size_t number) {
  return section_of(number, 1);
}

void emit_rows() {
  for (size_t number = 0; number < kept.size(); number++) {
    if (kept[number].emitted)
      emit_function(number);
    else
      fprintf(asm_out_file, "\t.set\t.Lascribe_d%zu, 0\n", number); /* its code is gone */
  }
}

} // namespace ascribe
