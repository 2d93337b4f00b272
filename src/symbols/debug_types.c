#include "symbols/debug_types.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/debug_names.h"
#include "symbols/demangle.h"

/* Damaged debug information could ask for any depth and, by types that refer to each other, any
 * length. */
enum { DEEPEST_TYPE = 24, LONGEST_DECLARATOR = 256, LONGEST_NAME = 4096 };

/* ---- names ---- */

static const struct {
  const char *compiler, *demangled;
} spellings[] = {
    {"long long unsigned int", "unsigned long long"},
    {"long unsigned int", "unsigned long"},
    {"short unsigned int", "unsigned short"},
    {"long long int", "long long"},
    {"long int", "long"},
    {"short int", "short"},
    {"__int128 unsigned", "unsigned __int128"},
    {"basic_istream<char, std::char_traits<char> >", "istream"},
    {"basic_ostream<char, std::char_traits<char> >", "ostream"},
    {"basic_iostream<char, std::char_traits<char> >", "iostream"},
};

static bool is_word_end(char c) {
  return !isalnum((unsigned char)c) && c != '_';
}

void debug_print_name(FILE *out, const char *name) {
  for (const char *at = name; *at;) {
    const char *rest = NULL;
    bool begins = at == name || is_word_end(at[-1]);
    for (size_t i = 0; begins && !rest && i < sizeof spellings / sizeof *spellings; i++) {
      size_t length = strlen(spellings[i].compiler);
      if (strncmp(at, spellings[i].compiler, length) != 0 || !is_word_end(at[length])) continue;
      fputs(spellings[i].demangled, out);
      rest = at + length;
    }
    if (!rest) fputc(*at, out);
    at = rest ? rest : at + 1;
  }
}

/* ---- types ---- */

static void print_list(FILE *out, Dwarf_Die *function, unsigned depth);

/* The type that a type or parameter refers to; null: void. */
static Dwarf_Die *type_of(Dwarf_Die *die, unsigned name, Dwarf_Die *type) {
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(die, name, &attribute), type);
}

static bool is_artificial(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  bool value = false;
  return dwarf_formflag(dwarf_attr_integrate(die, DW_AT_artificial, &attribute), &value) == 0 &&
         value;
}

/* What a parameter's own qualifiers say is no part of the function's type. */
static Dwarf_Die *without_qualifiers(Dwarf_Die *type, Dwarf_Die *storage) {
  for (unsigned i = 0; type && i < DEEPEST_TYPE; i++) {
    int tag = dwarf_tag(type);
    if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type)
      break;
    type = type_of(type, DW_AT_type, storage);
  }
  return type;
}

/* A method of const objects: what `this` points to is const. */
static bool is_const_method(Dwarf_Die *function) {
  Dwarf_Die child, pointer, target;
  if (dwarf_child(function, &child) != 0 || dwarf_tag(&child) != DW_TAG_formal_parameter ||
      !is_artificial(&child) || !type_of(&child, DW_AT_type, &pointer))
    return false;
  Dwarf_Die *type = without_qualifiers(&pointer, &target);
  return type && dwarf_tag(type) == DW_TAG_pointer_type && type_of(type, DW_AT_type, &child) &&
         dwarf_tag(&child) == DW_TAG_const_type;
}

static bool needs_brackets(Dwarf_Die *type) {
  return type &&
         (dwarf_tag(type) == DW_TAG_subroutine_type || dwarf_tag(type) == DW_TAG_array_type);
}

static void print_type(FILE *out, Dwarf_Die *type, const char *declarator, unsigned depth);

/* A pointer or reference: `sign` stands before what is declared. */
static void print_pointer(FILE *out, Dwarf_Die *type, const char *sign, const char *declarator,
                          unsigned depth) {
  Dwarf_Die storage, *target = type_of(type, DW_AT_type, &storage);
  char text[LONGEST_DECLARATOR];
  snprintf(text, sizeof text, needs_brackets(target) ? " (%s%s)" : "%s%s", sign, declarator);
  print_type(out, target, text, depth);
}

static void print_member_pointer(FILE *out, Dwarf_Die *type, const char *declarator,
                                 unsigned depth) {
  Dwarf_Die storage, class, *target = type_of(type, DW_AT_type, &storage);
  char *name =
      type_of(type, DW_AT_containing_type, &class) ? debug_qualified_name(&class, depth) : NULL;
  char text[LONGEST_DECLARATOR];
  snprintf(text, sizeof text, needs_brackets(target) ? " (%s::*%s)" : " %s::*%s", name ? name : "",
           declarator);
  free(name);
  print_type(out, target, text, depth);
}

static void print_array(FILE *out, Dwarf_Die *type, const char *declarator, unsigned depth) {
  Dwarf_Die storage, range;
  Dwarf_Attribute attribute;
  Dwarf_Word bound;
  char text[LONGEST_DECLARATOR];
  int known = 0;
  if (dwarf_child(type, &range) == 0) {
    known = dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attribute), &bound) == 0;
    if (!known && dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attribute), &bound) == 0)
      known = 1, bound++;
  }
  if (known)
    snprintf(text, sizeof text, "%s [%llu]", declarator, (unsigned long long)bound);
  else
    snprintf(text, sizeof text, "%s []", declarator);
  print_type(out, type_of(type, DW_AT_type, &storage), text, depth);
}

static void print_function_type(FILE *out, Dwarf_Die *type, const char *declarator,
                                unsigned depth) {
  Dwarf_Die storage;
  print_type(out, type_of(type, DW_AT_type, &storage), *declarator ? declarator : " ", depth);
  print_list(out, type, depth);
  if (is_const_method(type)) fputs(" const", out);
}

/* GCC gives a type that has its name by a typedef the mangled name. */
static char *mangled_type_name(Dwarf_Die *type) {
  static const char prefix[] = "typeinfo name for ";
  Dwarf_Attribute attribute;
  const char *mangled = dwarf_formstring(dwarf_attr(type, DW_AT_linkage_name, &attribute));
  char symbol[LONGEST_DECLARATOR];
  if (!mangled || snprintf(symbol, sizeof symbol, "_ZTS%s", mangled) >= (int)sizeof symbol)
    return NULL;
  char *name = demangle(symbol);
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
    free(name);
    return NULL;
  }
  memmove(name, name + sizeof prefix - 1, strlen(name) - sizeof prefix + 2);
  return name;
}

static void print_named(FILE *out, Dwarf_Die *type, const char *declarator, unsigned depth) {
  char *name = dwarf_diename(type) ? debug_qualified_name(type, depth) : mangled_type_name(type);
  debug_print_name(out, name ? name : "{unnamed}");
  free(name);
  fputs(declarator, out);
}

static void print_qualified(FILE *out, Dwarf_Die *type, const char *word, const char *declarator,
                            unsigned depth) {
  Dwarf_Die storage;
  char text[LONGEST_DECLARATOR];
  snprintf(text, sizeof text, "%s%s", word, declarator);
  print_type(out, type_of(type, DW_AT_type, &storage), text, depth);
}

/* A typedef is another word for its type, but gives a name to one without. */
static void print_typedef(FILE *out, Dwarf_Die *type, const char *declarator, unsigned depth) {
  Dwarf_Die storage, *target = type_of(type, DW_AT_type, &storage);
  int tag = target ? dwarf_tag(target) : 0;
  bool is_nameless = target && !dwarf_diename(target) &&
                     (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                      tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type);
  if (is_nameless)
    print_named(out, type, declarator, depth);
  else
    print_type(out, target, declarator, depth);
}

/* The type with what is declared of it behind, as demanglers write it: "char const*". */
static void print_type(FILE *out, Dwarf_Die *type, const char *declarator, unsigned depth) {
  Dwarf_Die storage;
  if (!type || depth > DEEPEST_TYPE || ftell(out) > LONGEST_NAME) {
    fprintf(out, "%s%s", type ? "?" : "void", declarator);
    return;
  }
  switch (dwarf_tag(type)) {
  case DW_TAG_pointer_type:
    print_pointer(out, type, "*", declarator, depth + 1);
    break;
  case DW_TAG_reference_type:
    print_pointer(out, type, "&", declarator, depth + 1);
    break;
  case DW_TAG_rvalue_reference_type:
    print_pointer(out, type, "&&", declarator, depth + 1);
    break;
  case DW_TAG_ptr_to_member_type:
    print_member_pointer(out, type, declarator, depth + 1);
    break;
  case DW_TAG_const_type:
    print_qualified(out, type, " const", declarator, depth + 1);
    break;
  case DW_TAG_volatile_type:
    print_qualified(out, type, " volatile", declarator, depth + 1);
    break;
  case DW_TAG_typedef:
    print_typedef(out, type, declarator, depth + 1);
    break;
  case DW_TAG_restrict_type:
  case DW_TAG_atomic_type:
  case DW_TAG_template_alias:
    print_type(out, type_of(type, DW_AT_type, &storage), declarator, depth + 1);
    break;
  case DW_TAG_array_type:
    print_array(out, type, declarator, depth + 1);
    break;
  case DW_TAG_subroutine_type:
    print_function_type(out, type, declarator, depth + 1);
    break;
  default:
    print_named(out, type, declarator, depth);
    break;
  }
}

/* ---- parameters ---- */

static void print_list(FILE *out, Dwarf_Die *function, unsigned depth) {
  Dwarf_Die child, storage;
  const char *separator = "";
  fputc('(', out);
  int more = dwarf_child(function, &child) == 0;
  for (; more && ftell(out) <= LONGEST_NAME; more = dwarf_siblingof(&child, &child) == 0) {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_unspecified_parameters) fprintf(out, "%s...", separator);
    if (tag != DW_TAG_formal_parameter || is_artificial(&child)) continue;
    fputs(separator, out);
    separator = ", ";
    Dwarf_Die *type = type_of(&child, DW_AT_type, &storage);
    print_type(out, without_qualifiers(type, &storage), "", depth + 1);
  }
  fputc(')', out);
}

void debug_print_parameters(FILE *out, Dwarf_Die *function, unsigned depth) {
  print_list(out, function, depth);
  if (is_const_method(function)) fputs(" const", out);
}
