// A transition looked up and counted, in new blocks on an edge.
#ifndef ASCRIBE_INSTRUMENT_GCC_PROBE_H
#define ASCRIBE_INSTRUMENT_GCC_PROBE_H

#include "instrument/gcc/target/assembly.h"

namespace ascribe {

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

} // namespace ascribe

#endif
