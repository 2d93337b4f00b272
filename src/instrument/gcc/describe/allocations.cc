// The types of allocated blocks: what `new` makes, and what a pointer without type becomes at once
// that a function returned. GIMPLE knows no such conversions any more, so the front end's trees are
// read; where a call stands is all that leads from the program back to them.
#include "instrument/gcc/describe/source_parts.h"

#include "attribs.h"
#include "diagnostic-core.h"
#include "tree-pass.h"

#include "instrument/common/allocation_section.h"

// Of cc1plus only: as linkage names have it.
extern const char *mangle_type_string(tree) __attribute__((weak));

namespace ascribe {
namespace {

allocation_types the_types;

bool is_pointer_to(tree type, bool (*fits)(tree)) {
  return type && POINTER_TYPE_P(type) && fits(TREE_TYPE(type));
}
bool is_untyped(tree type) {
  return VOID_TYPE_P(type);
}
bool is_text(tree type) {
  return TYPE_MAIN_VARIANT(type) == char_type_node;
}
// Before an array, C++ keeps how many elements it has. No program can name the type of that.
bool is_block(tree type) {
  return !VOID_TYPE_P(type) && !FUNC_OR_METHOD_TYPE_P(type) && type != sizetype;
}

tree called_function(tree call) {
  tree callee = TREE_CODE(call) == CALL_EXPR ? CALL_EXPR_FN(call) : NULL_TREE;
  return callee && TREE_CODE(callee) == ADDR_EXPR ? TREE_OPERAND(callee, 0) : NULL_TREE;
}

bool is_new(tree callee) {
  return callee && DECL_IS_OPERATOR_NEW_P(callee) && DECL_IS_REPLACEABLE_OPERATOR(callee);
}

bool is_allocator(tree callee) {
  if (!callee || TREE_CODE(callee) != FUNCTION_DECL) return false;
  return DECL_IS_MALLOC(callee) || is_new(callee) ||
         lookup_attribute("malloc", DECL_ATTRIBUTES(callee)) ||
         (DECL_NAME(callee) && startswith(IDENTIFIER_POINTER(DECL_NAME(callee)), "realloc"));
}

// A result of `new` that is at once made a pointer to a base shows the base only.
bool has_room_for(tree call, tree type) {
  if (!is_new(called_function(call)) || call_expr_nargs(call) < 1) return true;
  tree room = CALL_EXPR_ARG(call, 0), size = TYPE_SIZE_UNIT(type);
  bool is_array = id_equal(DECL_NAME(called_function(call)), "operator new []");
  return is_array || !size || TREE_CODE(room) != INTEGER_CST || TREE_CODE(size) != INTEGER_CST ||
         tree_int_cst_equal(room, size);
}

// ---- names of types ----

std::string name_in_c(tree type) {
  if (is_pointer_to(type, [](tree to) { return !FUNC_OR_METHOD_TYPE_P(to); })) {
    std::string to = name_in_c(TREE_TYPE(type));
    return to.empty() ? to : to + (to.back() == '*' ? "*" : " *");
  }
  tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type));
  if (!name) name = TYPE_NAME(type);
  if (!name) return "";
  if (TREE_CODE(name) == TYPE_DECL)
    return DECL_NAME(name) ? IDENTIFIER_POINTER(DECL_NAME(name)) : "";
  const char *word = TREE_CODE(type) == UNION_TYPE      ? "union "
                     : TREE_CODE(type) == ENUMERAL_TYPE ? "enum "
                                                        : "struct ";
  return std::string(word) + IDENTIFIER_POINTER(name);
}

std::string name_of(tree type) {
  while (TREE_CODE(type) == ARRAY_TYPE)
    type = TREE_TYPE(type);
  if (mangle_type_string) return std::string("_ZTS") + mangle_type_string(TYPE_MAIN_VARIANT(type));
  return name_in_c(type);
}

// ---- one function ----

struct found_call {
  std::set<location_t> places;
  tree type = NULL_TREE;
  bool is_returned = false;
};

class finder {
public:
  void find(tree function) {
    walk(&DECL_SAVED_TREE(function));
    for (tree variable : returned)
      if (is_only_results(variable))
        for (tree value : values[variable])
          follow(value, {UNKNOWN_LOCATION, NULL_TREE, true});
    for (const auto &call : calls)
      keep(function, call.first, call.second);
  }

private:
  // What becomes of a value: where that stands, and as which type it is taken.
  struct use {
    location_t place;
    tree type;
    bool is_returned;
  };

  std::map<tree, found_call> calls;
  std::map<tree, std::vector<tree>> values; // of a variable: all that is assigned to it
  std::set<tree> returned;                  // variables

  void walk(tree *from) { walk_tree_without_duplicates(from, visit, this); }

  static tree visit(tree *at, int *, void *self) {
    static_cast<finder *>(self)->look_at(*at);
    return NULL_TREE;
  }

  void look_at(tree node) {
    switch (TREE_CODE(node)) {
    case MODIFY_EXPR:
    case INIT_EXPR:
      assign(TREE_OPERAND(node, 0), TREE_OPERAND(node, 1), EXPR_LOCATION(node));
      break;
    case DECL_EXPR:
      if (VAR_P(DECL_EXPR_DECL(node)) && DECL_INITIAL(DECL_EXPR_DECL(node)))
        assign(DECL_EXPR_DECL(node), DECL_INITIAL(DECL_EXPR_DECL(node)), EXPR_LOCATION(node));
      break;
    case TARGET_EXPR:
      assign(TARGET_EXPR_SLOT(node), TARGET_EXPR_INITIAL(node), EXPR_LOCATION(node));
      break;
    case RETURN_EXPR:
      if (tree value = TREE_OPERAND(node, 0))
        follow(value, {EXPR_LOCATION(node), NULL_TREE, false});
      break;
    CASE_CONVERT:
      if (is_pointer_to(TREE_TYPE(node), is_block))
        follow(TREE_OPERAND(node, 0), {EXPR_LOCATION(node), TREE_TYPE(TREE_TYPE(node)), false});
      break;
    case CALL_EXPR:
      reached(node, {UNKNOWN_LOCATION, NULL_TREE, false});
      break;
    default:
      break;
    }
  }

  void assign(tree to, tree value, location_t place) {
    if (!value) return;
    bool is_result = TREE_CODE(to) == RESULT_DECL && is_pointer_to(TREE_TYPE(to), is_untyped);
    follow(value, {place, NULL_TREE, is_result});
    if (VAR_P(to) || TREE_CODE(to) == PARM_DECL) values[to].push_back(value);
  }

  // Through all that leaves the value as it is.
  void follow(tree value, use as, int most = 100) {
    if (!most--) return;
    switch (TREE_CODE(value)) {
    CASE_CONVERT:
    case NON_LVALUE_EXPR:
    case VIEW_CONVERT_EXPR:
      if (is_pointer_to(TREE_TYPE(value), is_block)) as.type = NULL_TREE, as.is_returned = false;
      follow(TREE_OPERAND(value, 0), as, most);
      break;
    case SAVE_EXPR:
    case CLEANUP_POINT_EXPR:
    case POINTER_PLUS_EXPR:
      follow(TREE_OPERAND(value, 0), as, most);
      break;
    case COMPOUND_EXPR:
    case MODIFY_EXPR:
    case INIT_EXPR:
      follow(TREE_OPERAND(value, 1), as, most);
      break;
    case COND_EXPR:
      for (int side : {1, 2})
        if (TREE_OPERAND(value, side)) follow(TREE_OPERAND(value, side), as, most);
      break;
    case TARGET_EXPR:
      if (TARGET_EXPR_INITIAL(value)) follow(TARGET_EXPR_INITIAL(value), as, most);
      break;
    case VAR_DECL:
    case PARM_DECL:
      if (as.is_returned) returned.insert(value);
      if (DECL_ARTIFICIAL(value) && !DECL_NAME(value) && values.count(value))
        follow(values[value][0], {UNKNOWN_LOCATION, as.type, false}, most);
      break;
    case CALL_EXPR:
      reached(value, as);
      break;
    default:
      break;
    }
  }

  // Of `new`, the first use is that by the constructor.
  void reached(tree call, use as) {
    bool is_strdup = is_pointer_to(TREE_TYPE(call), is_text) && is_allocator(called_function(call));
    if (is_strdup) as.type = char_type_node;
    if (!is_strdup && !is_pointer_to(TREE_TYPE(call), is_untyped)) return;
    found_call &found = calls[call];
    for (location_t place : {EXPR_LOCATION(call), as.place})
      if (is_known(place)) found.places.insert(place);
    if (as.type && !found.type) found.type = as.type;
    found.is_returned |= as.is_returned;
  }

  static bool is_result(tree value) {
    STRIP_NOPS(value);
    if (TREE_CODE(value) != COND_EXPR) return TREE_CODE(value) == CALL_EXPR || integer_zerop(value);
    tree other = TREE_OPERAND(value, 2);
    return is_result(TREE_OPERAND(value, 1)) && other && is_result(other);
  }

  // All that was ever assigned is what functions returned, or null.
  bool is_only_results(tree variable) {
    if (TREE_ADDRESSABLE(variable) || TREE_STATIC(variable) || DECL_EXTERNAL(variable))
      return false;
    for (tree value : values[variable])
      if (!is_result(value)) return false;
    return true;
  }

  static void keep(tree function, tree call, const found_call &found) {
    if (found.type && !has_room_for(call, found.type)) return;
    std::string type = found.type ? name_of(found.type) : "";
    if (type.empty() && (found.type || !found.is_returned)) return;
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
    for (location_t place : found.places) {
      expanded_location at = expand_location(place);
      if (at.file && at.line)
        the_types.add({name + (name[0] == '*'), at.file, (unsigned)at.line, (unsigned)at.column,
                       is_allocator(called_function(call)), type});
    }
  }
};

} // namespace

void note_allocations(void *function, void *) {
  if (debug_info_level > DINFO_LEVEL_NONE && !seen_error())
    finder().find(static_cast<tree>(function));
}

// As text of the source, which link-time optimisation takes along.
void add_allocation_types(void *, void *) {
  std::string text = the_types.text();
  if (!text.empty()) symtab->finalize_toplevel_asm(build_string(text.size(), text.c_str()));
}

} // namespace ascribe
