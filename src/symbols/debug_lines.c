#include "symbols/debug_lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "symbols/source_path.h"

/* The code of a function that has an entry in the debug information. */
struct definition {
  uint64_t start, end;
  Dwarf_Die die;
};

struct debug_unit {
  Dwarf_Die die;                  /* has the line table */
  Dwarf_Die contents;             /* has the functions; another one in split DWARF */
  struct definition *definitions; /* by start */
  size_t definition_count, definition_capacity;
  int definitions_read;
};

struct unit_range {
  uint64_t start, end;
  uint64_t reach; /* highest end up to here */
  uint32_t unit;
};

struct source_path {
  const char *raw, *path;
};

/* ---- units ---- */

static int add_range(struct debug_lines *lines, uint64_t start, uint64_t end, uint32_t unit) {
  /* Linkers leave the units of functions that they dropped at address 0. */
  if (start == 0 || start >= end) return 0;
  struct unit_range *ranges =
      array_reserve(lines->ranges, &lines->range_capacity, lines->range_count + 1, sizeof *ranges);
  if (!ranges) return -1;
  lines->ranges = ranges;
  ranges[lines->range_count++] = (struct unit_range){.start = start, .end = end, .unit = unit};
  return 0;
}

static int add_unit(struct debug_lines *lines, const Dwarf_Die *die, const Dwarf_Die *contents) {
  struct debug_unit *units =
      array_reserve(lines->units, &lines->unit_capacity, lines->unit_count + 1, sizeof *units);
  if (!units || lines->unit_count >= UINT32_MAX) return -1;
  lines->units = units;
  uint32_t unit = (uint32_t)lines->unit_count++;
  units[unit] = (struct debug_unit){.die = *die, .contents = *contents};
  Dwarf_Addr base, start, end;
  Dwarf_Die top = *die;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&top, at, &base, &start, &end)) > 0;)
    if (add_range(lines, start, end, unit) < 0) return -1;
  return 0;
}

static int by_start(const void *left, const void *right) {
  const struct unit_range *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return a->unit < b->unit ? -1 : a->unit > b->unit;
}

int debug_lines_open(struct debug_lines *lines, Dwarf *dwarf, uint64_t bias) {
  lines->dwarf = dwarf;
  lines->bias = bias;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
    if (kind == DW_UT_type || kind == DW_UT_split_type || kind == DW_UT_partial) continue;
    int has_split = kind == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
    if (add_unit(lines, &die, has_split ? &split : &die) < 0) return -1;
  }
  if (lines->range_count) qsort(lines->ranges, lines->range_count, sizeof *lines->ranges, by_start);
  uint64_t reach = 0;
  for (size_t i = 0; i < lines->range_count; i++) {
    if (lines->ranges[i].end > reach) reach = lines->ranges[i].end;
    lines->ranges[i].reach = reach;
  }
  return 0;
}

void debug_lines_close(struct debug_lines *lines) {
  for (size_t i = 0; i < lines->unit_count; i++)
    free(lines->units[i].definitions);
  free(lines->units);
  free(lines->ranges);
  free(lines->paths);
  hash_index_free(&lines->path_map);
  arena_free(&lines->arena);
  *lines = (struct debug_lines){0};
}

/* The unit with the address; of several the one whose range begins last. */
static struct debug_unit *find_unit(const struct debug_lines *lines, uint64_t address) {
  size_t low = 0, high = lines->range_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lines->ranges[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  while (low-- > 0 && lines->ranges[low].reach > address)
    if (lines->ranges[low].end > address) return &lines->units[lines->ranges[low].unit];
  return NULL;
}

/* ---- paths ---- */

static int has_raw_path(const void *array, uint32_t index, const void *key) {
  return strcmp(((const struct source_path *)array)[index].raw, key) == 0;
}

static const char *shown_path(struct debug_lines *lines, const char *raw) {
  char *path = arena_text(&lines->arena, raw, strlen(raw));
  if (!path) return NULL;
  source_path_normalise(path);
  /* Behind a symbolic link ".." leads elsewhere than it seems. */
  return strcmp(path, raw) != 0 && access(path, F_OK) != 0 && access(raw, F_OK) == 0 ? raw : path;
}

/* The path to show for a complete one; null if there is no memory. */
static const char *path_of(struct debug_lines *lines, const char *complete) {
  uint64_t hash = hash_text(complete);
  uint32_t known = hash_index_find(&lines->path_map, hash, has_raw_path, lines->paths, complete);
  if (known != HASH_INDEX_NONE) return lines->paths[known].path;
  struct source_path *paths =
      array_reserve(lines->paths, &lines->path_capacity, lines->path_count + 1, sizeof *paths);
  if (!paths) return NULL;
  lines->paths = paths;
  const char *raw = arena_text(&lines->arena, complete, strlen(complete));
  const char *path = raw ? shown_path(lines, raw) : NULL;
  if (!path || hash_index_add(&lines->path_map, hash, (uint32_t)lines->path_count) < 0) return NULL;
  paths[lines->path_count++] = (struct source_path){.raw = raw, .path = path};
  return path;
}

/* A file as the line table names it: perhaps relative to where the unit was compiled. */
static const char *file_of(struct debug_lines *lines, struct debug_unit *unit, const char *named) {
  enum { LONGEST_PATH = 8192 };
  Dwarf_Attribute attribute;
  const char *folder =
      dwarf_formstring(dwarf_attr_integrate(&unit->die, DW_AT_comp_dir, &attribute));
  if (named[0] == '/' || !folder || strlen(folder) + strlen(named) + 2 > LONGEST_PATH)
    return path_of(lines, named);
  char complete[LONGEST_PATH];
  stpcpy(stpcpy(stpcpy(complete, folder), "/"), named);
  return path_of(lines, complete);
}

/* ---- lines ---- */

int debug_lines_find(struct debug_lines *lines, uint64_t address,
                     struct source_position *position) {
  struct debug_unit *unit = find_unit(lines, address - lines->bias);
  if (!unit) return -1;
  Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address - lines->bias);
  const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
  int number = 0, column = 0;
  if (!file || dwarf_lineno(line, &number) != 0 || number <= 0) return -1;
  dwarf_linecol(line, &column);
  *position = (struct source_position){.file = file_of(lines, unit, file),
                                       .line = (uint32_t)number,
                                       .column = column > 0 ? (uint32_t)column : 0};
  return 0;
}

/* ---- definitions ---- */

static int add_definition(Dwarf_Die *die, void *argument) {
  struct debug_unit *unit = argument;
  Dwarf_Addr base, start, end;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
    if (start >= end) continue;
    struct definition *definitions = array_reserve(unit->definitions, &unit->definition_capacity,
                                                   unit->definition_count + 1, sizeof *definitions);
    if (!definitions) return DWARF_CB_ABORT;
    unit->definitions = definitions;
    definitions[unit->definition_count++] =
        (struct definition){.start = start, .end = end, .die = *die};
  }
  return DWARF_CB_OK;
}

static int definition_by_start(const void *left, const void *right) {
  const struct definition *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

static void read_definitions(struct debug_unit *unit) {
  unit->definitions_read = 1;
  dwarf_getfuncs(&unit->contents, add_definition, unit, 0);
  if (unit->definition_count)
    qsort(unit->definitions, unit->definition_count, sizeof *unit->definitions,
          definition_by_start);
}

static struct definition *find_definition(struct debug_unit *unit, uint64_t address) {
  if (!unit->definitions_read) read_definitions(unit);
  size_t low = 0, high = unit->definition_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (unit->definitions[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || unit->definitions[low - 1].end <= address) return NULL;
  return &unit->definitions[low - 1];
}

/* As the line table of its unit names it. dwarf_decl_file() of elfutils 0.188 fails for file 0 of
 * DWARF 5 (clang's main file) and aborts on split DWARF. */
static const char *declared_file(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  Dwarf_Word index;
  Dwarf_Die unit;
  Dwarf_Half version;
  Dwarf_Files *files;
  size_t count;
  if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &index) != 0 ||
      !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
      (index == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
      index >= count)
    return NULL;
  return dwarf_filesrc(files, index, NULL, NULL);
}

int debug_lines_definition(struct debug_lines *lines, uint64_t address,
                           struct source_position *position) {
  struct debug_unit *unit = find_unit(lines, address - lines->bias);
  struct definition *definition = unit ? find_definition(unit, address - lines->bias) : NULL;
  if (!definition) return -1;
  int line = 0, column = 0;
  const char *file = declared_file(&definition->die);
  if (!file || dwarf_decl_line(&definition->die, &line) != 0 || line <= 0) return -1;
  dwarf_decl_column(&definition->die, &column);
  *position = (struct source_position){.file = file_of(lines, unit, file),
                                       .line = (uint32_t)line,
                                       .column = column > 0 ? (uint32_t)column : 0};
  return 0;
}

int debug_lines_function(struct debug_lines *lines, uint64_t address, Dwarf_Die *die) {
  struct debug_unit *unit = find_unit(lines, address - lines->bias);
  struct definition *definition = unit ? find_definition(unit, address - lines->bias) : NULL;
  if (!definition) return -1;
  *die = definition->die;
  return 0;
}
