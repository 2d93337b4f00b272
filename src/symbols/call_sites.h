/* What a function calls, as the code and the debug information's call sites tell
 * (DW_TAG_call_site; DWARF 5, sections 3.4 and 3.3.1.6; GNU's extension of DWARF 4). */
#ifndef ASCRIBE_SYMBOLS_CALL_SITES_H
#define ASCRIBE_SYMBOLS_CALL_SITES_H

#include "symbols/symbols.h"

/* A function of the same object by its link-time address, or else (address 0) a function by its
 * name in symbol tables, without version. Names belong to the file. */
struct call_target {
  uint64_t address;
  const char *name; /* null: see address; both zero: not known */
};

/* A jump that takes the place of a call and a return. Its target is not known if the jump goes
 * through a pointer. */
struct tail_call {
  struct call_target target;
  uint64_t end; /* address behind the jump instruction; 0: not known */
};

/* The function that the call before `return_address` names.  Returns 0 and fills *target, or -1
 * for calls through a pointer, and where neither the code nor the debug information says. */
int symbol_file_call_target(struct symbol_file *file, uint64_t return_address,
                            struct call_target *target);

/* All tail calls of the function whose code holds `address`.  Returns 0, and the list is the
 * caller's to be freed; or -1 where the debug information does not vouch for all of them. */
int symbol_file_tail_calls(struct symbol_file *file, uint64_t address, struct tail_call **list,
                           size_t *count);

/* The type of the block that the call before `return_address` allocates, with its namespaces, where
 * the compiler says so (DW_AT_LLVM_alloc_type: clang 22 and later, of `new`). The caller's to be
 * freed with free(); null: not known. */
char *symbol_file_allocated_type(struct symbol_file *file, uint64_t return_address);

/* Whether the kernel lets signal handlers return to `address`: to code that only makes the system
 * call rt_sigreturn. libc has such code without a name. */
bool symbol_file_returns_from_signal(const struct symbol_file *file, uint64_t address);

/* The link-time address of the file's function with this linkage name; 0: it has none. */
uint64_t symbol_file_named_function(struct symbol_file *file, const char *name);

#endif
