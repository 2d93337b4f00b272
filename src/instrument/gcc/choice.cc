// Which functions are instrumented: those that can be, and that the user asked for.
#include "instrument/gcc/plugin_common.h"

#include "instrument/common/linkage_names.h"

#include "attribs.h"
#include "builtins.h"
#include "langhooks.h"

#include <fnmatch.h>

namespace ascribe {
namespace {

bool has_attribute(tree decl, const char *name) {
  return lookup_attribute(name, DECL_ATTRIBUTES(decl)) != NULL_TREE;
}

// An ifunc's resolver, and what it calls, runs while the loader relocates: thread-local variables
// have no values yet.
struct early_code {
  std::set<tree> functions;
  std::set<tree> calls_out; // resolvers from which calls leave the unit
};

// Adds the function and what it calls; whether it calls what is not of this unit.
bool add_with_callees(cgraph_node *node, std::set<tree> &functions) {
  node = node->ultimate_alias_target();
  if (!functions.insert(node->decl).second) return false;
  bool calls_out = !node->definition || node->indirect_calls;
  for (cgraph_edge *call = node->callees; call; call = call->next_callee)
    calls_out |= add_with_callees(call->callee, functions);
  return calls_out;
}

early_code find_early_code() {
  early_code found;
  cgraph_node *node;
  FOR_EACH_FUNCTION(node) {
    if (!node->ifunc_resolver) continue;
    cgraph_node *resolver = node->get_alias_target();
    if (!resolver) continue;
    std::set<tree> called;
    if (add_with_callees(resolver, called)) found.calls_out.insert(resolver->decl);
    found.functions.insert(called.begin(), called.end());
  }
  return found;
}

const early_code &the_early_code() {
  static const early_code found = find_early_code();
  return found;
}

bool may_have_hooks(tree decl) {
  for (const char *attribute : {"no_instrument_function", "naked", "interrupt", "ifunc"})
    if (has_attribute(decl, attribute)) return false;
  return true;
}

bool can_be_instrumented(tree decl) {
  return !the_early_code().functions.count(decl) && may_have_hooks(decl);
}

bool calls_something(gimple *statement) {
  if (gimple_code(statement) == GIMPLE_ASM) return true;
  if (!is_gimple_call(statement) || gimple_call_internal_p(statement)) return false;
  tree callee = gimple_call_fndecl(statement);
  return !(callee && fndecl_built_in_p(callee) && is_inexpensive_builtin(callee));
}

bool is_tiny_leaf(function *fun) {
  unsigned statements = 0;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
         gsi_next_nondebug(&at)) {
      if (gimple_code(gsi_stmt(at)) == GIMPLE_LABEL) continue;
      if (calls_something(gsi_stmt(at)) || ++statements > asked.leaf_statements) return false;
    }
  return true;
}

// What the user may call a function: its linkage name, its name alone and qualified, its file.
std::vector<std::string> names_of(tree decl) {
  std::vector<std::string> names = {lang_hooks.decl_printable_name(decl, 0),
                                    lang_hooks.decl_printable_name(decl, 1), qualified_name(decl)};
  const char *linkage = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
  names.push_back(linkage + (linkage[0] == '*'));
  if (const char *file = DECL_SOURCE_FILE(decl)) {
    names.push_back(file);
    names.push_back(lbasename(file));
  }
  return names;
}

bool matches(const std::vector<std::string> &patterns, const std::vector<std::string> &names) {
  for (const std::string &pattern : patterns)
    for (const std::string &name : names)
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

bool asked_for(tree decl) {
  if (asked.only.empty() && asked.skip.empty()) return true;
  std::vector<std::string> names = names_of(decl);
  if (DECL_ORIGIN(decl) != decl) // a clone, a piece
    for (const std::string &name : names_of(DECL_ORIGIN(decl)))
      names.push_back(name);
  return (asked.only.empty() || matches(asked.only, names)) && !matches(asked.skip, names);
}

} // namespace

void find_resolvers() {
  the_early_code();
}

bool resolver_calls_out(function *fun) {
  return the_early_code().calls_out.count(fun->decl) != 0;
}

namespace {

// Behind what opens at `at`: brackets within it, and characters in quotes, belong to it.
size_t behind(const std::string &name, size_t at) {
  int open = 0;
  for (char quote = 0; at < name.size(); at++) {
    char c = name[at];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'') {
      quote = c;
    } else if (strchr("(<[{", c)) {
      open++;
    } else if (c == '>' && name[at - 1] == '-') {
      continue;
    } else if (strchr(")>]}", c) && --open == 0) {
      return at + 1;
    }
  }
  return at;
}

} // namespace

// Without its parameters: those of a function that it is local to belong to the name.
std::string qualified_name(tree decl) {
  static const char word[] = "operator";
  std::string name = lang_hooks.decl_printable_name(decl, 1);
  for (size_t at = 0; at < name.size();) {
    if (name.compare(at, strlen(word), word) == 0) {
      at += strlen(word);
      size_t symbol = name.find_first_not_of("()<>=-[]!*&|^%+/,~ ", at);
      size_t parameters = name.compare(at, 2, "()") == 0 ? at + 2 : name.find('(', at);
      if (symbol == std::string::npos || symbol > parameters) symbol = parameters;
      at = std::min(std::min(symbol, parameters), name.size());
      continue;
    }
    if (name[at] == '(') {
      size_t end = behind(name, at);
      if (name.compare(end, 2, "::") != 0) return name.substr(0, at);
      at = end;
    } else {
      at = name[at] == '<' ? behind(name, at) : at + 1;
    }
  }
  return name;
}

// What the compiler makes, such as the pieces of a coroutine, is not a function that users name;
// and ours change the centre themselves.
bool is_centre(tree decl) {
  static const char ours[] = "ascribe/ascribe.h";
  const std::string file = DECL_SOURCE_FILE(decl) ? DECL_SOURCE_FILE(decl) : "";
  bool is_ours = file.size() >= strlen(ours) &&
                 file.compare(file.size() - strlen(ours), strlen(ours), ours) == 0;
  if (DECL_ARTIFICIAL(decl) || is_ours || !may_have_hooks(decl)) return false;
  return !is_deleting_destructor(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl))) &&
         matches(asked.centres, names_of(decl));
}

bool chosen_by_name(tree decl) {
  return can_be_instrumented(decl) && asked_for(decl);
}

bool chosen(function *fun) {
  return !fun->is_thunk && chosen_by_name(fun->decl) &&
         !(asked.leaf_statements && !is_piece(fun->decl) && is_tiny_leaf(fun));
}

} // namespace ascribe
