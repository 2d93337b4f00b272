// Which counter has which number, and registers that make counting shorter.
//
// Of the 8 bytes that count, four say how far away the counter is.  From a register that holds the
// address of a counter nearby, one byte says it: 5 bytes.  So counters of a function whose places
// are near one another get numbers that follow one another, and a *base*: the address of one in
// their middle, in a register of GCC's choice from where all of them can be reached.  It is the
// address in the section, the same for all threads: %gs makes of it the thread's own.
//
// Near one another are places in one part of the tree of dominators.  Its parts are gathered from
// the leaves up, until they hold as many counters as one byte can tell apart, but not out of a
// loop, and not from what is rare to what is not: a register that a loop lacks costs more than
// counting.
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/target/assembly.h"

#include "dominance.h"
#include "ssa-iterators.h"

#include <algorithm>

namespace ascribe {
namespace {

enum {
  REACH = 32, // counters of 8 bytes from -128 to 127
  // A base is 7 bytes, and often 2 to 4 for saving its register; each use is 3 shorter.
  LEAST = 6,
  USES_INLINE = 3,     // by a call through a pointer: it is compared, told, and counted
  COUNTS_PER_BASE = 1, // executed, as GCC estimates it
  MOST_LIVE = 4        // of six registers that calls keep
};

struct place {
  const void *what; // a flow_edge or the statement of a call through a pointer
  basic_block block;
  gimple *before; // the base has to be there before this; null: at the block's beginning
  size_t counters;
  size_t uses;  // of a base
  size_t order; // in the text
};
using group = std::vector<place>;

size_t counters_of(const group &places) {
  size_t counters = 0;
  for (const place &each : places)
    counters += each.counters;
  return counters;
}

group find_places(const flow_graph &graph) {
  group places;
  for (const flow_edge &edge : graph.edges) {
    if (edge.kind == flow_edge::PIECE && edge.counted) {
      gcall *call = first_call_by_name(edge);
      places.push_back({&edge, edge.block, call ? call : edge.after, 1, 1, places.size()});
    }
    for (gcall *call : edge.calls) {
      if (gimple_call_fndecl(call)) continue;
      size_t uses = USES_INLINE;
      if (is_counted_out_of_line(call)) uses = 1;
      places.push_back({call, edge.block, call, 2, uses, places.size()});
    }
  }
  return places;
}

// How many values that go into registers are alive where a block begins, by block.
class liveness {
public:
  liveness() : alive(last_basic_block_for_fn(cfun)), seen(alive.size()) {
    unsigned i;
    tree name;
    FOR_EACH_SSA_NAME(i, name, cfun)
    if (INTEGRAL_TYPE_P(TREE_TYPE(name)) || POINTER_TYPE_P(TREE_TYPE(name))) follow(name, i);
  }
  std::vector<unsigned> alive;

private:
  std::vector<unsigned> seen; // for which name
  std::vector<basic_block> open;

  // From its uses up to where it is made.
  void follow(tree name, unsigned number) {
    gimple *made = SSA_NAME_DEF_STMT(name);
    use_operand_p use;
    imm_use_iterator i;
    FOR_EACH_IMM_USE_FAST(use, i, name) {
      gimple *user = USE_STMT(use);
      if (is_gimple_debug(user)) continue;
      if (gphi *phi = dyn_cast<gphi *>(user))
        open.push_back(gimple_phi_arg_edge(phi, PHI_ARG_INDEX_FROM_USE(use))->src);
      else
        open.push_back(gimple_bb(user));
    }
    while (!open.empty()) {
      basic_block block = open.back();
      open.pop_back();
      if (block == gimple_bb(made) || block->index < NUM_FIXED_BLOCKS ||
          seen[block->index] == number)
        continue;
      seen[block->index] = number;
      alive[block->index]++;
      edge way;
      edge_iterator each;
      FOR_EACH_EDGE(way, each, block->preds)
        open.push_back(way->src);
    }
  }
};

class numbering {
public:
  numbering(bool has_bases) : has_bases(has_bases) {}
  counter_places found;

  void gather(const group &places) {
    std::vector<group> open(last_basic_block_for_fn(cfun)); // by block
    std::vector<basic_block> blocks;
    basic_block block;
    for (const place &each : places)
      merge(open[each.block->index], {each});
    // Those that a block dominates have higher numbers.
    FOR_EACH_BB_FN(block, cfun)
      blocks.push_back(block);
    std::sort(blocks.begin(), blocks.end(), [](basic_block one, basic_block other) {
      return bb_dom_dfs_in(CDI_DOMINATORS, one) > bb_dom_dfs_in(CDI_DOMINATORS, other);
    });
    for (basic_block each : blocks) {
      basic_block above = get_immediate_dominator(CDI_DOMINATORS, each);
      group &own = open[each->index];
      if (above == ENTRY_BLOCK_PTR_FOR_FN(cfun) || above->loop_father != each->loop_father ||
          (is_much_rarer(each, above) && is_worth_a_base(own)))
        close(own);
      else
        merge(open[above->index], own);
    }
  }

  void close(group &places) {
    std::sort(places.begin(), places.end(),
              [](const place &one, const place &other) { return one.order < other.order; });
    size_t counters = counters_of(places), middle = next_counter() + std::min<size_t>(counters, 16);
    tree base = is_worth_a_base(places) ? insert_base(places, middle) : NULL_TREE;
    for (const place &each : places)
      found[each.what] = {new_counters(each.counters), base, middle};
    places.clear();
  }

private:
  bool has_bases;
  liveness values;

  void merge(group &into, group from) {
    if (counters_of(into) + counters_of(from) > REACH) {
      if (counters_of(into) < counters_of(from)) std::swap(into, from);
      close(into);
    }
    into.insert(into.end(), from.begin(), from.end());
  }

  static double frequency(basic_block block) {
    return estimated_frequency(cfun, block->count, block);
  }

  static bool is_much_rarer(basic_block block, basic_block than) {
    return 2 * frequency(block) < frequency(than);
  }

  // Where a base is made, as late as it is there for all of them.
  static basic_block base_block(const group &places) {
    basic_block block = places[0].block;
    for (const place &each : places)
      block = nearest_common_dominator(CDI_DOMINATORS, block, each.block);
    return block;
  }

  // Making a base and saving its register takes about as long as counting once.
  bool is_worth_a_base(const group &places) const {
    double counted = 0;
    size_t uses = 0;
    for (const place &each : places) {
      counted += frequency(each.block);
      uses += each.uses;
    }
    if (!has_bases || uses < LEAST) return false;
    basic_block block = base_block(places);
    return counted >= COUNTS_PER_BASE * frequency(block) && values.alive[block->index] <= MOST_LIVE;
  }

  static tree insert_base(const group &places, size_t counter) {
    basic_block block = base_block(places);
    gasm *statement;
    tree base = load_base(counter, &statement);
    for (const place &each : places) {
      if (each.block != block) continue;
      gimple_stmt_iterator at =
          each.before ? gsi_for_stmt(each.before) : gsi_after_labels(each.block);
      gsi_insert_before(&at, statement, GSI_SAME_STMT);
      return base;
    }
    gimple_stmt_iterator last = gsi_last_bb(block);
    if (!gsi_end_p(last) && stmt_ends_bb_p(gsi_stmt(last)))
      gsi_insert_before(&last, statement, GSI_SAME_STMT);
    else
      appender(block).add(statement);
    return base;
  }
};

// Where setjmp may return a second time, or without optimisation, bases would be on the stack.
bool may_have_bases(function *fun) {
  return counts_by_segment() && !asked.expressions && opt_for_fn(fun->decl, optimize) &&
         !fun->calls_setjmp && !fun->has_nonlocal_label;
}

} // namespace

counter_places number_counters(function *fun, const flow_graph &graph) {
  numbering numbers(may_have_bases(fun));
  for (const flow_edge &edge : graph.edges)
    if (edge.counted && edge.kind != flow_edge::PIECE)
      numbers.found[&edge] = {new_counters(1), NULL_TREE, 0};
  calculate_dominance_info(CDI_DOMINATORS);
  numbers.gather(find_places(graph));
  return numbers.found;
}

} // namespace ascribe
