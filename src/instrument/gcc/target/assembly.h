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

// x86_64.cc: what GIMPLE cannot say, as asm statements of one machine.
// value & memory and value + memory, each as one instruction, in this order.
tree and_memory(appender &at, tree value, tree memory);
tree add_memory(appender &at, tree value, tree memory);
// The same value, of which GCC knows nothing.
tree opaque(appender &at, tree value);
// ++memory that no signal can interrupt.
void increment(appender &at, tree memory);
// ascribe_enter_slow, keeping all registers; the own context.
tree call_slow(appender &at, tree callee, tree site);
// ascribe_read_clock, keeping all registers.
gimple *read_clock();
// Gives the thread's cell the inert gate, if it has none and there is thread-local storage.
gimple *give_gate();
// In a shared library: the cell's offset from the thread pointer, out of the GOT; what is there, in
// 64 bits; cell.context = context, with the offset at hand (null: loaded anew).
tree cell_offset(appender &at);
tree load_context_at(appender &at, tree offset);
tree load_gate_at(appender &at, tree offset);
gimple *store_context_at(tree offset, tree context);
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
