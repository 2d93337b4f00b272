// The ways out of a `switch`: which values of it lead where.
//
// Where the source is counted GCC still has the statement. An optimised one was lowered: what is
// left are comparisons, tests of bits and tables of jumps, in a tree of blocks. Before that it is
// noted which values are which case; afterwards the tree is gone through with values of each, and
// tells by which edges they leave it. Cases that leave by one edge have become one. A tree that is
// entered in its midst, that asks for something else, or that has edges which no value takes is not
// one that is understood, and nothing is said of it.
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "fold-const.h"
#include "langhooks.h"
#include "wide-int-print.h"

#include <algorithm>

namespace ascribe {
namespace {

enum { MOST_VALUES = 8 }; // in a label
enum { DEEPEST = 8 };     // of an expression that is compared

struct interval {
  widest_int low, high;
  size_t of; // index of the case
};

struct noted_switch {
  location_t location, place; // of the statement; where it is written
  unsigned index, converted; // versions of SSA names: what is asked for, and what that is made from
  std::vector<counted_case> cases;
  std::vector<interval> intervals;
  size_t other;           // index of the case that all other values are
  widest_int least, most; // that there can be
};

std::map<unsigned, std::vector<noted_switch>> noted; // by DECL_UID

// Without what it is part of: its block, its range.
// Labels of one block have become one, but each case keeps its place.
location_t place_of_label(tree label) {
  location_t own = EXPR_LOCATION(label);
  return is_known(own) ? own : DECL_SOURCE_LOCATION(CASE_LABEL(label));
}

// What the index was converted from, or null.
tree converted_from(tree index) {
  gimple *definition = TREE_CODE(index) == SSA_NAME ? SSA_NAME_DEF_STMT(index) : nullptr;
  if (!definition || !gimple_assign_cast_p(definition)) return NULL_TREE;
  tree from = gimple_assign_rhs1(definition);
  return INTEGRAL_TYPE_P(TREE_TYPE(from)) ? from : NULL_TREE;
}

// ---- labels ----

const char *enumerator(tree type, const widest_int &value) {
  for (tree one = TYPE_VALUES(type); one; one = TREE_CHAIN(one)) {
    tree constant = TREE_VALUE(one);
    if (TREE_CODE(constant) == CONST_DECL) constant = DECL_INITIAL(constant);
    if (constant && TREE_CODE(constant) == INTEGER_CST && wi::to_widest(constant) == value)
      return IDENTIFIER_POINTER(TREE_PURPOSE(one));
  }
  return nullptr;
}

std::string value_text(tree type, const widest_int &value) {
  const char *name = TREE_CODE(type) == ENUMERAL_TYPE ? enumerator(type, value) : nullptr;
  if (name) return name;
  unsigned HOST_WIDE_INT letter = value.to_uhwi();
  bool printable = wi::leu_p(value, 126) && letter >= ' ' && letter != '\'' && letter != '\\';
  if ((TYPE_STRING_FLAG(type) || TYPE_MAIN_VARIANT(type) == char_type_node) && printable)
    return std::string("'") + static_cast<char>(letter) + "'";
  char digits[WIDE_INT_PRINT_BUFFER_SIZE];
  print_dec(value, digits, SIGNED);
  return digits;
}

// Fortran's open ends are the least and the greatest values.
std::string range_text(tree type, tree index_type, const interval &range) {
  std::string low = value_text(type, range.low), high = value_text(type, range.high);
  if (range.low == range.high) return low;
  if (!lang_GNU_Fortran()) return low + (range.high == range.low + 1 ? ", " : " ... ") + high;
  if (range.low == wi::to_widest(TYPE_MIN_VALUE(index_type))) low.clear();
  if (range.high == wi::to_widest(TYPE_MAX_VALUE(index_type))) high.clear();
  return low + ":" + high;
}

interval interval_of(tree label, size_t of) {
  tree high = CASE_HIGH(label) ? CASE_HIGH(label) : CASE_LOW(label);
  return {wi::to_widest(CASE_LOW(label)), wi::to_widest(high), of};
}

// ---- texts of Fortran ----

// 'abc' out of a pointer to a constant.
std::string quoted(tree pointer, tree length) {
  STRIP_NOPS(pointer);
  tree text = TREE_CODE(pointer) == ADDR_EXPR ? TREE_OPERAND(pointer, 0) : NULL_TREE;
  if (text && TREE_CODE(text) == ARRAY_REF) text = TREE_OPERAND(text, 0);
  if (!text || TREE_CODE(text) != STRING_CST || !tree_fits_uhwi_p(length)) return "";
  std::string found = "'";
  for (size_t i = 0; i < tree_to_uhwi(length) && int(i) < TREE_STRING_LENGTH(text); i++)
    found += ISPRINT(TREE_STRING_POINTER(text)[i]) ? TREE_STRING_POINTER(text)[i] : '?';
  return found + "'";
}

// The table that libgfortran looks a text up in, to answer with the number of the case: rows of
// first text, its length, last text, its length, number.
tree table_of_texts(tree index) {
  gimple *definition = TREE_CODE(index) == SSA_NAME ? SSA_NAME_DEF_STMT(index) : nullptr;
  gcall *call = definition ? dyn_cast<gcall *>(definition) : nullptr;
  tree callee = call ? gimple_call_fndecl(call) : NULL_TREE;
  if (!callee || !startswith(linkage_name(callee), "_gfortran_select_string")) return NULL_TREE;
  tree table = gimple_call_arg(call, 0);
  if (TREE_CODE(table) != ADDR_EXPR || !VAR_P(TREE_OPERAND(table, 0))) return NULL_TREE;
  table = DECL_INITIAL(TREE_OPERAND(table, 0));
  return table && TREE_CODE(table) == CONSTRUCTOR ? table : NULL_TREE;
}

// Nothing, where the table is another than expected.
std::vector<std::string> texts_of(tree table, const interval &numbers) {
  std::vector<std::string> found;
  unsigned i;
  tree row;
  FOR_EACH_CONSTRUCTOR_VALUE(CONSTRUCTOR_ELTS(table), i, row) {
    if (TREE_CODE(row) != CONSTRUCTOR || CONSTRUCTOR_NELTS(row) != 5) return {};
    tree fields[5];
    for (unsigned field = 0; field < 5; field++)
      fields[field] = CONSTRUCTOR_ELT(row, field)->value;
    if (TREE_CODE(fields[4]) != INTEGER_CST) return {};
    widest_int number = wi::to_widest(fields[4]);
    if (number < numbers.low || number > numbers.high) continue;
    std::string first = quoted(fields[0], fields[1]), last = quoted(fields[2], fields[3]);
    found.push_back(first == last ? first : first + ":" + last);
  }
  return found;
}

// ---- where it stands ----

// What the front end says of each `switch`, by its location. GCC loses the location of one that
// stands in another, and keeps a label for what no case is chosen for, if the source has one or
// not.
struct written_switch {
  bool has_default;
  location_t default_label;
};
std::map<location_t, written_switch> written_switches;
std::map<location_t, location_t> switches_of_labels;

tree note_written_switch(tree *at, int *goes_on, void *around) {
  location_t *location = static_cast<location_t *>(around);
  if (TREE_CODE(*at) == SWITCH_STMT || TREE_CODE(*at) == SWITCH_EXPR) {
    location_t own = pure(EXPR_LOCATION(*at));
    written_switches[own] = {};
    walk_tree_without_duplicates(&TREE_OPERAND(*at, 0), note_written_switch, location);
    walk_tree_without_duplicates(&TREE_OPERAND(*at, 1), note_written_switch, &own);
    *goes_on = 0;
  } else if (TREE_CODE(*at) == CASE_LABEL_EXPR && location) {
    location_t label = pure(place_of_label(*at));
    switches_of_labels[label] = *location;
    if (!CASE_LOW(*at) && label != *location) written_switches[*location] = {true, label};
  }
  return NULL_TREE;
}

// GNU Fortran gives labels the place of the statement before them, so the first has that of the
// SELECT CASE; and the statement itself that of the last one in it.
location_t written_at(gswitch *statement) {
  location_t first = gimple_location(statement);
  if (is_known(first) && !lang_GNU_Fortran()) return first;
  for (unsigned i = 0; i < gimple_switch_num_labels(statement); i++) {
    location_t place = place_of_label(gimple_switch_label(statement, i));
    auto known = switches_of_labels.find(pure(place));
    if (known != switches_of_labels.end()) return known->second;
    bool before = is_known(place) && linemap_compare_locations(line_table, place, first) > 0;
    if (lang_GNU_Fortran() && before) first = place;
  }
  return first;
}

location_t first_code(basic_block block) {
  for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
       gsi_next_nondebug(&at))
    if (gimple_code(gsi_stmt(at)) != GIMPLE_LABEL && is_known(gimple_location(gsi_stmt(at))))
      return gimple_location(gsi_stmt(at));
  return 0;
}

location_t place_of(tree label, basic_block to) {
  if (lang_GNU_Fortran()) return first_code(to);
  location_t place = place_of_label(label);
  return is_known(place) ? place : 0;
}

// What is chosen if no case is.
void describe_others(const noted_switch &of, tree label, basic_block to, counted_case &others) {
  auto known = written_switches.find(pure(of.place));
  bool is_written = known != written_switches.end();
  bool has_label = is_written ? known->second.has_default : is_known(place_of_label(label));
  others.other = has_label ? "default" : "no case";
  if (has_label && !others.place)
    others.place = is_written ? known->second.default_label : place_of(label, to);
}

// What the statement has: a case for each block that it leads to, in the order of values, all
// others last.
noted_switch read_switch(function *fun, gswitch *statement) {
  tree index = gimple_switch_index(statement), type = TREE_TYPE(index);
  tree from = converted_from(index), written_type = from ? TREE_TYPE(from) : type;
  tree texts = table_of_texts(index);
  noted_switch found = {};
  found.location = gimple_location(statement);
  found.place = written_at(statement);
  found.index = TREE_CODE(index) == SSA_NAME ? SSA_NAME_VERSION(index) : 0;
  found.converted = from && TREE_CODE(from) == SSA_NAME ? SSA_NAME_VERSION(from) : 0;
  found.least = widest_int::from(wi::min_value(type), TYPE_SIGN(type));
  found.most = widest_int::from(wi::max_value(type), TYPE_SIGN(type));
  if (from && TYPE_PRECISION(written_type) < TYPE_PRECISION(type)) {
    found.least =
        wi::max(found.least, widest_int::from(wi::min_value(written_type), TYPE_SIGN(written_type)),
                SIGNED);
    found.most = wi::min(
        found.most, widest_int::from(wi::max_value(written_type), TYPE_SIGN(written_type)), SIGNED);
  }
  std::map<basic_block, size_t> cases;
  unsigned count = gimple_switch_num_labels(statement);
  for (unsigned i = 1; i <= count; i++) {
    tree label = gimple_switch_label(statement, i % count);
    basic_block to = label_to_block(fun, CASE_LABEL(label));
    auto known = cases.insert({to, found.cases.size()});
    if (known.second) found.cases.push_back({{}, "", 0, {find_edge(gimple_bb(statement), to)}});
    counted_case &of = found.cases[known.first->second];
    if (i == count) {
      describe_others(found, label, to, of);
      found.other = known.first->second;
      continue;
    }
    if (!of.place) of.place = place_of(label, to);
    found.intervals.push_back(interval_of(label, known.first->second));
    std::vector<std::string> names;
    if (texts) names = texts_of(texts, found.intervals.back());
    if (names.empty()) names = {range_text(written_type, type, found.intervals.back())};
    of.values.insert(of.values.end(), names.begin(), names.end());
  }
  return found;
}

// ---- what is left of one ----

bool asks(gimple *statement) {
  return statement &&
         (gimple_code(statement) == GIMPLE_COND || gimple_code(statement) == GIMPLE_SWITCH);
}

// The tree of a switch, gone through with values.
class tree_of_blocks {
public:
  tree_of_blocks(function *fun, const noted_switch &of) : of(of) {
    basic_block block;
    FOR_EACH_BB_FN(block, fun) {
      gimple *last = last_nondebug_stmt(block);
      if (asks(last) && gimple_location(last) == of.location && rests_on_index(last))
        inside.insert(block);
    }
  }

  // The cases with the edges that their values leave by. False: it is not understood.
  bool go_through(std::vector<counted_case> &cases) {
    if (!find_root()) return false;
    cases = of.cases;
    for (counted_case &one : cases)
      one.ways.clear();
    for (const interval &range : of.intervals)
      if (!take(range.low, cases[range.of]) || !take(range.high, cases[range.of])) return false;
    return take_others(cases[of.other]) && take_near_constants(cases) && all_are_taken();
  }

  const block_set &all() const { return inside; }

private:
  const noted_switch &of;
  block_set inside;
  basic_block root = nullptr;
  std::set<edge> taken;

  bool is_value(tree name) const {
    return SSA_NAME_VERSION(name) == of.index ||
           (of.converted && SSA_NAME_VERSION(name) == of.converted);
  }

  // Made of the value and of constants alone.
  bool rests_on_index(tree operand, int depth = 0) const {
    if (CONSTANT_CLASS_P(operand)) return true;
    if (TREE_CODE(operand) != SSA_NAME || depth > DEEPEST) return false;
    if (is_value(operand)) return true;
    gassign *definition = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(operand));
    if (!definition || gimple_num_ops(definition) > 3) return false;
    for (unsigned i = 1; i < gimple_num_ops(definition); i++)
      if (!rests_on_index(gimple_op(definition, i), depth + 1)) return false;
    return true;
  }

  bool rests_on_index(gimple *statement) const {
    if (gswitch *one = dyn_cast<gswitch *>(statement))
      return rests_on_index(gimple_switch_index(one));
    return rests_on_index(gimple_cond_lhs(statement)) && rests_on_index(gimple_cond_rhs(statement));
  }

  bool find_root() {
    for (basic_block block : inside) {
      edge before;
      edge_iterator i;
      bool entered = false;
      FOR_EACH_EDGE(before, i, block->preds)
        entered |= !inside.count(before->src);
      if (entered && root) return false;
      if (entered) root = block;
    }
    return root;
  }

  // What the operand is when the switch is asked with `value`; null: not known.
  tree evaluated(tree operand, const widest_int &value) const {
    if (CONSTANT_CLASS_P(operand)) return operand;
    tree type = TREE_TYPE(operand);
    if (is_value(operand))
      return wi::fits_to_tree_p(value, type) ? wide_int_to_tree(type, value) : NULL_TREE;
    gassign *definition = as_a<gassign *>(SSA_NAME_DEF_STMT(operand));
    tree first = evaluated(gimple_assign_rhs1(definition), value);
    if (!first || gimple_assign_single_p(definition)) return first;
    tree_code code = gimple_assign_rhs_code(definition);
    if (gimple_num_ops(definition) == 2) return fold_unary(code, type, first);
    tree second = evaluated(gimple_assign_rhs2(definition), value);
    return second ? fold_binary(code, type, first, second) : NULL_TREE;
  }

  edge way_of(basic_block block, const widest_int &value) const {
    gimple *last = last_nondebug_stmt(block);
    tree answer;
    if (gswitch *one = dyn_cast<gswitch *>(last)) {
      answer = evaluated(gimple_switch_index(one), value);
    } else {
      tree left = evaluated(gimple_cond_lhs(last), value);
      tree right = evaluated(gimple_cond_rhs(last), value);
      answer = left && right ? fold_binary(gimple_cond_code(last), boolean_type_node, left, right)
                             : NULL_TREE;
    }
    return answer && TREE_CODE(answer) == INTEGER_CST ? find_taken_edge(block, answer) : nullptr;
  }

  bool take(const widest_int &value, counted_case &as) {
    basic_block at = root;
    if (value < of.least || value > of.most) return true;
    for (size_t steps = 0; steps <= inside.size(); steps++) {
      edge way = way_of(at, value);
      if (!way) return false;
      if (!inside.count(way->dest)) {
        taken.insert(way);
        if (std::find(as.ways.begin(), as.ways.end(), way) == as.ways.end()) as.ways.push_back(way);
        return true;
      }
      at = way->dest;
    }
    return false;
  }

  // The ends of what is between the cases.
  bool take_others(counted_case &as) {
    std::vector<interval> sorted = of.intervals;
    std::sort(sorted.begin(), sorted.end(),
              [](const interval &a, const interval &b) { return a.low < b.low; });
    widest_int next = of.least;
    for (const interval &range : sorted) {
      if (range.low > next && (!take(next, as) || !take(range.low - 1, as))) return false;
      next = range.high + 1;
    }
    return next > of.most || (take(next, as) && take(of.most, as));
  }

  // What the value itself is compared with; or null.
  tree constant_of(basic_block block) const {
    gcond *condition = dyn_cast<gcond *>(last_nondebug_stmt(block));
    if (!condition || TREE_CODE(gimple_cond_lhs(condition)) != SSA_NAME) return NULL_TREE;
    tree constant = gimple_cond_rhs(condition);
    bool plain = is_value(gimple_cond_lhs(condition)) && TREE_CODE(constant) == INTEGER_CST;
    return plain ? constant : NULL_TREE;
  }

  size_t case_of(const widest_int &value) const {
    for (const interval &range : of.intervals)
      if (range.low <= value && value <= range.high) return range.of;
    return of.other;
  }

  // What is decided by plain comparisons changes at their constants, all else where a case begins
  // or ends.
  bool take_near_constants(std::vector<counted_case> &cases) {
    for (basic_block block : inside) {
      tree constant = constant_of(block);
      for (int away = -1; constant && away <= 1; away++) {
        widest_int value = wi::to_widest(constant) + away;
        if (!take(value, cases[case_of(value)])) return false;
      }
    }
    return true;
  }

  // But for ways that no value can go, as GCC leaves them without optimisation.
  bool all_are_taken() const {
    for (basic_block block : inside) {
      if (constant_of(block)) continue;
      edge way;
      edge_iterator i;
      FOR_EACH_EDGE(way, i, block->succs)
        if (!inside.count(way->dest) && !taken.count(way)) return false;
    }
    return true;
  }
};

std::vector<counted_switch> find_lowered(function *fun) {
  std::vector<counted_switch> found;
  for (const noted_switch &one : noted[DECL_UID(fun->decl)]) {
    tree_of_blocks tree(fun, one);
    counted_switch left = {one.location, one.place, {}, {}};
    if (!tree.go_through(left.cases)) left.cases.clear();
    for (basic_block block : tree.all())
      left.statements.insert(last_nondebug_stmt(block));
    found.push_back(left);
  }
  noted.erase(DECL_UID(fun->decl));
  return found;
}

// Nothing is known of switches at whose place something asks that is of no tree; of those that were
// decided before there is nothing to be known.
void leave_out_incomplete(function *fun, std::vector<counted_switch> &found) {
  std::set<gimple *> known;
  for (const counted_switch &one : found)
    known.insert(one.statements.begin(), one.statements.end());
  basic_block block;
  FOR_EACH_BB_FN(block, fun) {
    gimple *last = last_nondebug_stmt(block);
    if (!asks(last) || known.count(last)) continue;
    for (counted_switch &one : found) {
      if (pure(gimple_location(last)) != pure(one.location)) continue;
      one.cases.clear();
      one.statements.insert(last);
    }
  }
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const counted_switch &one) { return one.statements.empty(); }),
              found.end());
}

gswitch *switch_of(basic_block block) {
  return safe_dyn_cast<gswitch *>(last_nondebug_stmt(block));
}

// ---- cases that are one ----

bool are_one(const counted_case &a, const counted_case &b) {
  if (a.values == b.values && a.other == b.other) return true;
  return std::any_of(a.ways.begin(), a.ways.end(), [&b](edge way) {
    return std::find(b.ways.begin(), b.ways.end(), way) != b.ways.end();
  });
}

template <typename list> void add_missing(list &to, const list &from) {
  for (const auto &one : from)
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

void unite(counted_case &with, const counted_case &other) {
  add_missing(with.values, other.values);
  add_missing(with.ways, other.ways);
  if (with.other.empty()) with.other = other.other;
  if (!with.place) with.place = other.place;
}

} // namespace

std::vector<counted_case> united(const std::vector<counted_case> &cases) {
  std::vector<counted_case> found;
  for (counted_case one : cases) {
    if (one.ways.empty()) continue;
    for (size_t i = 0; i < found.size();) {
      if (!are_one(found[i], one)) {
        i++;
        continue;
      }
      std::swap(found[i], one);
      unite(one, found[i]);
      found.erase(found.begin() + i);
    }
    found.push_back(one);
  }
  return found;
}

std::string case_text(const counted_case &one) {
  std::string values;
  for (size_t i = 0; i < one.values.size() && i < MOST_VALUES; i++)
    values += (i ? ", " : "") + one.values[i];
  if (one.values.size() > MOST_VALUES)
    values += " and " + std::to_string(one.values.size() - MOST_VALUES) + " more";
  if (values.empty()) return one.other;
  values = lang_GNU_Fortran() ? "case (" + values + ")" : "case " + values;
  return one.other.empty() ? values : values + ", " + one.other;
}

void note_written_switches(void *function, void *) {
  walk_tree_without_duplicates(&DECL_SAVED_TREE(static_cast<tree>(function)), note_written_switch,
                               nullptr);
}

void place_switches(function *fun) {
  gimple_seq body = gimple_body(fun->decl);
  for (gimple_stmt_iterator at = gsi_start(body); !gsi_end_p(at); gsi_next(&at)) {
    gswitch *statement = dyn_cast<gswitch *>(gsi_stmt(at));
    if (!statement || is_known(gimple_location(statement))) continue;
    tree block = gimple_block(statement);
    gimple_set_location(statement, written_at(statement));
    gimple_set_block(statement, block);
  }
}

void note_switches(function *fun) {
  auto known = noted.insert({DECL_UID(fun->decl), {}});
  if (!known.second) return;
  std::vector<noted_switch> &all = known.first->second;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    if (gswitch *statement = switch_of(block))
      if (is_known(gimple_location(statement))) all.push_back(read_switch(fun, statement));
}

std::vector<counted_switch> find_switches(function *fun) {
  std::vector<counted_switch> found;
  if (!counts_source()) {
    found = find_lowered(fun);
    leave_out_incomplete(fun, found);
    return found;
  }
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    if (gswitch *statement = switch_of(block)) {
      noted_switch one = read_switch(fun, statement);
      found.push_back({one.location, one.place, one.cases, {statement}});
    }
  return found;
}

} // namespace ascribe
