// The types of allocated blocks, as clang marks calls of `new` with them (!heapallocsite) where
// there is debug information. Nothing in a module tells which type a cast of malloc's result makes.
#include "instrument/llvm/counting_pass.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include "instrument/common/allocation_section.h"

namespace ascribe {
namespace {

// What two different types of a scope cannot both be.
std::string with_scopes(const llvm::DIScope *scope, const std::string &name) {
  if (!scope || name.empty() || llvm::isa<llvm::DIFile>(scope) ||
      llvm::isa<llvm::DICompileUnit>(scope))
    return name;
  std::string outer = scope->getName().str();
  if (outer.empty() && llvm::isa<llvm::DINamespace>(scope)) outer = "(anonymous namespace)";
  return with_scopes(scope->getScope(), outer.empty() ? name : outer + "::" + name);
}

// Of which type something is, without what is the same memory.
const llvm::DIType *bare(const llvm::DIType *type) {
  while (type) {
    auto *derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
    auto *composite = llvm::dyn_cast<llvm::DICompositeType>(type);
    if (derived && derived->getTag() != llvm::dwarf::DW_TAG_pointer_type)
      type = derived->getBaseType();
    else if (composite && composite->getTag() == llvm::dwarf::DW_TAG_array_type)
      type = composite->getBaseType();
    else
      break;
  }
  return type;
}

std::string name_of(const llvm::DIType *type) {
  if (!(type = bare(type))) return "";
  auto *composite = llvm::dyn_cast<llvm::DICompositeType>(type);
  if (composite && composite->getIdentifier().substr(0, 4) == "_ZTS")
    return composite->getIdentifier().str();
  auto *pointer = llvm::dyn_cast<llvm::DIDerivedType>(type);
  if (!pointer) return with_scopes(type->getScope(), type->getName().str());
  const llvm::DIType *to = bare(pointer->getBaseType());
  std::string name = to ? with_scopes(to->getScope(), to->getName().str()) : "void";
  return name.empty() ? name : name + "*";
}

void add_call(allocation_types &types, const llvm::CallBase &call) {
  auto *type = llvm::dyn_cast_or_null<llvm::DIType>(call.getMetadata("heapallocsite"));
  const llvm::DILocation *place = call.getDebugLoc().get();
  std::string name = name_of(type);
  if (!place || name.empty()) return;
  const llvm::DISubprogram *function = place->getScope()->getSubprogram();
  llvm::StringRef linkage = function->getLinkageName();
  types.add({(linkage.empty() ? function->getName() : linkage).str(), place->getFilename().str(),
             place->getLine(), place->getColumn(), call.hasRetAttr(llvm::Attribute::NoAlias),
             name});
}

} // namespace

void write_allocations(llvm::Module &module) {
  allocation_types types;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) add_call(types, *call);
  std::string text = types.text();
  if (!text.empty()) module.appendModuleInlineAsm(text);
}

} // namespace ascribe
