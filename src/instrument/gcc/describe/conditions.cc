// Which way of a condition is taken when it holds, as it is written: optimisation turns comparisons
// round, and puts others in their place.
#include "instrument/gcc/describe/source_parts.h"

#include "fold-const.h"

namespace ascribe {
namespace {

struct comparison {
  tree_code code;
  bool with_constant; // which is on the right then
};

// By location: those of `a && b` may share one.
std::map<location_t, std::vector<comparison>> written_comparisons;

// Of `name != 0`, where the name is a comparison: that.
comparison comparison_of(gcond *condition) {
  tree left = gimple_cond_lhs(condition), right = gimple_cond_rhs(condition);
  comparison own = {gimple_cond_code(condition), CONSTANT_CLASS_P(right)};
  if (TREE_CODE(left) != SSA_NAME || !integer_zerop(right)) return own;
  gassign *made = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(left));
  if (!made || TREE_CODE_CLASS(gimple_assign_rhs_code(made)) != tcc_comparison) return own;
  comparison inner = {gimple_assign_rhs_code(made), CONSTANT_CLASS_P(gimple_assign_rhs2(made))};
  if (own.code == NE_EXPR) return inner;
  inner.code = own.code == EQ_EXPR ? invert_tree_comparison(inner.code, false) : ERROR_MARK;
  return inner;
}

bool is_above(tree_code code) {
  return code == GT_EXPR || code == GE_EXPR;
}

bool is_below(tree_code code) {
  return code == LT_EXPR || code == LE_EXPR;
}

// Of values and constants, `v > 0` may become `v >= 1`; of two values, `b < a`.
bool are_same(const comparison &a, const comparison &b) {
  if (a.code == b.code) return true;
  if (a.with_constant)
    return (is_above(a.code) && is_above(b.code)) || (is_below(a.code) && is_below(b.code));
  return a.code == swap_tree_comparison(b.code);
}

} // namespace

void note_conditions(function *fun) {
  gimple_seq body = gimple_body(fun->decl);
  for (gimple_stmt_iterator at = gsi_start(body); !gsi_end_p(at); gsi_next(&at)) {
    gcond *condition = dyn_cast<gcond *>(gsi_stmt(at));
    if (!condition || !is_known(gimple_location(condition))) continue;
    written_comparisons[pure(gimple_location(condition))].push_back(
        {gimple_cond_code(condition), CONSTANT_CLASS_P(gimple_cond_rhs(condition))});
  }
}

condition_sense sense_of(gcond *condition) {
  if (counts_source()) return AS_WRITTEN;
  comparison own = comparison_of(condition);
  bool same = false, turned = false;
  if (TREE_CODE_CLASS(own.code) != tcc_comparison) return SENSE_UNKNOWN;
  for (comparison other : written_comparisons[pure(gimple_location(condition))]) {
    if (own.with_constant != other.with_constant) continue;
    same |= are_same(own, other);
    other.code = invert_tree_comparison(other.code, false);
    turned |= are_same(own, other);
  }
  return same == turned ? SENSE_UNKNOWN : same ? AS_WRITTEN : TURNED_ROUND;
}

} // namespace ascribe
