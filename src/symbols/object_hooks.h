/* Whether an object on disk was instrumented, and whether its hooks can reach a runtime: from its
 * sections and dynamic symbols, which stripping leaves in place. */
#ifndef ASCRIBE_SYMBOLS_OBJECT_HOOKS_H
#define ASCRIBE_SYMBOLS_OBJECT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holds the code of a runtime that is linked into an executable (src/runtime/link-runtime.sh). */
#define RUNTIME_SECTION "ascribe_text"

enum object_hooks {
  OBJECT_HOOKS_NONE,     /* none, or it cannot be read, or it has changed */
  OBJECT_HOOKS_SHARED,   /* those of the process: its own runtime's, or taken from outside */
  OBJECT_HOOKS_OWN,      /* a shared library that is bound to the inert ones it carries */
  OBJECT_HOOKS_UNLINKED, /* an executable without the runtime */
};

/* Opens and closes the file. `build_id` may be null: then the file is believed. */
enum object_hooks object_hooks_read(const char *path, const uint8_t *build_id,
                                    size_t build_id_bytes);

/* Whether the program has the runtime linked into it. False where the file cannot be read. */
bool object_hooks_have_runtime(const char *path);

/* Whether the program has a function of this name of its own, which no library's can replace. False
 * where the file cannot be read, or has no table of symbols. */
bool object_hooks_hide(const char *path, const char *function);

#endif
