#include "symbols/debug_names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_CHAIN = 16, DEEPEST_SCOPE = 100 };

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

char *debug_qualified_name(Dwarf_Die *function) {
  Dwarf_Die scopes[DEEPEST_SCOPE], declaration = declaration_of(function);
  const char *own = dwarf_diename(&declaration);
  char *text = NULL;
  size_t bytes;
  FILE *out = own ? open_memstream(&text, &bytes) : NULL;
  if (!out) return NULL;
  size_t count = scopes_of(&declaration, scopes, DEEPEST_SCOPE);
  for (size_t i = 0; i < count; i++) {
    const char *name = scope_name(&scopes[i], i + 1 == count ? own : "");
    if (name) fprintf(out, "%s::", name);
  }
  fputs(own, out);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}
