// The ways out of a `switch`: which values of it lead where.
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "langhooks.h"
#include "wide-int-print.h"

#include <algorithm>

namespace ascribe {
namespace {

enum { MOST_VALUES = 8 }; // in a label

struct interval {
  widest_int low, high;
};

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

interval interval_of(tree label) {
  tree high = CASE_HIGH(label) ? CASE_HIGH(label) : CASE_LOW(label);
  return {wi::to_widest(CASE_LOW(label)), wi::to_widest(high)};
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
void describe_others(const counted_switch &of, tree label, basic_block to, counted_case &others) {
  auto known = written_switches.find(pure(of.place));
  bool is_written = known != written_switches.end();
  bool has_label = is_written ? known->second.has_default : is_known(place_of_label(label));
  others.other = has_label ? "default" : "no case";
  if (has_label && !others.place)
    others.place = is_written ? known->second.default_label : place_of(label, to);
}

std::vector<std::string> value_texts(const interval &values, tree type, tree index_type,
                                     tree texts) {
  std::vector<std::string> names;
  if (texts) names = texts_of(texts, values);
  if (names.empty()) names = {range_text(type, index_type, values)};
  return names;
}

// What the statement has: a case for each block that it leads to, in the order of values, all
// others last.
counted_switch read_switch(function *fun, gswitch *statement) {
  tree index = gimple_switch_index(statement), from = converted_from(index);
  tree written_type = TREE_TYPE(from ? from : index), texts = table_of_texts(index);
  counted_switch found = {written_at(statement), {}};
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
      continue;
    }
    if (!of.place) of.place = place_of(label, to);
    for (const std::string &name :
         value_texts(interval_of(label), written_type, TREE_TYPE(index), texts))
      of.values.push_back(name);
  }
  return found;
}

} // namespace

std::vector<counted_case> united(const std::vector<counted_case> &cases) {
  std::vector<counted_case> found;
  for (const counted_case &one : cases) {
    auto same = std::find_if(found.begin(), found.end(), [&one](const counted_case &other) {
      return one.values == other.values && one.other == other.other;
    });
    if (same == found.end())
      found.push_back(one);
    else
      same->ways.insert(same->ways.end(), one.ways.begin(), one.ways.end());
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

std::vector<counted_switch> find_switches(function *fun) {
  std::vector<counted_switch> found;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    if (gswitch *statement = safe_dyn_cast<gswitch *>(last_nondebug_stmt(block)))
      found.push_back(read_switch(fun, statement));
  return found;
}

} // namespace ascribe
