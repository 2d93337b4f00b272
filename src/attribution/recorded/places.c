#include "attribution/recorded/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/copies.h"
#include "attribution/equations/code_names.h"
#include "attribution/recorded/system_call_names.h"
#include "base/base_name.h"
#include "recording/history.h"
#include "symbols/call_sites.h"
#include "symbols/demangle.h"
#include "symbols/haskell_name.h"

void places_open(struct places *places, struct profile_builder *builder, struct symbols *symbols) {
  *places = (struct places){.builder = builder, .profile = builder->profile, .symbols = symbols};
}

void places_close(struct places *places) {
  free(places->files);
  free(places->objects_of_process);
  free(places->from_piece);
  free(places->list);
  free(places->frames);
  map_free(&places->identities);
  map_free(&places->by_name);
  map_free(&places->known);
}

void places_enter(struct places *places, const struct process_recording *process) {
  size_t count = process->object_count;
  places->process = process;
  places->entered++;
  free(places->objects_of_process);
  places->objects_of_process = memory_resized(NULL, count, sizeof *places->objects_of_process);
  memset(places->objects_of_process, 0xff, count * sizeof *places->objects_of_process);
}

const struct place *places_get(const struct places *places, uint32_t id) {
  return &places->list[id];
}

/* ---- objects ---- */

static void build_id_text(const struct object_entry *object, char text[41]) {
  text[0] = '\0';
  for (uint32_t i = 0; i < object->build_id_bytes && i < 20; i++)
    snprintf(text + 2 * i, 3, "%02x", object->build_id[i]);
}

const char *places_identity(struct places *places, const struct object_entry *object) {
  char build_id[41];
  build_id_text(object, build_id);
  return pool_string(places->profile->pool, build_id[0] ? build_id : object->path);
}

/* The runtime, or a library beside it that answers malloc or MPI: nobody asks for their symbols. */
static bool is_runtime(const char *path) {
  const char *library = base_name(path);
  return strcmp(library, "libascribe.so") == 0 || strcmp(library, "libascribe-heap.so") == 0 ||
         strcmp(library, "libascribe-mpi-calls.so") == 0;
}

static uint32_t find_object(struct places *places, const struct object_entry *object) {
  size_t known = places->profile->object_count;
  const uint8_t *bytes = object->build_id_bytes ? object->build_id : NULL;
  struct symbol_file *file =
      object->world ? symbols_without_code(places->symbols)
                    : symbols_file(places->symbols, object->path, bytes, object->build_id_bytes);
  char build_id[41];
  build_id_text(object, build_id);
  uint32_t id = builder_object(
      places->builder,
      (struct profile_object){.path = object->path,
                              .build_id = build_id,
                              .haskell = symbol_file_is_haskell(file),
                              .message = is_runtime(object->path) ? "" : symbol_file_message(file),
                              .kind = object->world ? OBJECT_WORLD : OBJECT_FILE});
  ARRAY_GROW(places->files, id);
  if (id == known) places->files[id] = file;
  return id;
}

uint32_t places_object(struct places *places, uint32_t recorded) {
  uint32_t *object = &places->objects_of_process[recorded];
  if (*object == NOTHING) *object = find_object(places, &places->process->objects[recorded]);
  return *object;
}

/* ---- functions ---- */

static uint32_t add_function(struct places *places, struct profile_function function) {
  uint32_t id = profile_add_function(places->profile, function);
  ARRAY_GROW(places->from_piece, id);
  places->from_piece[id] = false;
  return id;
}

static bool has_suffix(const struct symbol *symbol) {
  return strchr(symbol->linkage, '.') != NULL;
}

static bool is_piece(const struct symbol *symbol) {
  return strstr(symbol->linkage, ".cold") || strstr(symbol->linkage, ".part.");
}

/* Where the definition is known it identifies the function, copies and clones included; but a
 * deleting destructor, which calls the destructor proper, has its definition and its name in C++.
 * Else every symbol without a suffix is a function of its own: objects hold several static
 * functions of one name. */
static const char *identity(struct places *places, uint32_t object, const struct symbol *symbol) {
  char text[4096];
  if (symbol->file)
    snprintf(text, sizeof text, "%" PRIu32 "\n%s\n%.*s\n%s\n%" PRIu32, object, symbol->name,
             (int)strcspn(symbol->linkage, "."), symbol->linkage, symbol->file, symbol->line);
  else
    snprintf(text, sizeof text, "%" PRIu32 "\n%s\n%" PRIx64, object, symbol->name,
             has_suffix(symbol) ? 0 : symbol->address);
  return pool_string(places->profile->pool, text);
}

/* Static functions of one name. */
static bool is_of_other_file(const struct places *places, uint32_t function,
                             const struct symbol *symbol) {
  const char *file = places->profile->functions[function].file;
  return file && symbol->file && strcmp(file, symbol->file) != 0;
}

/* The same whichever of a function's clones and pieces was met first. What tells static functions
 * of one name apart (".lto_priv.1") stays. */
static const char *linkage_of_function(struct places *places, const char *linkage) {
  struct pool *pool = places->profile->pool;
  size_t length = demangle_base_length(linkage);
  bool clone = linkage[length] == '.' && !strstr(linkage + length, ".lto_priv");
  const char *base = clone ? code_base_name(pool, linkage) : NULL;
  return base ? base : pool_string(pool, linkage);
}

static uint32_t function_of_symbol(struct places *places, uint32_t object,
                                   const struct symbol *symbol) {
  struct profile *profile = places->profile;
  bool suffix = has_suffix(symbol);
  uintptr_t key = (uintptr_t)identity(places, object, symbol);
  uint32_t known = map_find(&places->identities, key, 0);
  if (known != NOTHING) return known;

  const char *name = pool_string(profile->pool, symbol->name);
  uint32_t namesake = map_find(&places->by_name, (uintptr_t)name, object);
  bool same = namesake != NOTHING && (suffix || places->from_piece[namesake]) &&
              !is_of_other_file(places, namesake, symbol);
  if (same) {
    /* What was inlined is known by its name only: code of that name may come yet. */
    if (!suffix && symbol->address) places->from_piece[namesake] = false;
    return map_find_or_add(&places->identities, key, 0, namesake);
  }
  uint32_t id = add_function(
      places, (struct profile_function){.name = name,
                                        .linkage = linkage_of_function(places, symbol->linkage),
                                        .file = symbol->file,
                                        .line = symbol->line,
                                        .object = object,
                                        .kind = FUNCTION_SAMPLED});
  places->from_piece[id] = suffix;
  map_find_or_add(&places->by_name, (uintptr_t)name, object, id);
  return map_find_or_add(&places->identities, key, 0, id);
}

/* Pieces and clones are local symbols. */
static uint32_t symbol_function(struct places *places, uint32_t object,
                                const struct symbol *symbol) {
  uint32_t function = function_of_symbol(places, object, symbol);
  places->profile->functions[function].exported |= symbol->global;
  return function;
}

uint32_t places_met(struct places *places, uint32_t object, uint64_t address) {
  struct symbol symbol;
  if (symbol_file_function(places->files[object], address, &symbol) != 0) return NOTHING;
  uint32_t known = map_find(&places->identities, (uintptr_t)identity(places, object, &symbol), 0);
  if (known != NOTHING || !has_suffix(&symbol)) return known;
  const char *name = pool_string(places->profile->pool, symbol.name);
  uint32_t namesake = map_find(&places->by_name, (uintptr_t)name, object);
  return namesake != NOTHING && is_of_other_file(places, namesake, &symbol) ? NOTHING : namesake;
}

static uint32_t named_function(struct places *places, uint32_t object, const char *text,
                               enum function_kind kind) {
  const char *name = pool_string(places->profile->pool, text);
  uint32_t id = map_find(&places->by_name, (uintptr_t)name, object);
  if (id != NOTHING) return id;
  id =
      add_function(places, (struct profile_function){.name = name, .object = object, .kind = kind});
  return map_find_or_add(&places->by_name, (uintptr_t)name, object, id);
}

uint32_t places_overflow(struct places *places) {
  return named_function(places, NOTHING, "(not recorded)", FUNCTION_OVERFLOW);
}

uint32_t places_cut(struct places *places) {
  return named_function(places, NOTHING, CUT_STACK, FUNCTION_CUT);
}

/* In an object that GHC compiled, code without a symbol is a local function of Haskell. */
static bool runs_haskell(const struct places *places, uint32_t function) {
  const struct profile_function *found = &places->profile->functions[function];
  if (found->object == NOTHING || !places->profile->objects[found->object].haskell) return false;
  return found->linkage ? haskell_runs(found->linkage) : found->name[0] == '(';
}

void places_explain_cuts(struct places *places, uint32_t *entries, size_t count) {
  uint32_t cut = history_entry(places_cut(places), true);
  for (size_t i = 0; i + 1 < count; i++)
    if (entries[i] == cut && runs_haskell(places, history_function(entries[i + 1])))
      entries[i] = history_entry(named_function(places, NOTHING, CUT_HASKELL, FUNCTION_CUT), true);
}

uint32_t places_outside(struct places *places) {
  return named_function(places, NOTHING, "(outside of functions with hooks)", FUNCTION_SAMPLED);
}

uint32_t places_closures(struct places *places) {
  return named_function(places, NOTHING, "(closures)", FUNCTION_SAMPLED);
}

/* What nobody has named; `entry` as in places_function. */
static void name_unknown(const struct places *places, const struct place *place, bool entry,
                         char text[600]) {
  const struct profile_object *object =
      place->object == NOTHING ? NULL : &places->profile->objects[place->object];
  const char *name = object ? base_name(object->path) : NULL;
  if (!object && entry)
    snprintf(text, 600, "0x%" PRIx64, place->offset);
  else if (!object)
    snprintf(text, 600, "(code outside of any object)");
  else if (object->kind == OBJECT_WORLD)
    snprintf(text, 600, "(not defined: %" PRIu64 ") in %s", place->offset, name);
  else if (entry)
    snprintf(text, 600, "0x%" PRIx64 " in %s", place->offset, name);
  else
    snprintf(text, 600, "(no symbol) in %s", name);
}

uint32_t places_function(struct places *places, uint32_t id, bool entry) {
  const struct place *place = &places->list[id];
  char text[600];
  if (place->function != NOTHING) return place->function;
  name_unknown(places, place, entry, text);
  return named_function(places, place->object, text, FUNCTION_SAMPLED);
}

/* ---- places ---- */

static void describe(struct places *places, struct symbol_file *file, uint64_t address,
                     struct place *place) {
  struct symbol symbol;
  struct source_position position;
  place->runtime |= symbol_file_is_runtime(file, address);
  /* The place of a caller is the byte before the one that is returned to. */
  if (symbol_file_returns_from_signal(file, address + 1)) {
    place->function = named_function(places, NOTHING, "(signal)", FUNCTION_SAMPLED);
    return;
  }
  if (symbol_file_function(file, address, &symbol) != 0) return;
  place->function = symbol_function(places, place->object, &symbol);
  place->piece = is_piece(&symbol);
  place->clone = copies_clone(places->profile->pool, symbol.linkage);
  place->runtime |= strncmp(symbol.linkage, "ascribe_", 8) == 0;
  place->thread_begins = strncmp(symbol.linkage, "ascribe_thread_begins", 21) == 0;
  if (symbol_file_line(file, address, &position) == 0) {
    place->file = pool_string(places->profile->pool, position.file);
    place->line = position.line;
  }
}

/* Where a definition has a place it identifies the function: the host may define it again, and
 * another process numbers otherwise. */
static uint32_t defined_function(struct places *places, uint32_t object, uint64_t key,
                                 const struct key_definition *definition) {
  char text[4096];
  const char *name = definition->name[0] ? definition->name : "anonymous";
  const char *file = definition->file ? definition->file : "";
  snprintf(text, sizeof text, "%" PRIu32 "\n%s\n%s\n%" PRIu32 "\n%" PRIu32 "\n%" PRIu64, object,
           name, file, definition->line, definition->column, *file ? 0 : key);
  uint64_t identity = (uintptr_t)pool_string(places->profile->pool, text);
  uint32_t known = map_find(&places->identities, identity, 0);
  if (known != NOTHING) return known;
  uint32_t id = add_function(places, (struct profile_function){.name = name,
                                                               .file = definition->file,
                                                               .line = definition->line,
                                                               .column = definition->column,
                                                               .object = object,
                                                               .kind = FUNCTION_SAMPLED});
  return map_find_or_add(&places->identities, identity, 0, id);
}

static void describe_defined(struct places *places, const struct world *world,
                             struct place *place) {
  struct key_definition at, function;
  if (!world_find(world, place->offset, &at)) return;
  uint64_t key = world_function(world, place->offset);
  if (world_find(world, key, &function))
    place->function = defined_function(places, place->object, key, &function);
  place->file = pool_string(places->profile->pool, at.file);
  place->line = at.line;
  place->column = at.column;
}

/* No address: time in the kernel. */
static uint32_t kernel_function(struct places *places, uint64_t pc) {
  char text[80];
  if (pc >= PC_NUMBERED_CALL && pc < PC_NUMBERED_CALL + SYSTEM_CALLS_MOST) {
    const char *name = system_call_name(pc - PC_NUMBERED_CALL);
    if (name)
      snprintf(text, sizeof text, "%s (system call)", name);
    else
      snprintf(text, sizeof text, "system call %d", (int)(pc - PC_NUMBERED_CALL));
    return named_function(places, NOTHING, text, FUNCTION_SAMPLED);
  }
  if (pc == PC_SYSTEM_CALL)
    return named_function(places, NOTHING, "(system call)", FUNCTION_SAMPLED);
  if (pc == PC_INTERRUPT)
    return named_function(places, NOTHING, "(page fault or interrupt)", FUNCTION_SAMPLED);
  return NOTHING;
}

/* `object` is null where none holds the address. */
static void describe_address(struct places *places, const struct object_entry *object,
                             uint64_t address, struct place *place) {
  struct symbol_file *jit;
  if (object && object->world) {
    describe_defined(places, object->world, place);
  } else if (object) {
    struct symbol_file *file = places->files[place->object];
    place->runtime = is_runtime(object->path);
    place->link_address = symbol_file_address(file, place->offset);
    if (place->link_address) describe(places, file, place->link_address, place);
  } else if ((place->function = kernel_function(places, address)) != NOTHING) {
    place->offset = 0;
  } else if ((jit = symbols_jit(places->symbols, places->process->header.pid))) {
    describe(places, jit, address, place);
  }
}

static void add_place(struct places *places, const struct place *place) {
  ARRAY_GROW(places->list, places->place_count);
  places->list[places->place_count++] = *place;
}

uint32_t places_find(struct places *places, uint64_t address, uint64_t event) {
  struct place place = {.function = NOTHING, .object = NOTHING, .offset = address};
  const struct object_entry *object = NULL;
  uint32_t recorded = recording_object_at(places->process, address, event);
  if (recorded != NOTHING) {
    object = &places->process->objects[recorded];
    place.object = places_object(places, recorded);
    place.offset = address - object->start + object->offset;
  }
  /* Keys of a world are those of one process, as is code outside of objects: its JIT's. */
  uint64_t owner = place.object;
  if (!object || object->world) owner |= places->entered << 32;
  uint32_t id = map_find_or_add(&places->known, owner, place.offset, places->place_count);
  if (id != places->place_count) return id;
  describe_address(places, object, address, &place);
  add_place(places, &place);
  return id;
}

uint32_t places_in(struct places *places, uint32_t object, uint64_t address) {
  struct symbol_file *file = places->files[object];
  struct place place = {.function = NOTHING, .object = object, .link_address = address};
  if (symbol_file_offset(file, address, &place.offset) != 0) place.offset = address;
  uint32_t id = map_find_or_add(&places->known, object, place.offset, places->place_count);
  if (id != places->place_count) return id;
  describe(places, file, address, &place);
  add_place(places, &place);
  return id;
}

/* ---- inlined frames ---- */

static void add_frame(struct places *places, const struct place_frame *frame) {
  ARRAY_GROW(places->frames, places->frame_count);
  places->frames[places->frame_count++] = *frame;
}

static void add_inlined_frames(struct places *places, uint32_t id) {
  enum { MOST_FRAMES = 64 };
  struct symbol_frame frames[MOST_FRAMES];
  const struct place place = places->list[id];
  size_t count =
      symbol_file_frames(places->files[place.object], place.link_address, frames, MOST_FRAMES);
  for (size_t i = 0; i < count; i++) {
    const struct source_position *position = &frames[i].position;
    uint32_t function = i ? symbol_function(places, place.object, &frames[i].symbol)
                          : places_function(places, id, false);
    places->profile->functions[function].bodies |= i ? BODY_INLINED : BODY_OWN;
    add_frame(places,
              &(struct place_frame){.function = function,
                                    .line = position->line,
                                    .column = position->column,
                                    .file = pool_string(places->profile->pool, position->file),
                                    .inlined = i});
  }
}

uint32_t places_inlined(struct places *places, uint32_t object, const char *linkage,
                        const char *file, uint32_t line) {
  char variant[SYMBOL_NAME_BYTES];
  linkage = symbol_file_variant(places->files[object], linkage, variant);
  char *name = demangle(linkage);
  struct symbol symbol = {.name = name, .linkage = linkage, .file = file, .line = line};
  uint32_t id = symbol_function(places, object, &symbol);
  places->profile->functions[id].bodies |= BODY_INLINED;
  free(name);
  return id;
}

const struct place_frame *places_frames(struct places *places, uint32_t id, uint32_t *count) {
  if (!places->list[id].frame_count) {
    uint32_t first = places->frame_count;
    const struct place place = places->list[id];
    if (place.object != NOTHING && place.link_address) add_inlined_frames(places, id);
    if (places->frame_count == first)
      add_frame(places, &(struct place_frame){.function = places_function(places, id, false),
                                              .line = place.line,
                                              .column = place.column,
                                              .file = place.file});
    places->list[id].first_frame = first;
    places->list[id].frame_count = places->frame_count - first;
  }
  *count = places->list[id].frame_count;
  return &places->frames[places->list[id].first_frame];
}

uint32_t places_column(struct places *places, uint32_t id) {
  uint32_t count;
  const struct place_frame *frames = places_frames(places, id, &count);
  return frames[count - 1].column;
}

uint32_t places_expansion(struct places *places, uint32_t id) {
  uint32_t count, expansion = NOTHING;
  const struct place_frame *frames = places_frames(places, id, &count);
  for (uint32_t i = 1; i < count; i++)
    expansion = builder_expansion(places->builder,
                                  (struct profile_expansion){.parent = expansion,
                                                             .function = frames[i].function,
                                                             .file = frames[i - 1].file,
                                                             .line = frames[i - 1].line,
                                                             .column = frames[i - 1].column});
  return expansion;
}
