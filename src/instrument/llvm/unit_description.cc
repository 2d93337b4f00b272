// What the module's counters count, and where that stands in the source.
#include "instrument/llvm/counting_pass.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include "ascribe/counter_points.h"
#include "ascribe/inert.h"
#include "recording/layout.h"

namespace ascribe {
namespace {

static_assert(HOOKS_COUNTS == 16, "it is written as text");

// As the assembler reads it.
std::string quoted(const std::string &name) {
  std::string text = "\"";
  for (char letter : name) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"";
}

// Names that others may define are told by \1 or not.
const llvm::GlobalValue *symbol_named(const llvm::Module &module, const std::string &name) {
  const llvm::GlobalValue *plain = module.getNamedValue(name);
  return plain ? plain : module.getNamedValue("\1" + name);
}

class module_symbols : public unit_symbols {
public:
  explicit module_symbols(const llvm::Module &module) : module(module) {}

  bool is_defined(const std::string &symbol) const override {
    const llvm::GlobalValue *value = symbol_named(module, symbol);
    return value && !value->isDeclaration() && !value->hasAvailableExternallyLinkage() &&
           !llvm::isa<llvm::GlobalIFunc>(value);
  }
  std::string meaning(const std::string &symbol) const override {
    auto *alias = llvm::dyn_cast_or_null<llvm::GlobalAlias>(symbol_named(module, symbol));
    const auto *meant = alias ? alias->getAliaseeObject() : nullptr;
    return meant ? linkage_name(*meant) : symbol;
  }
  bool has_copies(const std::string &symbol) const override {
    return symbol_named(module, symbol)->isWeakForLinker();
  }
  void write(FILE *out, const std::string &symbol) const override {
    fputs(quoted(symbol).c_str(), out);
  }

private:
  const llvm::Module &module;
};

std::string path_of(const llvm::DIFile &file) {
  std::string name = file.getFilename().str(), folder = file.getDirectory().str();
  return folder.empty() || llvm::sys::path::is_absolute(name) ? name : folder + "/" + name;
}

std::string compilation_directory(const llvm::Module &module) {
  for (const llvm::DICompileUnit *unit : module.debug_compile_units())
    if (!unit->getDirectory().empty()) return unit->getDirectory().str();
  return "";
}

// The unit's labels of functions, by which descriptions and sites know them.
void write_labels(const std::vector<counted_function> &functions, FILE *out) {
  for (const counted_function &function : functions)
    fprintf(out, "\t.set\t.Lascribe_f%zu, %s\n", function.label, quoted(function.symbol).c_str());
}

const char *inert_definitions(counting_way way) {
  if (way == COUNTS_IN_LIBRARY) return ASCRIBE_INERT_LIBRARY_COUNTS ASCRIBE_INERT_WAY("16");
  return ASCRIBE_INERT_DEFINITIONS ASCRIBE_INERT_COUNTS ASCRIBE_INERT_WAY("16");
}

} // namespace

unit_description::unit_description(llvm::Module &module)
    : module(module), directory(compilation_directory(module)) {
  text("");
}

size_t unit_description::text(const std::string &name) {
  auto known = text_numbers.insert({name, texts.size()});
  if (known.second) texts.push_back(name);
  return known.first->second;
}

// Relative to the unit's directory where debug information has it so.
size_t unit_description::path_text(const llvm::DIFile *file) {
  if (!file) return text(module.getSourceFileName());
  std::string path = path_of(*file), here = directory + "/";
  bool inside = !directory.empty() && file->getDirectory() == directory && path.find(here) == 0;
  return text(inside ? path.substr(here.size()) : path);
}

counted_function unit_description::begin(const llvm::Function &function) {
  counted_function counted = {};
  const llvm::DISubprogram *source = function.getSubprogram();
  counted.symbol = linkage_name(function);
  counted.label = functions.size();
  counted.name = text(counted.symbol);
  counted.file = path_text(source ? source->getFile() : nullptr);
  counted.line = source ? source->getLine() : 0;
  counted.is_public = !function.hasLocalLinkage();
  counted.code = text_hash(counted.symbol.c_str());
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      counted.code = counter_checksum_add(counted.code, instruction.getOpcode());
  return counted;
}

// Nodes are numbered as they come.
void unit_description::add_flow(counted_function &counted, size_t from, size_t to, size_t counter) {
  size_t ends[] = {from, to};
  for (size_t &node : ends)
    node = counted.nodes.insert({node, counted.nodes.size()}).first->second;
  counted.flows.push_back({ends[0], ends[1], counter});
}

// The call that was inlined, through which code came here; 0: the function's own code.
size_t unit_description::origin_of(counted_function &counted, const llvm::DILocation *place) {
  const llvm::DILocation *call = place ? place->getInlinedAt() : nullptr;
  if (!call) return 0;
  auto known = counted.scopes.find(call);
  if (known != counted.scopes.end()) return known->second;
  const llvm::DISubprogram *inlined = place->getScope()->getSubprogram();
  counted_origin origin = {};
  origin.kind = ORIGIN_INLINED;
  origin.parent = origin_of(counted, call);
  origin.name = text(
      (inlined->getLinkageName().empty() ? inlined->getName() : inlined->getLinkageName()).str());
  origin.file = path_text(inlined->getFile());
  origin.line = inlined->getLine();
  origin.call_file = path_text(call->getFile());
  origin.call_line = call->getLine();
  origin.call_column = call->getColumn();
  counted.origins.push_back(origin);
  return counted.scopes[call] = counted.origins.size();
}

void unit_description::add_point(counted_function &counted, unsigned kind,
                                 const llvm::CallBase *call, size_t flow, size_t cell) {
  counted_point point = {};
  point.kind = kind;
  point.flow = flow;
  point.cell = cell;
  if (call) {
    if (const llvm::GlobalValue *callee = called_by_name(*call)) {
      point.callee = linkage_name(*callee);
      point.name = text(point.callee);
    }
    const llvm::DILocation *place = call->getDebugLoc().get();
    point.file = path_text(place ? place->getFile() : nullptr);
    point.line = place ? place->getLine() : 0;
    point.column = place ? place->getColumn() : 0;
    point.origin = origin_of(counted, place);
  }
  counted.points.push_back(point);
}

size_t unit_description::new_counters(size_t count) {
  size_t first = counters;
  counters += count;
  return first;
}

void unit_description::write(counting_way way) {
  size_t place = text(directory), size = 0;
  char *bytes = nullptr;
  FILE *out = open_memstream(&bytes, &size);
  counted_unit unit = {functions, texts, place, counters,
                       unit_checksum(functions, texts, counters)};
  write_labels(functions, out);
  write_counters(unit, way, out);
  write_section(unit, module_symbols(module), out);
  fputs(inert_definitions(way), out);
  fclose(out);
  module.appendModuleInlineAsm(llvm::StringRef(bytes, size));
  free(bytes);
}

} // namespace ascribe
