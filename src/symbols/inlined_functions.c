#include "symbols/inlined_functions.h"

#include <dwarf.h>

#include "symbols/demangle.h"
#include "symbols/symbol_file.h"

struct search {
  struct symbol_file *file;
  void (*take)(void *context, const struct symbol *function);
  void *context;
};

static int take_function(Dwarf_Die *function, void *context) {
  struct search *search = context;
  struct source_position declared = {0};
  Dwarf_Attribute attribute;
  if (dwarf_func_inline(function) <= 0) return DWARF_CB_OK; /* -1: declared inline, never done */
  const char *name =
      dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
  if (!name) name = dwarf_diename(function);
  if (!name) return DWARF_CB_OK;
  debug_info_declared(&search->file->debug, function, &declared);
  if (demangle_is_unified(name)) name = symbol_file_kept_variant(search->file, name);
  struct symbol symbol = {.linkage = name, .file = declared.file, .line = declared.line};
  search->take(search->context, &symbol);
  return DWARF_CB_OK;
}

void symbol_file_inlined_functions(struct symbol_file *file,
                                   void (*take)(void *context, const struct symbol *function),
                                   void *context) {
  struct search search = {file, take, context};
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  if (!file->debug.dwarf) return;
  while (dwarf_get_units(file->debug.dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
    bool has_split = kind == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
    dwarf_getfuncs(has_split ? &split : &die, take_function, &search, 0);
  }
}
