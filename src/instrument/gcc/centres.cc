// Functions that are cost centres (--centres): as if their text began with ASCRIBE_SCOPE, with the
// function's name as the label. ascribe/ascribe.h has in C what is written here as GCC's trees.
#include "instrument/gcc/target/assembly.h"

#include "fold-const.h"
#include "gimplify.h"
#include "memmodel.h"
#include "output.h"
#include "stor-layout.h"
#include "tree-iterator.h"

#define ASCRIBE_RUNTIME
#include "ascribe/ascribe.h"
#include "ascribe/inert.h"

namespace ascribe {
namespace {

tree text_address(const std::string &text) {
  return build_string_literal(text.size() + 1, text.c_str());
}

// A static variable of as many words.
tree make_words(const char *name, vec<constructor_elt, va_gc> *values) {
  tree type = build_array_type_nelts(uint64_type_node, vec_safe_length(values));
  tree decl = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
  TREE_STATIC(decl) = 1;
  TREE_ADDRESSABLE(decl) = 1;
  TREE_USED(decl) = 1;
  DECL_ARTIFICIAL(decl) = 1;
  DECL_IGNORED_P(decl) = 1;
  DECL_INITIAL(decl) = build_constructor(type, values);
  TREE_STATIC(DECL_INITIAL(decl)) = 1;
  return decl;
}

void add_word(vec<constructor_elt, va_gc> *&values, tree value) {
  CONSTRUCTOR_APPEND_ELT(values, size_int(vec_safe_length(values)),
                         fold_convert(uint64_type_node, value));
}

// The unit's struct ascribe_scopes: it has one already if it includes ascribe/ascribe.h.
tree unit_scopes() {
  static const char name[] = "ascribe_scopes";
  symtab_node *known = symtab_node::get_for_asmname(get_identifier(name));
  if (known && known->definition) return known->decl;
  enum { WORDS = sizeof(ascribe_scopes) / 8, VERSION = offsetof(ascribe_scopes, version) / 8 };
  static_assert(sizeof(ascribe_scopes) % 8 == 0 && offsetof(ascribe_scopes, version) % 8 == 0,
                "it is written as words, all zeros but that of the version");
  vec<constructor_elt, va_gc> *values = nullptr;
  for (unsigned i = 0; i < WORDS; i++)
    add_word(values, u64(i == VERSION ? ASCRIBE_SCOPES_VERSION : 0));
  tree decl = make_words(name, values);
  TREE_PUBLIC(decl) = 1;
  DECL_WEAK(decl) = 1;
  DECL_VISIBILITY(decl) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED(decl) = 1;
  DECL_PRESERVE_P(decl) = 1;
  SET_DECL_ASSEMBLER_NAME(decl, get_identifier(name));
  varpool_node::finalize_decl(decl);
  static const char begins[] = ASCRIBE_INERT_SCOPES;
  symtab->finalize_toplevel_asm(build_string(sizeof begins - 1, begins));
  return decl;
}

// The function's struct ascribe_centre. Its module is its file: a function of a header is one
// centre, in whichever unit.
tree make_centre(tree function) {
  static_assert(sizeof(ascribe_centre) == 48 && offsetof(ascribe_centre, line) == 40 &&
                    offsetof(ascribe_centre, built_in) == 44,
                "it is written as words");
  std::string file = DECL_SOURCE_FILE(function) ? DECL_SOURCE_FILE(function) : "";
  vec<constructor_elt, va_gc> *values = nullptr;
  add_word(values, u64(ASCRIBE_CENTRE_NEW));
  add_word(values, u64(0));
  add_word(values, text_address(qualified_name(function)));
  add_word(values, text_address(file));
  add_word(values, text_address(file));
  add_word(values,
           u64((uint64_t)ASCRIBE_CENTRE_BUILT_IN << 32 | (uint32_t)DECL_SOURCE_LINE(function)));
  tree decl = make_words("ascribe_centre", values);
  DECL_CONTEXT(decl) = function;
  SET_DECL_ASSEMBLER_NAME(decl, create_tmp_var_name("ascribe_centre"));
  varpool_node::finalize_decl(decl);
  return decl;
}

// What is at the address plus the offset.
tree word_at(tree type, tree address, uint64_t offset, bool is_volatile = false) {
  if (is_volatile) type = build_qualified_type(type, TYPE_QUAL_VOLATILE);
  tree reference = build2(MEM_REF, type, fold_convert(ptr_type_node, address),
                          build_int_cst(build_pointer_type(char_type_node), offset));
  TREE_THIS_VOLATILE(reference) = is_volatile;
  TREE_SIDE_EFFECTS(reference) = is_volatile;
  return reference;
}

#define MEMBER(type, structure, address, member) word_at(type, address, offsetof(structure, member))

// Text that grows at its end, with variables of its own.
class statements {
public:
  tree list = NULL_TREE;

  void add(tree statement) { append_to_statement_list(statement, &list); }
  void assign(tree variable, tree value) {
    add(build2(MODIFY_EXPR, void_type_node, variable, value));
  }
  tree variable(tree type, tree value = NULL_TREE) {
    tree made = create_tmp_var(type, "ascribe");
    if (value) assign(made, value);
    return made;
  }
};

tree add_words(tree left, tree right) {
  return build2(PLUS_EXPR, uint64_type_node, left, right);
}

tree is_usually(tree condition, bool usual) {
  tree value = fold_convert(long_integer_type_node, condition);
  tree expect = builtin_decl_explicit(BUILT_IN_EXPECT);
  tree expected = build_int_cst(long_integer_type_node, usual);
  return build2(NE_EXPR, boolean_type_node, build_call_expr(expect, 2, value, expected),
                build_int_cst(long_integer_type_node, 0));
}

// Where the process records, and the run has not left the centre out. That is known at the first
// entry, which then has changed nothing that is to be restored.
tree if_counts(tree scopes, tree centre, tree then) {
  tree recorded = build2(NE_EXPR, boolean_type_node,
                         MEMBER(uint64_type_node, ascribe_scopes, scopes, centre), u64(0));
  tree is_in =
      build2(EQ_EXPR, boolean_type_node, MEMBER(uint32_type_node, ascribe_centre, centre, built_in),
             build_int_cst(uint32_type_node, ASCRIBE_CENTRE_BUILT_IN));
  tree test = build2(TRUTH_ANDIF_EXPR, boolean_type_node, is_usually(recorded, false), is_in);
  return build3(COND_EXPR, void_type_node, test, then, NULL_TREE);
}

// ascribe_scope_enter
tree enter_centre(tree scopes, tree centre, tree saved) {
  statements all, recorded, counts, calls;
  tree u32 = uint32_type_node, word = uint64_type_node;
  tree place = recorded.variable(word, MEMBER(word, ascribe_scopes, scopes, centre));
  recorded.add(read_thread_word(saved, place));
  tree gate = recorded.variable(word), own = recorded.variable(u32);
  recorded.add(read_thread_word(gate, MEMBER(word, ascribe_scopes, scopes, gate)));
  tree mask = recorded.variable(word, word_at(word, gate, 0, true));
  tree table = recorded.variable(word, word_at(word, gate, 8, true));
  tree key = recorded.variable(word, word_at(word, centre, offsetof(ascribe_centre, key), true));
  tree hash = add_words(MEMBER(word, ascribe_centre, centre, hash),
                        build2(MULT_EXPR, word, fold_convert(word, saved), u64(8)));
  tree slot = recorded.variable(
      word, add_words(add_words(gate, table), build2(BIT_AND_EXPR, word, hash, mask)));
  tree is_home =
      build2(TRUTH_ANDIF_EXPR, boolean_type_node,
             build2(EQ_EXPR, boolean_type_node, MEMBER(u32, ascribe_scope_slot, slot, from), saved),
             build2(EQ_EXPR, boolean_type_node, MEMBER(word, ascribe_scope_slot, slot, key), key));
  counts.add(increment_at(add_words(slot, u64(offsetof(ascribe_scope_slot, count)))));
  counts.assign(own, MEMBER(u32, ascribe_scope_slot, slot, to));
  tree type = build_pointer_type(build_function_type_list(u32, ptr_type_node, NULL_TREE));
  tree called = calls.variable(type, MEMBER(type, ascribe_scopes, scopes, enter));
  calls.assign(own, build_call_nary(u32, called, 1, centre));
  recorded.add(
      build3(COND_EXPR, void_type_node, is_usually(is_home, true), counts.list, calls.list));
  recorded.add(write_thread_word(place, own));
  all.assign(saved, build_int_cst(u32, 0));
  all.add(if_counts(scopes, centre, recorded.list));
  return all.list;
}

// ascribe_scope_leave
tree leave_centre(tree scopes, tree centre, tree saved) {
  tree place = MEMBER(uint64_type_node, ascribe_scopes, scopes, centre);
  return if_counts(scopes, centre, write_thread_word(place, saved));
}

} // namespace

// As GCC does it for -finstrument-functions: the whole text is tried, and finally the centre left.
void insert_centre(tree function) {
  tree scopes = build_fold_addr_expr(unit_scopes());
  tree centre = build_fold_addr_expr(make_centre(function));
  gimple_seq text = nullptr, last = nullptr;
  push_gimplify_context();
  tree saved = create_tmp_var(uint32_type_node, "ascribe");
  gimplify_and_add(enter_centre(scopes, centre, saved), &text);
  gimplify_and_add(leave_centre(scopes, centre, saved), &last);
  gimple_seq_add_stmt(&text, gimple_build_try(gimple_body(function), last, GIMPLE_TRY_FINALLY));
  gbind *whole = gimple_build_bind(NULL_TREE, text, NULL_TREE);
  pop_gimplify_context(whole);
  gimple_seq body = nullptr;
  gimple_seq_add_stmt(&body, whole);
  gimple_set_body(function, body);
}

} // namespace ascribe
