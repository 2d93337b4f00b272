// Functions that are cost centres (--centres): as if their text began with ASCRIBE_SCOPE, with the
// function's name as the label. ascribe/ascribe.h has in C what is written here as LLVM's code.
#include "instrument/llvm/counting_pass.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#define ASCRIBE_RUNTIME
#include "ascribe/ascribe.h"
#include "ascribe/inert.h"

namespace ascribe {
namespace {

const char SCOPES[] = "ascribe_scopes";
enum { SCOPES_WORDS = sizeof(ascribe_scopes) / 8 };
static_assert(sizeof(ascribe_scopes) % 8 == 0 && offsetof(ascribe_scopes, version) % 8 == 0,
              "it is written as words, all zeros but that of the version");
static_assert(sizeof(ascribe_centre) == 48 && offsetof(ascribe_centre, label) == 16 &&
                  offsetof(ascribe_centre, module) == 24 && offsetof(ascribe_centre, file) == 32 &&
                  offsetof(ascribe_centre, line) == 40 && offsetof(ascribe_centre, built_in) == 44,
              "it is written as words");

// Puts in code at its end. Addresses are numbers: the types of pointers differ between versions.
class code : public llvm::IRBuilder<> {
public:
  using IRBuilder::IRBuilder;

  llvm::Value *load(llvm::Type *type, llvm::Value *address, uint64_t offset,
                    bool is_volatile = false) {
    llvm::Value *place = CreateAdd(address, getInt64(offset));
    return CreateLoad(type, CreateIntToPtr(place, pointer_to(type)), is_volatile);
  }
  // Goes on at `then` if the condition holds, which is usual or not, else at `otherwise`.
  void branch(llvm::Value *condition, bool usual, llvm::BasicBlock *then,
              llvm::BasicBlock *otherwise) {
    llvm::MDBuilder weights(getContext());
    CreateCondBr(condition, then, otherwise,
                 weights.createBranchWeights(usual ? 2000 : 1, usual ? 1 : 2000));
  }
};

// The module's functions that enter and leave a centre: ascribe_scope_enter and
// ascribe_scope_leave. The compiler inlines them, at -O0 as well, and keeps no others.
class scopes_code {
public:
  explicit scopes_code(llvm::Module &module) : module(module), scopes(unit_scopes()) {
    llvm::IRBuilder<> types(module.getContext());
    word = types.getInt64Ty();
    half = types.getInt32Ty();
    enter = make_enter();
    leave = make_leave();
  }

  // From its first instruction to each of its ends, exceptions among them.
  void add_to(llvm::Function &function) {
    llvm::Constant *centre = make_centre(function);
    llvm::BasicBlock::iterator first = function.getEntryBlock().begin();
    while (llvm::isa<llvm::AllocaInst>(first)) // behind a branch they would not be of a fixed size
      ++first;
    llvm::IRBuilder<> at(&*first);
    at.SetCurrentDebugLocation(llvm::DebugLoc());
    llvm::Value *saved = at.CreateCall(enter, {centre});
    give_personality(function);
    llvm::EscapeEnumerator ends(function, "ascribe");
    while (llvm::IRBuilder<> *end = ends.Next()) {
      end->SetCurrentDebugLocation(llvm::DebugLoc());
      end->CreateCall(leave, {centre, saved});
    }
  }

private:
  // EscapeEnumerator would give it C's personality function. LLVM inlines no function into one with
  // another personality, so a function of C++ gets that of C++.
  void give_personality(llvm::Function &function) {
    static const char name[] = "__gxx_personality_v0";
    bool is_cxx = function.getName().substr(0, 2) == "_Z" || module.getFunction(name);
    if (function.hasPersonalityFn() || function.doesNotThrow() || !is_cxx) return;
    llvm::FunctionType *type = llvm::FunctionType::get(half, true);
    function.setPersonalityFn(
        llvm::cast<llvm::Constant>(module.getOrInsertFunction(name, type).getCallee()));
  }

  llvm::Module &module;
  llvm::Constant *scopes;
  llvm::Type *word, *half;
  llvm::Function *enter, *leave;

  llvm::Constant *address(llvm::Constant *object) {
    return llvm::ConstantExpr::getPtrToInt(object, llvm::Type::getInt64Ty(module.getContext()));
  }

  llvm::GlobalVariable *make_variable(llvm::Constant *value, bool is_constant,
                                      llvm::GlobalValue::LinkageTypes linkage, const char *name) {
    return new llvm::GlobalVariable(module, value->getType(), is_constant, linkage, value, name);
  }

  // The unit's struct ascribe_scopes: it has one already if it includes ascribe/ascribe.h.
  llvm::Constant *unit_scopes() {
    llvm::GlobalVariable *known = module.getNamedGlobal(SCOPES);
    if (known && !known->isDeclaration()) return address(known);
    std::vector<uint64_t> words(SCOPES_WORDS);
    words[offsetof(ascribe_scopes, version) / 8] = ASCRIBE_SCOPES_VERSION;
    llvm::Constant *value = llvm::ConstantDataArray::get(module.getContext(), words);
    llvm::GlobalVariable *made =
        make_variable(value, false, llvm::GlobalValue::WeakAnyLinkage, SCOPES);
    made->setVisibility(llvm::GlobalValue::HiddenVisibility);
    made->setAlignment(llvm::Align(8));
    if (known) {
      known->replaceAllUsesWith(llvm::ConstantExpr::getBitCast(made, known->getType()));
      made->takeName(known);
      known->eraseFromParent();
    }
    module.appendModuleInlineAsm(ASCRIBE_INERT_SCOPES);
    return address(made);
  }

  llvm::Constant *text(const std::string &text) {
    llvm::Constant *value = llvm::ConstantDataArray::getString(module.getContext(), text);
    return address(make_variable(value, true, llvm::GlobalValue::PrivateLinkage, "ascribe_text"));
  }

  // The function's struct ascribe_centre. Its module is its file: a function of a header is one
  // centre, in whichever unit.
  llvm::Constant *make_centre(const llvm::Function &function) {
    const llvm::DISubprogram *source = function.getSubprogram();
    llvm::Constant *file =
        text((source ? source->getFilename() : llvm::StringRef(module.getSourceFileName())).str());
    uint64_t line = (uint64_t)ASCRIBE_CENTRE_BUILT_IN << 32 | (source ? source->getLine() : 0);
    llvm::Constant *words[] = {llvm::ConstantInt::get(word, ASCRIBE_CENTRE_NEW),
                               llvm::ConstantInt::get(word, 0),
                               text(qualified_name(function)),
                               file,
                               file,
                               llvm::ConstantInt::get(word, line)};
    llvm::Constant *value = llvm::ConstantArray::get(llvm::ArrayType::get(word, 6), words);
    llvm::GlobalVariable *made =
        make_variable(value, false, llvm::GlobalValue::PrivateLinkage, "ascribe_centre");
    made->setAlignment(llvm::Align(8));
    return address(made);
  }

  llvm::Function *make_function(llvm::Type *result, llvm::ArrayRef<llvm::Type *> arguments,
                                const char *name) {
    llvm::FunctionType *type = llvm::FunctionType::get(result, arguments, false);
    llvm::Function *made =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
    made->addFnAttr(llvm::Attribute::AlwaysInline);
    made->addFnAttr(llvm::Attribute::NoUnwind);
    return made;
  }

  llvm::BasicBlock *block(llvm::Function *function, const char *name) {
    return llvm::BasicBlock::Create(module.getContext(), name, function);
  }

  llvm::Value *read_thread(code &at, llvm::Type *type, llvm::Value *place) {
    const char *text = type == word ? "movq %fs:($1), $0" : "movl %fs:($1), $0";
    return add_assembly(at, type, {place}, text, "=r,r");
  }

  void write_thread(code &at, llvm::Value *place, llvm::Value *centre) {
    add_assembly(at, at.getVoidTy(), {place, centre}, "movl $1, %fs:($0)", "r,r,~{memory}");
  }

  // Branches to `not_counted` if the process is not recorded, or if ASCRIBE_CENTRES has left the
  // centre out: the runtime marks it when it is first entered. Returns the place of the thread's
  // centre.
  llvm::Value *if_counts(code &at, llvm::Function *function, llvm::BasicBlock *not_counted) {
    llvm::BasicBlock *recorded = block(function, "recorded"), *counts = block(function, "counts");
    llvm::Value *place = at.load(word, scopes, offsetof(ascribe_scopes, centre));
    at.branch(at.CreateICmpNE(place, at.getInt64(0)), false, recorded, not_counted);
    at.SetInsertPoint(recorded);
    llvm::Value *built_in = at.load(half, function->getArg(0), offsetof(ascribe_centre, built_in));
    at.branch(at.CreateICmpEQ(built_in, at.getInt32(ASCRIBE_CENTRE_BUILT_IN)), true, counts,
              not_counted);
    at.SetInsertPoint(counts);
    return place;
  }

  // The home slot of the transition.
  llvm::Value *home(code &at, llvm::Value *gate, llvm::Value *centre, llvm::Value *saved) {
    llvm::Value *mask = at.load(word, gate, 0, true), *table = at.load(word, gate, 8, true);
    llvm::Value *hash = at.CreateAdd(at.load(word, centre, offsetof(ascribe_centre, hash)),
                                     at.CreateShl(at.CreateZExt(saved, word), 3));
    return at.CreateAdd(at.CreateAdd(gate, table), at.CreateAnd(hash, mask));
  }

  // From `centre` of the runtime: what the table of transitions lacks.
  llvm::Value *call_runtime(code &at, llvm::Value *centre) {
    llvm::FunctionType *type = llvm::FunctionType::get(half, {word}, false);
    llvm::Value *entry = at.load(word, scopes, offsetof(ascribe_scopes, enter));
    llvm::CallInst *call =
        at.CreateCall(type, at.CreateIntToPtr(entry, pointer_to(type)), {centre});
    mark_as_ours(*call);
    return call;
  }

  llvm::Function *make_enter() {
    llvm::Function *made = make_function(half, {word}, "ascribe_enter_centre");
    llvm::BasicBlock *first = block(made, "first"), *known = block(made, "known"),
                     *other = block(made, "other"), *entered = block(made, "entered"),
                     *not_counted = block(made, "not_counted");
    llvm::Value *centre = made->getArg(0);
    code at(first);
    llvm::Value *place = if_counts(at, made, not_counted);
    llvm::Value *saved = read_thread(at, half, place);
    llvm::Value *gate =
        read_thread(at, word, at.load(word, scopes, offsetof(ascribe_scopes, gate)));
    llvm::Value *key = at.load(word, centre, offsetof(ascribe_centre, key), true);
    llvm::Value *slot = home(at, gate, centre, saved);
    llvm::Value *from = at.load(half, slot, offsetof(ascribe_scope_slot, from));
    llvm::Value *other_key = at.load(word, slot, offsetof(ascribe_scope_slot, key));
    at.branch(at.CreateAnd(at.CreateICmpEQ(from, saved), at.CreateICmpEQ(other_key, key)), true,
              known, other);
    at.SetInsertPoint(known);
    llvm::Value *count = at.CreateAdd(slot, at.getInt64(offsetof(ascribe_scope_slot, count)));
    add_assembly(at, at.getVoidTy(), {count}, "incq ($0)", "r,~{memory}"); // signals interrupt
    llvm::Value *to = at.load(half, slot, offsetof(ascribe_scope_slot, to));
    at.CreateBr(entered);
    at.SetInsertPoint(other);
    llvm::Value *found = call_runtime(at, centre);
    at.CreateBr(entered);
    at.SetInsertPoint(entered);
    llvm::PHINode *own = at.CreatePHI(half, 2);
    own->addIncoming(to, known);
    own->addIncoming(found, other);
    write_thread(at, place, own);
    at.CreateRet(saved);
    at.SetInsertPoint(not_counted);
    at.CreateRet(at.getInt32(0));
    return made;
  }

  llvm::Function *make_leave() {
    llvm::Function *made = make_function(llvm::Type::getVoidTy(module.getContext()), {word, half},
                                         "ascribe_leave_centre");
    llvm::BasicBlock *first = block(made, "first"), *not_counted = block(made, "not_counted");
    code at(first);
    llvm::Value *place = if_counts(at, made, not_counted);
    write_thread(at, place, made->getArg(1));
    at.CreateBr(not_counted);
    at.SetInsertPoint(not_counted);
    at.CreateRetVoid();
    return made;
  }
};

// Its text is not cut yet into the pieces between which it is suspended, and what it keeps may be
// gone when its start returns.
bool is_coroutine(const llvm::Function &function) {
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == llvm::Intrinsic::coro_begin) return true;
  }
  return false;
}

} // namespace

bool insert_centres(llvm::Module &module, const options &asked) {
  std::vector<llvm::Function *> chosen;
  for (llvm::Function &function : module)
    if (is_centre(function, asked) && !is_coroutine(function)) chosen.push_back(&function);
  if (chosen.empty()) return false;
  scopes_code code(module);
  for (llvm::Function *function : chosen)
    code.add_to(*function);
  return true;
}

} // namespace ascribe
