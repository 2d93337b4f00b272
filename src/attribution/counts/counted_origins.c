#include "attribution/counts/counted_origins.h"

#include <stdlib.h>
#include <string.h>

const char *counted_path(struct places *places, const struct counted_code *code, uint32_t name) {
  char path[8192];
  if (!counted_unit_path(code->unit, name, path, sizeof path)) return NULL;
  return pool_string(places->profile->pool, path);
}

/* A macro's text stands in the function that it was expanded in. */
static void find_origin(struct places *places, uint32_t object, const struct counted_code *code,
                        const struct counted_origin *origin, struct counted_origins *origins,
                        uint32_t number) {
  const char *name = counted_code_text(code, origin->name);
  const char *file = counted_path(places, code, origin->file);
  bool macro = origin->kind == ORIGIN_MACRO;
  origins->functions[number] = origins->functions[origin->parent];
  origins->steps[number] = (struct profile_expansion){.parent = origin->parent};
  if (!*name) return;
  origins->steps[number] = (struct profile_expansion){
      .parent = origin->parent,
      .function = macro ? NOTHING : places_inlined(places, object, name, file, origin->line),
      .macro = macro ? pool_string(places->profile->pool, name) : NULL,
      .defined_in = macro ? file : NULL,
      .defined_at = macro ? origin->line : 0,
      .file = counted_path(places, code, origin->call_file),
      .line = origin->call_line,
      .column = origin->call_column};
  if (!macro) origins->functions[number] = origins->steps[number].function;
  origins->named[number] = true;
}

/* Its parents' first. An origin without a name is its parent's. */
static void make_expansion(struct profile_builder *builder, const struct counted_origins *origins,
                           uint32_t number) {
  struct profile_expansion expansion = origins->steps[number];
  expansion.parent = origins->expansions[expansion.parent];
  origins->expansions[number] =
      origins->named[number] ? builder_expansion(builder, expansion) : expansion.parent;
}

uint32_t counted_origins_expansion(struct profile_builder *builder,
                                   const struct counted_origins *origins, uint32_t number) {
  uint32_t *chain = NULL;
  size_t length = 0;
  if (number > origins->count) return NOTHING;
  for (uint32_t at = number; at && origins->expansions[at] == NOTHING;
       at = origins->steps[at].parent) {
    ARRAY_GROW(chain, length);
    chain[length++] = at;
  }
  while (length)
    make_expansion(builder, origins, chain[--length]);
  free(chain);
  return origins->expansions[number];
}

void counted_origins_open(struct places *places, uint32_t object, uint32_t function,
                          const struct counted_code *code, struct counted_origins *origins) {
  struct source_ranges source;
  bool known = source_ranges_open(code, &source) == 0;
  uint32_t count = known ? source.origin_count : 0;
  *origins = (struct counted_origins){
      .functions = memory_zeroed((size_t)count + 1, sizeof *origins->functions),
      .steps = memory_zeroed((size_t)count + 1, sizeof *origins->steps),
      .named = memory_zeroed((size_t)count + 1, sizeof *origins->named),
      .expansions = memory_zeroed((size_t)count + 1, sizeof *origins->expansions),
      .count = count};
  origins->functions[0] = function;
  memset(origins->expansions, 0xff, ((size_t)count + 1) * sizeof *origins->expansions);
  for (uint32_t i = 0; i < count; i++)
    find_origin(places, object, code, &source.origins[i], origins, i + 1);
  source_ranges_close(&source);
}

void counted_origins_close(struct counted_origins *origins) {
  free(origins->functions);
  free(origins->steps);
  free(origins->named);
  free(origins->expansions);
}
