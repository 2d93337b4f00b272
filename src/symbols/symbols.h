/* Addresses to functions and lines, from ELF symbol tables and DWARF (elfutils).
 *
 * A *symbol file* is one object on disk (with its separate debug file, if one is installed).
 * It is opened once, however many processes mapped it.  All addresses here are link-time
 * addresses of that file; symbol_file_address converts from an offset in the file.
 */
#ifndef ASCRIBE_SYMBOLS_SYMBOLS_H
#define ASCRIBE_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct symbols; /* a cache of symbol files; not thread-safe */
struct symbol_file;

enum symbol_file_state {
  SYMBOLS_FULL,     /* debug information: lines are known */
  SYMBOLS_NAMES,    /* symbol table only */
  SYMBOLS_EXPORTED, /* dynamic symbols only: many functions are missing */
  SYMBOLS_NONE,
  SYMBOLS_CHANGED, /* the file's build-id is not the recorded one: not used */
  SYMBOLS_MISSING, /* cannot be opened */
};

/* A function of a symbol file. Strings belong to the file. */
struct symbol {
  uint64_t address, size;
  const char *name;    /* demangled, without clone suffix (".constprop.0", ".cold", ".part.1") */
  const char *linkage; /* as in the symbol table */
  const char *file;    /* of its definition, absolute where known; null if not known */
  uint32_t line;       /* 0: not known */
  bool global;         /* other objects, or other files of its own, may name it */
};

/* A source position. file null / line 0: not known. */
struct source_position {
  const char *file;
  uint32_t line, column;
};

struct symbols *symbols_create(void);
void symbols_free(struct symbols *symbols);

/* The symbol file at `path`; never null (a missing file gives one without symbols, with its
 * state).  build_id may be null: then the file is believed. The same (path, build-id) gives the
 * same pointer. */
struct symbol_file *symbols_file(struct symbols *symbols, const char *path, const uint8_t *build_id,
                                 size_t build_id_bytes);
enum symbol_file_state symbol_file_state(const struct symbol_file *file);
/* One line for the user when the state is not SYMBOLS_FULL: what is missing, why, what to do.
 * "" when nothing is. */
const char *symbol_file_message(const struct symbol_file *file);

/* Link-time address of the byte at `offset` in the file; 0 if no loaded segment holds it.  For JIT
 * code both are addresses in the process. */
uint64_t symbol_file_address(const struct symbol_file *file, uint64_t offset);

/* The reverse: the offset in the file of the byte at a link-time address. Returns 0, or -1 if the
 * file has no such byte. */
int symbol_file_offset(const struct symbol_file *file, uint64_t address, uint64_t *offset);

/* Whether the code at the address is the runtime's that `ascribe cc` linked into the object. */
bool symbol_file_is_runtime(const struct symbol_file *file, uint64_t address);

/* Whether GHC compiled code of the object. */
bool symbol_file_is_haskell(struct symbol_file *file);

/* The function that contains the address ("callee@plt" in a stub that calls into another object);
 * *.cold and *.part pieces are symbols of their own, with
 * the `name` of the function they were cut from.  Where no symbol says, .eh_frame tells which
 * piece of code it is, and its address is its name.  Returns 0 and fills *symbol, or -1. */
int symbol_file_function(struct symbol_file *file, uint64_t address, struct symbol *symbol);

/* The line of an address (for a return address, pass it minus one). Returns 0 or -1. */
int symbol_file_line(struct symbol_file *file, uint64_t address, struct source_position *position);

enum { SYMBOL_NAME_BYTES = 4096 }; /* longer names are not looked into */

/* GCC describes constructors and destructors once for all their variants (demangle.h), which only
 * differ where there are virtual bases. Of any variant that GCC compiled the linkage name of the
 * one that stands for all: the first that the object's symbol table has, else the description's.
 * Returns `linkage` or `text`. */
const char *symbol_file_variant(struct symbol_file *file, const char *linkage,
                                char text[SYMBOL_NAME_BYTES]);

/* One frame at an address: a function, or a call that the compiler inlined into it. */
struct symbol_frame {
  struct symbol symbol; /* an inlined function's has the address and size of the physical one */
  struct source_position position; /* where in its source control is: a call site, but for the
                                      innermost the line of the address */
  bool inlined;                    /* false for the outermost only, the physical function */
};

/* The frames at an address, outermost (the physical function) first: what its code does there, as
 * the debug information tells (DWARF 5, section 3.3.8). A function has the same name whether it is
 * inlined or not; but one of C++ that only its unit can see, and that has neither code of its own
 * there nor counters, may be spelled in other words where templates are involved. Returns their
 * number, 0 if no function holds the address; of more than `room` the innermost are left out. */
size_t symbol_file_frames(struct symbol_file *file, uint64_t address, struct symbol_frame *frames,
                          size_t room);

/* The file of what has no machine code: no address of it has a symbol, a line or an instruction. */
struct symbol_file *symbols_without_code(struct symbols *symbols);

/* JIT code: names by address from /tmp/perf-PID.map, shown as written. Returns null if there is
 * none, or if it belongs neither to the current user nor to root. */
struct symbol_file *symbols_jit(struct symbols *symbols, uint32_t pid);

/* Read the maps of JIT code again that were read before: the program has compiled more. */
void symbols_refresh_jit(struct symbols *symbols);

#endif
