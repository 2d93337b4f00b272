// What GIMPLE cannot say, as assembly of one machine: the interface of gcc/target. All assembly
// text of the hooks and counters is behind it.
#ifndef ASCRIBE_INSTRUMENT_GCC_ASSEMBLY_H
#define ASCRIBE_INSTRUMENT_GCC_ASSEMBLY_H

#include "instrument/gcc/plugin_common.h"

namespace ascribe {

// appender.cc: appends statements to a block.
class appender {
public:
  explicit appender(basic_block block) : block(block) {}
  void add(gimple *statement);
  void add_sequence(gimple_seq sequence);
  tree load(tree type, tree reference);                // a new name for its value
  tree compute(tree_code code, tree left, tree right); // unsigned, 64 bits
  tree widen(tree value);                              // to that type

private:
  basic_block block;
};

// rare_blocks.cc: blocks beside the way that control usually takes.
tree u64(uint64_t value);
basic_block make_rare_block(basic_block after, basic_block join);
edge edge_before(gimple *statement);       // its block is split there
tree called_pointer(gcall *call);          // what a call through a pointer calls
basic_block next_block(basic_block block); // a new one, on its only way out
// Ends the block, whose only way out becomes the usual one, with a test that usually holds.
void end_with_test(basic_block block, tree_code code, tree left, tree right, basic_block otherwise);
// Ends a rare block, which has no way out yet, with `left == right`.
void branch(basic_block block, tree left, tree right, basic_block equal, basic_block other);
edge make_way_back(basic_block rare, basic_block join);

// x86_64.cc: what GIMPLE cannot say, as asm statements of one machine.
// value & memory and value + memory, each as one instruction, in this order.
tree and_memory(appender &at, tree value, tree memory);
tree add_memory(appender &at, tree value, tree memory);
// ++memory that no signal can interrupt.
void increment(appender &at, tree memory);
// From the rare ways of the hooks (ascribe/hook.h), keeping all registers; the row.
tree call_row_enter(appender &at, tree function, tree frame);
// Before a call, at which there is no red zone. `callee`: the pointer that is called, or null.
tree call_row_call(appender &at, tree own, unsigned site, tree callee);
tree call_row_jump(appender &at, tree own, unsigned site, tree callee, tree frame);
// ++memory that no signal can interrupt, at a site of the function with this number in the unit.
// `callee`: its symbol, or null.
gimple *count_site(tree memory, size_t function, unsigned site, const char *callee);
// Only says that the site is here.
gimple *mark_site(size_t function, unsigned site);
// In a library with counters: the runtime counts another callee than the cell's.
tree call_slow(appender &at, tree callee, tree site);
// ascribe_read_clock, keeping all registers.
gimple *read_clock();
// Statements of text that is not in blocks yet (GENERIC). A word of the thread, of the variable's
// type, is at `place` bytes from the thread pointer. No call and no store is moved across a write.
tree read_thread_word(tree variable, tree place);
tree write_thread_word(tree place, tree value);
tree increment_at(tree address);
// Gives the thread's cell the inert gate, if it has none and there is thread-local storage.
gimple *give_gate();
// The row that the thread's cell holds; cell.row = row.
tree load_row(appender &at);
gimple *store_row_in_library(tree row);
// In a shared library with counters: the unit's mask, 0 if it was not taken over; else the gate.
tree load_unit_mask(appender &at);
tree load_gate_as_told(appender &at);

// A counter of the unit, by its index, and where it can be reached from.
struct counter_place {
  size_t counter;
  tree base;   // the address of another one, in a register, or null
  size_t from; // its index
};
// ++ in the calling thread's area.
gimple *count(const counter_place &place);
// The address of a counter of the unit, as that is without the runtime.
tree counter_address(appender &at, size_t counter);
tree load_base(size_t counter, gasm **statement); // the same, in `statement`
// In a library: the counter of the unit that holds a callee, the same for all threads; and its
// value after it was given this one, if it had none.
tree load_cell(appender &at, size_t counter);
tree claim_cell(appender &at, tree callee, size_t counter);
// Counts a callee that is not the cell's, in executables: ascribe_count_callee. A function that is
// left by a jump to its callee may keep variables below the stack pointer.
gimple *count_other_callee(tree callee, const counter_place &cell, bool keeps_red_zone);
// Counts the cell's callee and others, in code that counts by segment: ascribe_count_call.
gimple *count_call(tree callee, const counter_place &cell, bool keeps_red_zone);

} // namespace ascribe

#endif
