// The hooks that keep the running context: entry, exits and the lookup between them.
#ifndef ASCRIBE_INSTRUMENT_GCC_CONTEXT_HOOKS_H
#define ASCRIBE_INSTRUMENT_GCC_CONTEXT_HOOKS_H

#include "instrument/gcc/target/assembly.h"

namespace ascribe {

// probe.cc: a transition looked up and counted, in new blocks on an edge.
tree u64(uint64_t value);
basic_block make_rare_block(basic_block after, basic_block join);
tree cell_field(tree field);
tree load_gate(appender &at, tree offset); // `offset` as cell_offset says
struct key {
  tree context, callee, site; // 64 bits each
  tree gate;                  // the thread's, as an integer
};
class probe {
public:
  explicit probe(edge where);
  // The context that the transition leads to, or `standby` if nothing is recorded; `context` is
  // k.context in 32 bits. Statements that make these go to the end of `from` before; those that use
  // the result to `join`.
  tree look_up(const key &k, tree context, tree standby);
  basic_block from, join;

private:
  basic_block callee, site, hit, miss, slow;
};

// entry.cc: what the entry leaves for the exits, as SSA names.
struct contexts {
  tree caller; // the context to restore
  tree own;
};
contexts insert_entry(function *fun);

// points.cc: where control leaves the function or comes back to it.
struct points {
  std::vector<gimple *> leaves;        // returns, kept tail calls, RESX out of the function
  std::vector<gimple *> goes_on;       // other calls of a piece of its own, where it goes on
  std::vector<gimple *> comes_back;    // calls that may return a second time or elsewhere
  std::vector<basic_block> arrivals;   // landing pads and non-local labels
  std::vector<gimple *> throws_across; // may throw, and nothing here would notice
};
points find_points(function *fun);

// sibling.cc: is the call in tail position, and will it be a jump?  One that cannot be
// loses its mark.
bool becomes_jump(function *fun, gcall *call);

// exits.cc: restore the caller's context and the own one at those points.
void insert_exits(function *fun, const points &where, const contexts &known);

} // namespace ascribe

#endif
