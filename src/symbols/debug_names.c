#include "symbols/debug_names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/debug_types.h"
#include "symbols/demangle.h"

enum { LONGEST_CHAIN = 16, DEEPEST_SCOPE = 100, DEEPEST_FUNCTION = 8 };

const char *debug_linkage_name(Dwarf_Die *function) {
  Dwarf_Attribute attribute;
  const char *name =
      dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
  if (name) return name;
  return dwarf_formstring(dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute));
}

/* The entry that stands where the function was declared. */
static Dwarf_Die declaration_of(const Dwarf_Die *function) {
  Dwarf_Die die = *function;
  Dwarf_Attribute attribute;
  for (unsigned i = 0; i < LONGEST_CHAIN; i++)
    if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attribute), &die) &&
        !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attribute), &die))
      break;
  return die;
}

/* The entries that hold `die`, outermost first, without the unit. Entries lie in the order of the
 * tree, so the last sibling that does not begin behind `die` holds it. Returns their number, 0
 * also where there are more than `room`. */
static size_t scopes_of(const Dwarf_Die *die, Dwarf_Die *scopes, size_t room) {
  Dwarf_Die at, next, top = *die;
  size_t count = 0;
  if (!dwarf_diecu(&top, &at, NULL, NULL) || dwarf_child(&at, &at) != 0) return 0;
  while (at.addr < die->addr) {
    if (dwarf_siblingof(&at, &next) == 0 && next.addr <= die->addr) {
      at = next;
      continue;
    }
    if (count == room) return 0;
    scopes[count++] = at;
    if (dwarf_child(&at, &at) != 0) return 0;
  }
  return count;
}

static bool is_type(Dwarf_Die *scope) {
  switch (dwarf_tag(scope)) {
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
  case DW_TAG_interface_type:
    return true;
  default:
    return false;
  }
}

bool debug_is_unified(const Dwarf_Die *function) {
  Dwarf_Die declaration = declaration_of(function);
  const char *linkage = debug_linkage_name(&declaration);
  return linkage && demangle_is_unified(linkage);
}

int debug_type_of_method(Dwarf_Die *function, Dwarf_Die *type) {
  Dwarf_Die scopes[DEEPEST_SCOPE], declaration = declaration_of(function);
  size_t count = scopes_of(&declaration, scopes, DEEPEST_SCOPE);
  if (count == 0 || !is_type(&scopes[count - 1])) return -1;
  *type = scopes[count - 1];
  return 0;
}

/* `inner` is the name that follows. */
static const char *scope_name(Dwarf_Die *scope, const char *inner) {
  const char *name = dwarf_diename(scope);
  if (is_type(scope)) {
    if (!name) name = strncmp(inner, "operator()", 10) == 0 ? "{lambda}" : "{unnamed}";
    return name;
  }
  switch (dwarf_tag(scope)) {
  case DW_TAG_namespace:
    return name ? name : "(anonymous namespace)";
  case DW_TAG_module:
  case DW_TAG_subprogram:
    return name;
  default:
    return NULL;
  }
}

static bool is_cplusplus(Dwarf_Die *die) {
  Dwarf_Die unit;
  switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0) {
  case DW_LANG_C_plus_plus:
  case DW_LANG_C_plus_plus_03:
  case DW_LANG_C_plus_plus_11:
  case DW_LANG_C_plus_plus_14:
    return true;
  default:
    return false;
  }
}

static bool is_external(Dwarf_Die *function) {
  Dwarf_Attribute attribute;
  bool value = false;
  return dwarf_formflag(dwarf_attr_integrate(function, DW_AT_external, &attribute), &value) == 0 &&
         value;
}

static char *name_of(Dwarf_Die *die, bool with_parameters, unsigned depth);

/* Others can see a function that is external: without a linkage name it is one of C. */
static char *function_name(Dwarf_Die *function, unsigned depth) {
  const char *linkage = debug_linkage_name(function);
  if (linkage) return demangle(linkage);
  return name_of(function, is_cplusplus(function) && !is_external(function), depth);
}

/* What is local to a function has that function's name, which has all scopes around it. */
static void print_scopes(FILE *out, Dwarf_Die *declaration, const char *own, unsigned depth) {
  Dwarf_Die scopes[DEEPEST_SCOPE];
  size_t count = scopes_of(declaration, scopes, DEEPEST_SCOPE), first = 0;
  for (size_t i = 0; i < count; i++)
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) first = i;
  for (size_t i = first; i < count; i++) {
    bool is_function = dwarf_tag(&scopes[i]) == DW_TAG_subprogram && depth < DEEPEST_FUNCTION;
    char *function = is_function ? function_name(&scopes[i], depth + 1) : NULL;
    const char *name = function ? function : scope_name(&scopes[i], i + 1 == count ? own : "");
    if (name) debug_print_name(out, name);
    if (name) fputs("::", out);
    free(function);
  }
}

static char *name_of(Dwarf_Die *die, bool with_parameters, unsigned depth) {
  Dwarf_Die declaration = declaration_of(die);
  const char *own = dwarf_diename(&declaration);
  char *text = NULL;
  size_t bytes;
  FILE *out = own ? open_memstream(&text, &bytes) : NULL;
  if (!out) return NULL;
  print_scopes(out, &declaration, own, depth);
  debug_print_name(out, own);
  if (with_parameters && !strchr(own, '<')) debug_print_parameters(out, &declaration, depth);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

char *debug_qualified_name(Dwarf_Die *die, unsigned depth) {
  return name_of(die, false, depth);
}

char *debug_function_name(Dwarf_Die *function) {
  return function_name(function, 0);
}
