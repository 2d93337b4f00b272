// The GCC plugin: what all its parts share.
//
// One GIMPLE pass, after all optimisation, gives every chosen function the hooks that
// include/ascribe/hook.h describes: those that keep the context, or counters. To count the source's
// own executions, another pass places counters before optimisation begins.
// GCC is single-threaded; trees that live from one function to the next are collector roots.
#ifndef ASCRIBE_INSTRUMENT_GCC_PLUGIN_COMMON_H
#define ASCRIBE_INSTRUMENT_GCC_PLUGIN_COMMON_H

#include <map>
#include <set>
#include <string>
#include <vector>

// GCC's own headers, in the only order in which they compile.
#include "gcc-plugin.h"

#include "tree.h"

#include "gimple.h"

#include "basic-block.h"
#include "cgraph.h"
#include "function.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "stringpool.h"
#include "tree-cfg.h"

#include "instrument/gcc/location.h"

#include "instrument/gcc/compat.h"

namespace ascribe {

typedef std::set<basic_block> block_set;

// What the compile command asked for (-fplugin-arg-ascribe_gcc_plugin-KEY=VALUE).
struct options {
  std::vector<std::string> only;    // patterns; empty: everything
  std::vector<std::string> skip;    // patterns
  std::vector<std::string> centres; // patterns: functions that are cost centres
  std::set<std::string> switchers;  // functions that may return on another stack
  unsigned leaf_statements = 0;     // leaf functions with at most this many are not instrumented
  bool counts = false;              // counters, no contexts
  bool expressions = false;         // counters before optimisation: what the source executes
  bool all_counters = false;        // one at each edge, to check what is else derived
  bool without_gs = false;          // the program needs %gs for itself
  bool clock = false;               // read the cycle counter at every change of context
  bool report = false;              // name every instrumented function on stderr
};
extern options asked;

// choice.cc: is this function to be instrumented?
bool chosen(function *fun);
// The same before its text is known: of leaves that may be too small for it, this says yes.
bool chosen_by_name(tree decl);
// Is it to be a cost centre?
bool is_centre(tree decl);
// Its name with its classes and namespaces, without parameters.
std::string qualified_name(tree decl);
// Called once, while the call graph is whole: calls go from it as functions are compiled.
void find_resolvers();
// Is it the resolver of an ifunc, and are functions called there that may have hooks?
bool resolver_calls_out(function *fun);

// pieces.cc: is this a piece that GCC cut out of a function (f.part.0)?
bool is_piece(tree decl);
// Does the function go on there in a piece of its own that has hooks?
bool goes_on_in_piece(function *fun, gimple *statement);

// callee_symbols.cc: the address of the function by a symbol of its own object, .Lascribe_f<N>.
tree callee_address(function *fun);
// A symbol of this object that the assembler knows by this name.
tree local_symbol(const char *name, tree type);
size_t callee_label(function *fun);
void emit_callee_symbols();
bool any_callee();

// contract.cc: the types and symbols of hook.h as trees.
struct contract {
  tree cell_type, cell_row; // struct ascribe_cell and one of its fields
  tree gate_type, gate_mask, gate_table, gate_owner;
  tree slot_type, slot_from, slot_to, slot_callee, slot_site, slot_count;
  tree cell;          // the thread-local variable
  tree frame_address; // __builtin_dwarf_cfa
};
const contract &the_contract();
extern const struct ggc_root_tab contract_roots[];

// Does this unit's code go into shared libraries, so that the cell needs the initial-exec model?
bool for_shared_library();
// Are its counters found by the segment register %gs?  Else by a thread-local word.
bool counts_by_segment();

// Statements that write cell.row; no optimisation removes or reorders them. With asked.clock the
// time since the last change is charged first.
gimple_seq store_row(tree row);
tree cell_row(); // a volatile reference to it, in executables

// segment_use.cc: an error where the program uses %gs itself.
void refuse_use_of_gs(function *fun);

// centres.cc: makes the function, of which only the front end has seen the text, a cost centre.
void insert_centre(tree function);

// inert_definitions.cc: the weak inert definitions at the end of the unit.
void emit_inert_definitions();

} // namespace ascribe

#endif
