// The hooks that keep the running context (include/ascribe/hook.h): at the entry, at call sites and
// at exits.
#ifndef ASCRIBE_INSTRUMENT_GCC_CONTEXT_HOOKS_H
#define ASCRIBE_INSTRUMENT_GCC_CONTEXT_HOOKS_H

#include "instrument/gcc/target/assembly.h"

namespace ascribe {

// entrances.cc: who calls a function, as the call graph has it once it is final.
void find_entrances();
// Is it only called, and only by functions with hooks? Then its entry need not be tested.
bool only_called_with_hooks(tree decl);
// And does it call nobody who might have hooks? Then it needs none: its callers count.
bool is_counted_leaf(tree decl);
// May its callers end with a jump to it? Then it puts back what the cell held before them.
bool may_end_callers(tree decl);
// Has this unit its text?
bool has_text_here(tree decl);

// sibling.cc: is the call in tail position, and will it be a jump?  One that cannot be
// loses its mark.
bool becomes_jump(function *fun, gcall *call);

// sites.cc: the calls of a function, and their slots.
struct call_site {
  gcall *call;
  unsigned kind; // enum ascribe_site_kind, ASCRIBE_SITE_TAIL; 0: may call back, and is not counted
  int place;     // of its slot, in bytes from the row; 0: it has none
  tree callee;   // null: a pointer
  bool shared;   // the slot and the entry of an earlier site
  unsigned number;
  bool written_later = false; // the own row need not be put back at once
};
std::vector<call_site> find_sites(function *fun);
// `rests`: what the cell holds while the function itself runs.
void insert_sites(const std::vector<call_site> &sites, tree own, tree rests, size_t number);

// returns.cc: sets written_later.
void leave_out_returns(std::vector<call_site> &sites);

// points.cc: where control leaves the function or comes back to it.
struct points {
  std::vector<gimple *> leaves;      // returns, RESX out of the function, jumps to what is no site
  std::vector<gimple *> comes_back;  // calls that may return a second time or elsewhere
  std::vector<basic_block> arrivals; // landing pads and non-local labels
  std::vector<gimple *> throws_across; // may throw, and nothing here would notice
};
points find_points(function *fun, const std::vector<call_site> &sites);

// entry.cc: the own row.
tree insert_entry(function *fun, size_t number, bool tests);
// May it be a signal handler, by its type? A signal may interrupt it and enter it anew.
bool may_be_handler(tree decl);
// It keeps its row tagged while it runs, so that its entry is found to be new.
tree keep_tagged(tree own);
// What a row has at an offset from it; the canonical frame address.
tree row_field(tree row, tree type, int offset);
tree frame_address(appender &at);

// exits.cc: puts back what the cell held before, and the own row where control comes back.
void insert_exits(function *fun, const points &where, tree own, tree rests, bool restores);

// function_rows.cc: what the runtime has to know of a function with rows, struct ascribe_function.
unsigned function_number(tree decl);
size_t keep_function(function *fun);
void keep_sites(size_t number, const std::vector<call_site> &sites, bool keeps_cell);
// Is its struct known at sites that call it? Only what is sure to be in the same object, and there
// as long as the caller is.
bool is_known_callee(tree decl);
tree rows_symbol(size_t number); // its address
// What an asm statement writes to get to the function's places; `.popsection` leads back.
std::string places_section(size_t number);
void emit_rows();

} // namespace ascribe

#endif
