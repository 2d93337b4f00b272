/* The frames at an address: a function, and the calls that were inlined into it. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/debug_names.h"
#include "symbols/demangle.h"
#include "symbols/name_spelling.h"
#include "symbols/symbol_file.h"

enum { MOST_INLINED = 256 };

/* A function that was inlined somewhere. */
struct inlined_function {
  const void *origin; /* its abstract entry: Dwarf_Die.addr */
  const char *name, *linkage, *file;
  uint32_t line;
  bool global; /* as in struct symbol */
};

static int has_origin(const void *array, uint32_t index, const void *origin) {
  return ((const struct inlined_function *)array)[index].origin == origin;
}

/* ---- names ---- */

/* C++ functions with internal linkage have no linkage name. Where they have code of their own in
 * this unit, the symbol table names that, and counters have their own name for it. */
static void name_hidden(struct symbol_file *file, uint64_t address, Dwarf_Die *origin,
                        struct inlined_function *function) {
  uint64_t instance;
  struct symbol symbol;
  if (debug_info_instance(&file->debug, address, origin, &instance) == 0 &&
      symbol_file_function(file, instance, &symbol) == 0) {
    function->name = symbol.name;
    function->linkage = symbol.linkage;
    return;
  }
  const char *bare = dwarf_diename(origin);
  if (bare && symbol_table_named(&file->table, bare)) {
    function->name = bare; /* of C's linkage, in a unit of C++ */
    return;
  }
  char *name = debug_function_name(origin);
  if (!name) return;
  name_spell(name);
  const struct source_position definition = {.file = function->file, .line = function->line};
  function->linkage = symbol_file_counted_name(file, name, &definition);
  function->name = function->linkage ? symbol_file_shown_name(file, function->linkage)
                                     : arena_text(&file->arena, name, strlen(name));
  free(name);
}

static void name_function(struct symbol_file *file, uint64_t address, Dwarf_Die *origin,
                          struct inlined_function *function) {
  const char *linkage = debug_linkage_name(origin);
  if (linkage) {
    function->linkage =
        demangle_is_unified(linkage) ? symbol_file_kept_variant(file, linkage) : linkage;
    function->name = symbol_file_shown_name(file, linkage);
  } else {
    name_hidden(file, address, origin, function);
  }
  if (!function->name) function->name = "(inlined function without a name)";
  if (!function->linkage) function->linkage = function->name;
}

/* What an inlined call calls. `address` lies in it. */
static const struct inlined_function *function_of(struct symbol_file *file, uint64_t address,
                                                  Dwarf_Die *call) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin = *call;
  dwarf_formref_die(dwarf_attr(call, DW_AT_abstract_origin, &attribute), &origin);
  uint64_t hash = hash_mix((uintptr_t)origin.addr);
  uint32_t known =
      hash_index_find(&file->inlined_map, hash, has_origin, file->inlined, origin.addr);
  if (known != HASH_INDEX_NONE) return &file->inlined[known];
  ARRAY_GROW(file->inlined, file->inlined_count);
  struct inlined_function *function = &file->inlined[file->inlined_count];
  struct source_position position = {0};
  debug_info_declared(&file->debug, &origin, &position);
  *function = (struct inlined_function){
      .origin = origin.addr,
      .file = position.file,
      .line = position.line,
      .global = dwarf_attr_integrate(&origin, DW_AT_external, &attribute) != NULL};
  name_function(file, address, &origin, function);
  hash_index_add(&file->inlined_map, hash, (uint32_t)file->inlined_count++);
  return function;
}

/* ---- frames ---- */

static struct symbol_frame frame_of(struct symbol_file *file, uint64_t address, Dwarf_Die *call,
                                    const struct symbol *physical) {
  struct symbol_frame frame = {.symbol = *physical, .inlined = true};
  const struct inlined_function *function = function_of(file, address, call);
  frame.symbol.name = function->name;
  frame.symbol.linkage = function->linkage;
  frame.symbol.file = function->file;
  frame.symbol.line = function->line;
  frame.symbol.global = function->global;
  return frame;
}

size_t symbol_file_frames(struct symbol_file *file, uint64_t address, struct symbol_frame *frames,
                          size_t room) {
  Dwarf_Die calls[MOST_INLINED];
  struct symbol physical;
  if (room == 0 || symbol_file_function(file, address, &physical) != 0) return 0;
  frames[0] = (struct symbol_frame){.symbol = physical};
  size_t count = debug_info_inlined(&file->debug, address, calls, MOST_INLINED);
  for (size_t i = 0; i < count; i++) {
    debug_info_called(&file->debug, &calls[i], &frames[i].position);
    if (i + 1 == room) return room;
    frames[i + 1] = frame_of(file, address, &calls[i], &physical);
  }
  symbol_file_line(file, address, &frames[count].position);
  return count + 1;
}
