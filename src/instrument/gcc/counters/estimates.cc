// How often the blocks of a function are executed for each of its calls, as far as that can be
// guessed before GCC has estimates of its own: loops go round a few times, what `__builtin_expect`
// or a cold function says is believed, and where nothing comes back from is rare.
#include "instrument/gcc/counters/counter_graph.h"

#include "cfganal.h"
#include "cfgloop.h"

#include <algorithm>

namespace ascribe {
namespace {

const double ROUNDS = 8, MANY = 1e30;
const double RARE = 0.02, EXPECTED = 0.97, EQUAL = 0.35; // of the ways out of a block

bool is_cold_call(gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  return call && (gimple_call_flags(call) & ECF_COLD);
}

bool has_cold_call(basic_block block) {
  for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
       gsi_next_nondebug(&at))
    if (is_cold_call(gsi_stmt(at))) return true;
  return false;
}

// The value that the program expects here (__builtin_expect); null: it does not say.
tree expected_value(tree value) {
  gimple *made = TREE_CODE(value) == SSA_NAME ? SSA_NAME_DEF_STMT(value) : nullptr;
  bool told = made && gimple_call_builtin_p(made, BUILT_IN_EXPECT);
  return told ? gimple_call_arg(made, 1) : NULL_TREE;
}

// How probable it is that a condition holds, by its text alone.
double probability_of(gcond *condition) {
  tree left = gimple_cond_lhs(condition), right = gimple_cond_rhs(condition);
  tree expected = expected_value(left);
  bool equal = gimple_cond_code(condition) == EQ_EXPR;
  if (!equal && gimple_cond_code(condition) != NE_EXPR) return 0.5;
  if (expected && TREE_CODE(expected) == INTEGER_CST && TREE_CODE(right) == INTEGER_CST) {
    bool holds = equal == (tree_int_cst_equal(expected, right) != 0);
    return holds ? EXPECTED : 1 - EXPECTED;
  }
  bool is_truth = integer_zerop(right) && !POINTER_TYPE_P(TREE_TYPE(left));
  if (is_truth) return 0.5;
  return equal ? EQUAL : 1 - EQUAL;
}

class estimator {
public:
  estimator(function *fun, flow_estimates &made) : fun(fun), made(made) {}

  void estimate() {
    std::vector<int> order(n_basic_blocks_for_fn(fun));
    int count = pre_and_rev_post_order_compute_fn(fun, nullptr, order.data(), false);
    rare.resize(last_basic_block_for_fn(fun));
    made.blocks.resize(rare.size());
    for (int i = count; i-- > 0;)
      note_rare(BASIC_BLOCK_FOR_FN(fun, order[i]));
    for (int i = 0; i < count; i++)
      add(BASIC_BLOCK_FOR_FN(fun, order[i]));
  }

private:
  function *fun;
  flow_estimates &made;
  std::vector<bool> rare;

  // Those behind it are known.
  void note_rare(basic_block block) {
    bool all = true;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->succs)
      all = all && !(way->flags & EDGE_DFS_BACK) && rare[way->dest->index];
    rare[block->index] = all || has_cold_call(block);
  }

  static bool leaves_loop(edge way) {
    return current_loops && loop_exit_edge_p(way->src->loop_father, way);
  }

  double weight(edge way) {
    double weight = 1;
    if (way->flags & EDGE_EH || rare[way->dest->index]) weight *= RARE;
    if (leaves_loop(way)) weight /= ROUNDS;
    gimple *last = last_nondebug_stmt(way->src);
    gcond *condition = last ? dyn_cast<gcond *>(last) : nullptr;
    if (!condition || !(way->flags & (EDGE_TRUE_VALUE | EDGE_FALSE_VALUE))) return weight;
    double holds = probability_of(condition);
    return weight * (way->flags & EDGE_TRUE_VALUE ? holds : 1 - holds);
  }

  double coming_in(basic_block block) {
    double all = 0;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->preds) {
      if (way->src == ENTRY_BLOCK_PTR_FOR_FN(fun)) all += 1;
      auto known = made.ways.find(way);
      if (known != made.ways.end()) all += known->second;
    }
    return all;
  }

  // Those before it are known, but for ways back.
  void add(basic_block block) {
    double times = coming_in(block), weights = 0;
    if (current_loops && block->loop_father && block->loop_father->header == block &&
        loop_outer(block->loop_father))
      times = std::min(times * ROUNDS, MANY);
    made.blocks[block->index] = times;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->succs)
      weights += weight(way);
    FOR_EACH_EDGE(way, i, block->succs)
      made.ways[way] = times * weight(way) / weights;
  }
};

} // namespace

flow_estimates estimate_flow(function *fun) {
  flow_estimates made;
  estimator(fun, made).estimate();
  return made;
}

} // namespace ascribe
