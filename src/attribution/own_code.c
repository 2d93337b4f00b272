#include "attribution/own_code.h"

#include <string.h>

#include "base/begins.h"
#include "symbols/haskell_name.h"

/* Headers and libraries of the distribution, the source of Rust's library as rustc names it, and
 * "[vdso]", which is the kernel's. */
static bool is_of_the_system(const char *path) {
  static const char *const places[] = {"/usr/", "/lib/", "/lib64/", "/rustc/", "["};
  if (begins(path, "/usr/local/")) return false;
  return BEGINS_WITH_ANY(path, places);
}

static bool is_program(const struct profile *profile, const struct profile_object *object) {
  for (size_t i = 0; i < profile->process_count; i++)
    if (process_runs(&profile->processes[i], object)) return true;
  return false;
}

/* "memcmp@plt", which the linker makes. */
static bool is_stub(const char *name) {
  const char *at = strrchr(name, '@');
  return at && strcmp(at, "@plt") == 0;
}

/* "(page fault or interrupt)", "read (system call)", "<spontaneous>"; what stands in every program;
 * and Ascribe's own, wherever it is linked in or loaded from. */
static bool is_nobodys(const char *name) {
  return name[0] == '(' || name[0] == '<' || strstr(name, " (system call)") || is_stub(name) ||
         strcmp(name, "_start") == 0 || begins(name, "ascribe_");
}

/* GHC links its runtime and Haskell's libraries into the program. Code of C's is the program's
 * where it is known by its source, which that of the runtime is not. */
static bool is_own_haskell(const struct profile_function *function) {
  if (function->linkage && haskell_is_of_program(function->linkage)) return true;
  return function->file && !(function->linkage && haskell_runs(function->linkage));
}

bool own_code(const struct profile *profile, uint32_t function) {
  const struct profile_function *found = &profile->functions[function];
  const struct profile_object *object =
      found->object == NOTHING ? NULL : &profile->objects[found->object];
  bool is_defined = object && object->kind == OBJECT_WORLD; /* "<lambda>" is a name there */
  if (is_defined ? found->name[0] == '(' : is_nobodys(found->name)) return false;
  if (object && !is_defined && is_of_the_system(object->path) && !is_program(profile, object))
    return false;
  if (object && object->haskell && !is_own_haskell(found)) return false;
  return !found->file || !is_of_the_system(found->file);
}
