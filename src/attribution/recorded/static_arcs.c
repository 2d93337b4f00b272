#include "attribution/recorded/static_arcs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/equations/code_names.h"
#include "attribution/recorded/recorded_object.h"
#include "profile/builder.h"
#include "symbols/demangle.h"
#include "symbols/static_calls.h"

struct adding {
  struct profile *profile;
  struct static_arcs *result;
  struct symbols *symbols;
  struct map arcs; /* (caller, callee) -> 1: it was added */
};

/* One object's file. */
struct object_code {
  struct symbol_file *file;
  struct text_symbols text;
  struct static_calls calls;
};

/* The functions of one object by the names of their symbols; several of one name are none. */
struct object_names {
  uint32_t object;
  struct map functions; /* name -> function, or NOTHING */
};

static void name_functions(const struct profile *profile, struct object_names *names) {
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    const char *name = function->object == names->object && function->linkage
                           ? code_base_name(profile->pool, function->linkage)
                           : NULL;
    if (!name) continue;
    uint32_t first = map_find_or_add(&names->functions, (uintptr_t)name, 0, i);
    if (first != i)
      map_find_or_add(&names->functions, (uintptr_t)name, 1, i); /* not the only one */
  }
}

/* Its name as a pooled string, or null where several functions have it. */
static const char *name_at(const struct adding *adding, const struct object_names *names,
                           const struct object_code *code, uint64_t address) {
  size_t at = text_symbols_find(&code->text, address);
  struct symbol symbol;
  const char *name =
      at != SIZE_MAX && symbol_file_function(code->file, code->text.list[at].address, &symbol) == 0
          ? code_base_name(adding->profile->pool, symbol.linkage)
          : NULL;
  return name && map_find(&names->functions, (uintptr_t)name, 1) == NOTHING ? name : NULL;
}

static uint32_t add_function(struct adding *adding, struct object_names *names, const char *name) {
  char *shown = demangle(name);
  uint32_t id = profile_add_function(
      adding->profile,
      (struct profile_function){
          .name = shown, .linkage = name, .object = names->object, .kind = FUNCTION_COUNTED});
  free(shown);
  return map_find_or_add(&names->functions, (uintptr_t)name, 0, id);
}

static void add_arc(struct adding *adding, struct object_names *names, const char *from,
                    const char *to) {
  if (!from || !to) return;
  uint32_t caller = map_find(&names->functions, (uintptr_t)from, 0);
  uint32_t callee = map_find(&names->functions, (uintptr_t)to, 0);
  if ((caller == NOTHING && callee == NOTHING) || from == to) return;
  if (caller == NOTHING) caller = add_function(adding, names, from);
  if (callee == NOTHING) callee = add_function(adding, names, to);
  if (map_find(&adding->arcs, caller, callee) != NOTHING) return;
  map_find_or_add(&adding->arcs, caller, callee, 1);
  profile_add_static_arc(adding->profile, (struct profile_static_arc){caller, callee});
}

/* True if the code of the object, as it ran, is in its file. */
static bool read_calls(struct adding *adding, uint32_t object, struct object_code *code) {
  static const struct text_symbols_options all;
  const struct profile_object *named = &adding->profile->objects[object];
  return recorded_object_file(adding->symbols, named, &code->file, NULL) == 0 &&
         text_symbols_read(named->path, &all, &code->text, NULL) == 0 &&
         static_calls_find(code->file, &code->text, &code->calls, NULL) == 0;
}

static void add_object(struct adding *adding, uint32_t object) {
  struct object_code code = {0};
  struct object_names names = {.object = object};
  if (read_calls(adding, object, &code)) {
    name_functions(adding->profile, &names);
    for (size_t i = 0; i < code.calls.count; i++)
      add_arc(adding, &names, name_at(adding, &names, &code, code.calls.list[i].from),
              name_at(adding, &names, &code, code.calls.list[i].to));
    adding->result->indirect += code.calls.indirect;
    map_free(&names.functions);
  } else {
    adding->result->unread++;
  }
  static_calls_free(&code.calls);
  text_symbols_free(&code.text);
}

/* Calls that inlined code made are known by its function. */
static void leave_out_inlined(struct adding *adding) {
  const struct profile *profile = adding->profile;
  for (size_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    uint32_t caller = site_compiled_caller(site);
    if (caller != site->caller) map_find_or_add(&adding->arcs, caller, site->callee, 1);
  }
}

void static_arcs_find(struct profile *profile, struct static_arcs *result) {
  struct adding adding = {.profile = profile, .result = result, .symbols = symbols_create()};
  *result = (struct static_arcs){0};
  leave_out_inlined(&adding);
  bool *counted = memory_zeroed(profile->object_count, sizeof *counted);
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].kind == FUNCTION_COUNTED && profile->functions[i].object != NOTHING)
      counted[profile->functions[i].object] = true;
  for (uint32_t i = 0; i < profile->object_count; i++)
    if (counted[i] && profile->objects[i].kind == OBJECT_FILE) add_object(&adding, i);
  free(counted);
  map_free(&adding.arcs);
  symbols_free(adding.symbols);
}
