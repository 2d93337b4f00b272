// The loops of a function as its flow graph has them: natural ones, by their back edges.
//
// A loop that tests before each trip passes its first block once more than its body; one that tests
// behind it, as often.
#include "instrument/gcc/describe/source_parts.h"

#include "cfganal.h"
#include "dominance.h"

namespace ascribe {
namespace {

struct natural_loop {
  basic_block first;
  block_set body;
  std::vector<basic_block> last; // where it goes back from
};

void add_body(natural_loop &loop, basic_block from) {
  std::vector<basic_block> left = {from};
  while (!left.empty()) {
    basic_block block = left.back();
    left.pop_back();
    if (!loop.body.insert(block).second) continue;
    edge before;
    edge_iterator i;
    FOR_EACH_EDGE(before, i, block->preds)
      left.push_back(before->src);
  }
}

gcond *condition_of_leaving(const natural_loop &loop, basic_block block) {
  gcond *condition = safe_dyn_cast<gcond *>(last_nondebug_stmt(block));
  edge way;
  edge_iterator i;
  if (condition)
    FOR_EACH_EDGE(way, i, block->succs)
      if (!loop.body.count(way->dest)) return condition;
  return nullptr;
}

// Before an empty block that only goes back.
basic_block tested_block(basic_block last) {
  bool empty = gsi_end_p(gsi_start_nondebug_bb(last)) && single_pred_p(last);
  return empty ? single_pred(last) : last;
}

void find_condition(const natural_loop &loop, counted_loop &found) {
  gcond *before = condition_of_leaving(loop, loop.first), *behind = nullptr;
  for (basic_block last : loop.last)
    if (gcond *condition = condition_of_leaving(loop, tested_block(last))) behind = condition;
  gcond *condition = behind ? behind : before;
  if (!condition || !is_known(gimple_location(condition))) return;
  found.condition = gimple_location(condition);
  edge way;
  edge_iterator i;
  if (!behind)
    FOR_EACH_EDGE(way, i, loop.first->succs)
      if (loop.body.count(way->dest)) found.trips.push_back(way);
}

bool goes_back(edge way) {
  return dominated_by_p(CDI_DOMINATORS, way->src, way->dest);
}

} // namespace

std::vector<counted_loop> find_loops(function *fun) {
  std::vector<counted_loop> found;
  basic_block block;
  bool had_dominators = dom_info_available_p(CDI_DOMINATORS);
  calculate_dominance_info(CDI_DOMINATORS);
  FOR_EACH_BB_FN(block, fun) {
    natural_loop loop = {block, {block}, {}};
    counted_loop counted = {};
    counted.first = block;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->preds) {
      if (!goes_back(way)) {
        counted.entries.push_back(way);
        continue;
      }
      loop.last.push_back(way->src);
      add_body(loop, way->src);
    }
    if (loop.last.empty()) continue;
    find_condition(loop, counted);
    if (counted.condition) found.push_back(counted);
  }
  if (!had_dominators) free_dominance_info(CDI_DOMINATORS);
  return found;
}

} // namespace ascribe
