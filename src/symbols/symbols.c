#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "symbols/debug_names.h"
#include "symbols/demangle.h"
#include "symbols/frame_functions.h"
#include "symbols/haskell_name.h"
#include "symbols/reading_progress.h"
#include "symbols/symbol_file.h"

struct symbols {
  struct symbol_file **files;
  size_t file_count;
  struct hash_index map;
};

struct symbols *symbols_create(void) {
  return memory_zeroed(1, sizeof(struct symbols));
}

static void free_file(struct symbol_file *file) {
  debug_info_close(&file->debug);
  free(file->inlined);
  free(file->counted_names);
  hash_index_free(&file->inlined_map);
  symbol_table_free(&file->table);
  if (file->dwfl) dwfl_end(file->dwfl);
  free(file->segments);
  free(file->sections);
  arena_free(&file->arena);
  free(file->path);
  free(file->build_id);
  free(file);
}

void symbols_free(struct symbols *symbols) {
  if (!symbols) return;
  for (size_t i = 0; i < symbols->file_count; i++)
    free_file(symbols->files[i]);
  free(symbols->files);
  hash_index_free(&symbols->map);
  free(symbols);
}

/* ---- the cache ---- */

struct file_key {
  const char *path;
  const uint8_t *build_id;
  size_t build_id_bytes;
};

static int has_key(const void *array, uint32_t index, const void *argument) {
  const struct symbol_file *file = ((struct symbol_file *const *)array)[index];
  const struct file_key *key = argument;
  return strcmp(file->path, key->path) == 0 && file->build_id_bytes == key->build_id_bytes &&
         (key->build_id_bytes == 0 ||
          memcmp(file->build_id, key->build_id, key->build_id_bytes) == 0);
}

static struct symbol_file *make_file(const struct file_key *key) {
  struct symbol_file *file = memory_zeroed(1, sizeof *file);
  file->path = memory_text(key->path);
  file->build_id_bytes = key->build_id_bytes;
  if (!key->build_id_bytes) return file;
  file->build_id = memory_resized(NULL, key->build_id_bytes, 1);
  memcpy(file->build_id, key->build_id, key->build_id_bytes);
  return file;
}

/* Enter an empty file. */
static struct symbol_file *add_file(struct symbols *symbols, const struct file_key *key) {
  ARRAY_GROW(symbols->files, symbols->file_count);
  hash_index_add(&symbols->map, hash_text(key->path), (uint32_t)symbols->file_count);
  return symbols->files[symbols->file_count++] = make_file(key);
}

static struct symbol_file *find_file(const struct symbols *symbols, const struct file_key *key) {
  uint32_t index =
      hash_index_find(&symbols->map, hash_text(key->path), has_key, symbols->files, key);
  return index == HASH_INDEX_NONE ? NULL : symbols->files[index];
}

struct symbol_file *symbols_file(struct symbols *symbols, const char *path, const uint8_t *build_id,
                                 size_t build_id_bytes) {
  struct file_key key = {path, build_id, build_id ? build_id_bytes : 0};
  struct symbol_file *file = find_file(symbols, &key);
  if (file) return file;
  file = add_file(symbols, &key);
  symbols_say_progress(file->path, 0, 0);
  elf_object_load(file);
  return file;
}

struct symbol_file *symbols_jit(struct symbols *symbols, uint32_t pid) {
  struct error name; /* a key that no path can have */
  error_set(&name, "[jit %u]", pid);
  struct file_key key = {name.text, NULL, 0};
  struct symbol_file *file = find_file(symbols, &key);
  if (!file) {
    file = add_file(symbols, &key);
    if (jit_map_load(file, pid) < 0) file->state = SYMBOLS_MISSING;
  }
  return file->state != SYMBOLS_MISSING ? file : NULL;
}

/* Functions are compiled while the program runs. */
void symbols_refresh_jit(struct symbols *symbols) {
  for (size_t i = 0; i < symbols->file_count; i++) {
    struct symbol_file *file = symbols->files[i];
    uint32_t pid;
    if (sscanf(file->path, "[jit %" SCNu32 "]", &pid) != 1) continue;
    symbol_table_free(&file->table);
    arena_free(&file->arena);
    *file = (struct symbol_file){.path = file->path};
    if (jit_map_load(file, pid) < 0) file->state = SYMBOLS_MISSING;
  }
}

struct symbol_file *symbols_without_code(struct symbols *symbols) {
  static const struct file_key key = {"[no code]", NULL, 0}; /* that no path can have */
  struct symbol_file *file = find_file(symbols, &key);
  if (!file) file = add_file(symbols, &key);
  file->state = SYMBOLS_NONE;
  return file;
}

enum symbol_file_state symbol_file_state(const struct symbol_file *file) {
  return file->state;
}

const char *symbol_file_message(const struct symbol_file *file) {
  return file->message.text;
}

/* ---- addresses ---- */

uint64_t symbol_file_address(const struct symbol_file *file, uint64_t offset) {
  if (file->is_jit) return offset;
  for (size_t i = 0; i < file->segment_count; i++) {
    const struct file_segment *segment = &file->segments[i];
    if (offset >= segment->offset && offset - segment->offset < segment->bytes)
      return segment->address + (offset - segment->offset);
  }
  return 0;
}

int symbol_file_offset(const struct symbol_file *file, uint64_t address, uint64_t *offset) {
  for (size_t i = 0; i < file->segment_count; i++) {
    const struct file_segment *segment = &file->segments[i];
    if (address < segment->address || address - segment->address >= segment->bytes) continue;
    *offset = segment->offset + (address - segment->address);
    return 0;
  }
  return -1;
}

bool symbol_file_is_runtime(const struct symbol_file *file, uint64_t address) {
  return address >= file->runtime.start && address < file->runtime.end;
}

static int take_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                       void *found) {
  (void)data, (void)name, (void)start;
  *(Dwfl_Module **)found = module;
  return DWARF_CB_ABORT;
}

Dwfl_Module *symbol_file_module(const struct symbol_file *file) {
  Dwfl_Module *module = NULL;
  if (file->dwfl) dwfl_getmodules(file->dwfl, take_module, &module, 0);
  return module;
}

const char *symbol_file_shown_name(struct symbol_file *file, const char *linkage) {
  if (file->is_jit) return linkage;
  char *name = symbol_file_is_haskell(file) ? haskell_name(linkage) : NULL;
  if (!name) name = demangle(linkage);
  const char *kept = arena_text(&file->arena, name, strlen(name));
  free(name);
  return kept;
}

/* The name of the function at an address as its definition has it, or null. */
static const char *defined_name(struct symbol_file *file, uint64_t address) {
  Dwarf_Die function;
  if (debug_info_function(&file->debug, address, &function) != 0) return NULL;
  const char *linkage = debug_linkage_name(&function);
  return linkage ? linkage : dwarf_diename(&function);
}

/* Among equally good names, the one that the source gives the function wins. Names that look
 * alike anyway (constructors') stay as they are. */
static void choose_name(struct symbol_file *file, struct table_symbol *found) {
  found->name = symbol_file_shown_name(file, found->linkage);
  const char *defined = found->alias_count ? defined_name(file, found->address) : NULL;
  const char *alias;
  for (size_t i = 0; defined && (alias = symbol_table_name(&file->table, found, i)); i++) {
    if (!demangle_is_base(alias, defined, strlen(defined))) continue;
    const char *shown = symbol_file_shown_name(file, alias);
    if (strcmp(shown, found->name) == 0) return;
    found->linkage = alias;
    found->name = shown;
    return;
  }
}

/* Functions without an entry in the debug information (assembly) begin where their first line is.
 */
static void locate(struct symbol_file *file, struct table_symbol *found) {
  struct source_position position = {0};
  if (debug_info_definition(&file->debug, found->address, &position) < 0)
    debug_info_line(&file->debug, found->address, found->address, &position);
  found->file = position.file;
  found->line = position.line;
  found->located = 1;
  Dwarf_Die function;
  if (demangle_variant(found->linkage, 0) &&
      debug_info_function(&file->debug, found->address, &function) == 0 &&
      debug_is_unified(&function))
    found->linkage = symbol_file_kept_variant(file, found->linkage);
}

int symbol_file_function(struct symbol_file *file, uint64_t address, struct symbol *symbol) {
  struct table_symbol *found = symbol_table_find(&file->table, address);
  if (!found && frame_functions_find(file, address, symbol) == 0) return 0;
  if (!found) return haskell_local_find(file, address, symbol);
  if (!found->name) choose_name(file, found);
  if (!found->located) locate(file, found);
  *symbol = (struct symbol){.address = found->address,
                            .size = found->size,
                            .name = found->name,
                            .linkage = found->linkage,
                            .file = found->file,
                            .line = found->line,
                            .global = symbol_is_global(found)};
  return 0;
}

int symbol_file_line(struct symbol_file *file, uint64_t address, struct source_position *position) {
  const struct table_symbol *function = symbol_table_find(&file->table, address);
  return debug_info_line(&file->debug, address, function ? function->address : file->debug.bias,
                         position);
}
