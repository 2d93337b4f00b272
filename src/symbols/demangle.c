#include "symbols/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/name_spelling.h"

/* Itanium C++ ABI, chapter "Demangler API"; from the C++ runtime library. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status);

/* The demangler's time and output may grow faster than the name. */
enum { LONGEST_MANGLED = 16384 };

/* What GCC, clang and Rust append, with an optional ".NUMBER" behind it. */
static const char *const clone_suffixes[] = {".constprop", ".isra",  ".part",       ".cold",
                                             ".lto_priv",  ".llvm",  ".localalias", ".clone",
                                             ".__uniq",    ".split", ".warm"};

static int ends_with(const char *text, size_t length, const char *suffix) {
  size_t bytes = strlen(suffix);
  return length > bytes && memcmp(text + length - bytes, suffix, bytes) == 0;
}

/* The length without one clone suffix; the same length if there is none. */
static size_t cut_clone_suffix(const char *text, size_t length) {
  size_t name = length;
  while (name > 0 && isdigit((unsigned char)text[name - 1]))
    name--;
  if (name == length || name < 2 || text[name - 1] != '.')
    name = length; /* no number */
  else
    name--;
  for (size_t i = 0; i < sizeof clone_suffixes / sizeof *clone_suffixes; i++) {
    if (ends_with(text, name, clone_suffixes[i])) return name - strlen(clone_suffixes[i]);
    if (ends_with(text, length, clone_suffixes[i])) return length - strlen(clone_suffixes[i]);
  }
  return length;
}

size_t demangle_base_length(const char *linkage) {
  /* A version follows the name and has no part in its suffixes; "name@plt" is none. */
  const char *at = strchr(linkage + (*linkage != '\0'), '@');
  size_t length = at && strcmp(at, "@plt") != 0 ? (size_t)(at - linkage) : strlen(linkage);
  for (;;) {
    size_t shorter = cut_clone_suffix(linkage, length);
    if (shorter == length) return length;
    length = shorter;
  }
}

bool demangle_is_base(const char *linkage, const char *base, size_t length) {
  return strncmp(linkage, base, length) == 0 && demangle_base_length(linkage) == length;
}

/* "__heat_MOD_step", the procedure "step" of a module (gcc/fortran/trans-decl.cc), is
 * "heat::step", as its debug information says and debuggers have it. */
static char *demangle_fortran(const char *linkage) {
  static const char middle[] = "_MOD_", letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (strncmp(linkage, "__", 2) != 0) return NULL;
  const char *module = linkage + 2, *end = strstr(module, middle);
  const char *own = end ? end + sizeof middle - 1 : NULL;
  if (!own || end == module || !*own || own[strspn(own, letters)] ||
      module + strspn(module, letters) < end)
    return NULL;
  return memory_printed("%.*s::%s", (int)(end - module), module, own);
}

static char *demangle_exact(const char *linkage) {
  if (strlen(linkage) > LONGEST_MANGLED) return NULL;
  char *rust = demangle_rust(linkage);
  if (rust) return rust;
  if (strncmp(linkage, "_Z", 2) != 0) return demangle_fortran(linkage);
  return __cxa_demangle(linkage, NULL, NULL, NULL);
}

size_t demangle_variant(const char *linkage, size_t at) {
  if (strncmp(linkage, "_Z", 2) != 0) return 0;
  for (; (at += strcspn(linkage + at, "CD")), linkage[at]; at++) {
    size_t digit = at + 1 + (linkage[at] == 'C' && linkage[at + 1] == 'I'); /* inherited: "CI2" */
    bool plain = digit == at + 1;
    if (!linkage[digit] || !strchr("124", linkage[digit])) continue;
    if (!plain || strchr("EIB", linkage[digit + 1])) return linkage[digit + 1] ? digit : 0;
  }
  return 0;
}

bool demangle_is_unified(const char *linkage) {
  for (size_t at = 0; (at = demangle_variant(linkage, at)) != 0;)
    if (linkage[at] == '4') return true;
  return false;
}

char *demangle_in_full(const char *linkage) {
  size_t length = demangle_base_length(linkage), plt = strlen("@plt");
  int is_plt = ends_with(linkage, length, "@plt");
  char *base = memory_text_part(linkage, is_plt ? length - plt : length);
  char *name = demangle_exact(base);
  if (!name)
    name = base;
  else
    free(base);
  return is_plt ? strcat(memory_resized(name, strlen(name) + plt + 1, 1), "@plt") : name;
}

char *demangle(const char *linkage) {
  char *name = demangle_in_full(linkage);
  name_spell(name);
  return name;
}
