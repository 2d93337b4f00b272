// The plugin for clang: what all its parts share.
//
// One pass over the module, after all optimisation, gives every chosen function the counters that
// include/ascribe/hook.h describes ("Counts"), and the object their description. The interfaces of
// LLVM that differ between its versions are used in pass_plugin.cc only.
#ifndef ASCRIBE_INSTRUMENT_COUNTING_PASS_H
#define ASCRIBE_INSTRUMENT_COUNTING_PASS_H

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <set>
#include <string>
#include <vector>

#include "instrument/common/counted_unit.h"
#include "instrument/common/flow_nodes.h"

namespace ascribe {

// What the compile command asked for (-mllvm -ascribe-KEY=VALUE).
struct options {
  std::vector<std::string> only, skip; // patterns; nothing in `only`: everything
  std::vector<std::string> centres;    // patterns: functions that are cost centres
  unsigned leaf_statements;            // leaf functions of up to this many have no counters
  bool all_counters;                   // one for each piece, to check what is else derived
  bool without_gs;                     // the program needs %gs for itself
  bool report;                         // name every function with counters on stderr
};
options the_options();

// pass_plugin.cc
llvm::Type *pointer_to(llvm::Type *type);
// An estimate, and what is known of loops.
struct function_estimates {
  virtual ~function_estimates() = default;
  // How often it is executed each time that the function is entered.
  virtual double frequency(const llvm::BasicBlock &block) = 0;
  // The way back to the head of a loop that ends for sure.
  virtual bool ends_surely(const llvm::BasicBlock &from, const llvm::BasicBlock &to) = 0;
};

// function_choice.cc: the functions of the module that get counters.
std::set<const llvm::Function *> chosen_functions(llvm::Module &module, const options &asked);

// Is it to be a cost centre?
bool is_centre(const llvm::Function &function, const options &asked);
// Its name with its classes and namespaces, without parameters.
std::string qualified_name(const llvm::Function &function);
// Resolvers of ifuncs that call functions of other units.
std::set<llvm::Function *> early_callers(llvm::Module &module);
// Marks that would make the compiler call hooks, which say which functions may have counters.
void take_marks_off(llvm::Module &module);

// call_kinds.cc
const llvm::GlobalValue *called_by_name(const llvm::CallBase &call); // or null: by a pointer
std::string linkage_name(const llvm::GlobalValue &symbol);
bool is_counted_call(const llvm::CallBase &call);
void mark_as_ours(llvm::CallBase &call); // it comes back, and nobody counts it
bool may_lose_control(const llvm::Instruction &instruction);

// call_flow.cc: the flow graph of a function, and which of its edges have counters.
struct flow_edge {
  size_t from, to; // nodes
  double frequency;
  bool is_entry;                       // else straight through code
  std::vector<llvm::CallBase *> calls; // that are counted
  bool wanted;                         // it is to be known how much flows here
  bool counted;                        // by a counter; else it follows from others
};
struct flow_graph : flow_nodes {
  std::vector<flow_edge> edges; // the entry comes first
};
flow_graph place_counters(llvm::Function &function, function_estimates &estimates,
                          const options &asked, bool counted_at_sites);
llvm::CallBase *first_call_by_name(const flow_edge &edge); // or null

// site_counts.cc: functions that only this unit calls, and only by name, from chosen ones.
std::set<const llvm::Function *> counted_at_sites(llvm::Module &module,
                                                  const std::set<const llvm::Function *> &chosen);

// increments.cc: machine code that counts, put in where the builder is.
// A statement in AT&T's syntax, which keeps its place among others of its kind.
llvm::CallInst *add_assembly(llvm::IRBuilder<> &at, llvm::Type *result,
                             llvm::ArrayRef<llvm::Value *> inputs, const std::string &text,
                             const std::string &constraints);
struct call_through_pointer {
  llvm::CallBase *call;
  size_t cell;     // its first counter
  size_t function; // label of its function
  size_t ordinal;  // its number among the function's such calls
  bool rare;       // rarer than the function
};
void count(llvm::IRBuilder<> &at, counting_way way, size_t counter);
void give_gate(llvm::IRBuilder<> &at); // of executables: to code that runs before there is one
void count_callee(counting_way way, const call_through_pointer &site);

// gs_use.cc: an error where the function uses %gs itself.
bool refuse_use_of_gs(const llvm::Function &function);

// built_in_centres.cc: makes the functions cost centres that the user asked for, while their text
// is as the front end wrote it. Whether there are any.
bool insert_centres(llvm::Module &module, const options &asked);

// marked_types.cc: the section of allocated blocks' types.
void write_allocations(llvm::Module &module);

// unit_description.cc: what the module's counters count.
class unit_description {
public:
  explicit unit_description(llvm::Module &module);
  counted_function begin(const llvm::Function &function);
  void add_flow(counted_function &counted, size_t from, size_t to, size_t counter);
  void add_point(counted_function &counted, unsigned kind, const llvm::CallBase *call, size_t flow,
                 size_t cell);
  size_t new_counters(size_t count); // the first of them
  void keep(const counted_function &counted) { functions.push_back(counted); }
  // Appends counters, descriptions and inert definitions to the module.
  void write(counting_way way);

private:
  llvm::Module &module;
  std::vector<counted_function> functions;
  std::map<std::string, size_t> text_numbers;
  std::vector<std::string> texts;
  std::string directory; // where relative paths begin
  size_t counters = 1;   // the first has the unit's checksum

  size_t text(const std::string &name);
  size_t path_text(const llvm::DIFile *file);
  size_t origin_of(counted_function &counted, const llvm::DILocation *place);
};

} // namespace ascribe

#endif
