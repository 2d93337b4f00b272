/* What the parts of the symbols folder share: one object on disk. */
#ifndef ASCRIBE_SYMBOLS_SYMBOL_FILE_H
#define ASCRIBE_SYMBOLS_SYMBOL_FILE_H

#include <elfutils/libdwfl.h>

#include "base/arena.h"
#include "base/error.h"
#include "symbols/debug_info.h"
#include "symbols/symbol_table.h"
#include "symbols/symbols.h"
#include "unwind/frame_tables.h"

/* A loaded piece of the file. */
struct file_segment {
  uint64_t offset, bytes, address;
};

struct symbol_file {
  char *path;
  uint8_t *build_id; /* as asked for; null: any */
  size_t build_id_bytes;
  enum symbol_file_state state;
  struct error message;
  Dwfl *dwfl; /* null: could not be opened, or JIT code */
  int is_jit; /* 1: offsets are addresses of the process */
  struct file_segment *segments;
  size_t segment_count;
  struct code_section *sections; /* sorted */
  size_t section_count;
  struct code_section runtime; /* Ascribe's, linked into it; empty: none */
  struct symbol_table table;
  enum { HASKELL_UNKNOWN, HASKELL_NOT, HASKELL_HERE } haskell; /* symbol_file_is_haskell */
  struct unwind_tables frames;                                 /* where has_frames is 1 */
  int has_frames;
  struct debug_info debug;
  struct inlined_function *inlined; /* frames.c: met so far, by their abstract entry */
  size_t inlined_count;
  struct hash_index inlined_map;
  struct counted_name *counted_names; /* counted_names.c: by line; null: not asked for yet */
  size_t counted_name_count;
  struct arena arena; /* names */
};

/* symbols.c: the name to show for a linkage name; it belongs to the file or is `linkage` itself. */
const char *symbol_file_shown_name(struct symbol_file *file, const char *linkage);

/* haskell_code.c: the local code of a module that holds an address without a symbol. Returns 0, or
 * -1: it is none, or nobody knows of which module. */
int haskell_local_find(struct symbol_file *file, uint64_t address, struct symbol *symbol);

/* variants.c: symbol_file_variant's name; it belongs to the file or is `linkage` itself. */
const char *symbol_file_kept_variant(struct symbol_file *file, const char *linkage);

/* counted_names.c: the linkage name that counters have for a function that the debug information
 * gives none, by its definition and the name that was made for it; null: none has, or several. It
 * belongs to the file. */
const char *symbol_file_counted_name(struct symbol_file *file, const char *name,
                                     const struct source_position *definition);

/* Whether a function's linkage name may be meant by a name that was made for one without. */
bool counted_name_may_be(const char *linkage, const char *name);

/* symbols.c: the object, as libdwfl has it, or null. */
Dwfl_Module *symbol_file_module(const struct symbol_file *file);

/* call_sites.c: `bytes` bytes of the file at an address, or null. */
const uint8_t *symbol_file_code(const struct symbol_file *file, uint64_t address, size_t bytes);

/* elf_object.c: open the file at file->path, fill everything in and set state and message. */
void elf_object_load(struct symbol_file *file);

/* plt_stubs.c: name the stubs through which an x86-64 object calls others ("callee@plt"). `bias`
 * is added to the addresses of `elf`. */
void plt_stubs_add(struct symbol_file *file, Elf *elf, uint64_t bias);

/* jit_map.c: read the names of a process's JIT code. Returns 0, or -1 if there is no such file, or
 * it belongs to somebody else. */
int jit_map_load(struct symbol_file *file, uint32_t pid);

#endif
