#include "symbols/debug_info.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/count_before.h"
#include "base/memory.h"
#include "symbols/code_blocks.h"
#include "symbols/debug_names.h"
#include "symbols/reading_progress.h"

struct debug_unit {
  Dwarf_Die die;      /* has the line table */
  Dwarf_Die contents; /* has the functions; another one in split DWARF */
  struct code_blocks blocks;
  int blocks_read;
};

struct unit_range {
  uint64_t start, end;
  uint64_t reach; /* highest end up to here */
  uint32_t unit;
};

/* ---- units ---- */

static void add_range(struct debug_info *info, uint64_t start, uint64_t end, uint32_t unit) {
  /* Linkers leave the units of functions that they dropped at address 0. */
  if (start == 0 || start >= end) return;
  ARRAY_GROW(info->ranges, info->range_count);
  info->ranges[info->range_count++] = (struct unit_range){.start = start, .end = end, .unit = unit};
}

static void add_unit(struct debug_info *info, const Dwarf_Die *die, const Dwarf_Die *contents) {
  ARRAY_GROW(info->units, info->unit_count);
  uint32_t unit = (uint32_t)info->unit_count++;
  info->units[unit] = (struct debug_unit){.die = *die, .contents = *contents};
  Dwarf_Addr base, start, end;
  Dwarf_Die top = *die;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&top, at, &base, &start, &end)) > 0;)
    add_range(info, start, end, unit);
}

/* By start. Where a linker kept one of several copies of a function, the units of all copies may
 * claim it; it is the first unit's, so that comes last. */
static int by_start(const void *left, const void *right) {
  const struct unit_range *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return a->unit > b->unit ? -1 : a->unit < b->unit;
}

void debug_info_open(struct debug_info *info, Dwarf *dwarf, uint64_t bias, const char *path) {
  info->path = path;
  info->dwarf = dwarf;
  info->bias = bias;
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
    if (kind == DW_UT_type || kind == DW_UT_split_type || kind == DW_UT_partial) continue;
    int has_split = kind == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
    add_unit(info, &die, has_split ? &split : &die);
  }
  if (info->range_count) qsort(info->ranges, info->range_count, sizeof *info->ranges, by_start);
  uint64_t reach = 0;
  for (size_t i = 0; i < info->range_count; i++) {
    if (info->ranges[i].end > reach) reach = info->ranges[i].end;
    info->ranges[i].reach = reach;
  }
}

void debug_info_close(struct debug_info *info) {
  for (size_t i = 0; i < info->unit_count; i++)
    code_blocks_free(&info->units[i].blocks);
  free(info->units);
  free(info->ranges);
  debug_info_free_paths(info);
  arena_free(&info->arena);
  *info = (struct debug_info){0};
}

/* The unit with the address; of several the one whose range begins last. */
static struct debug_unit *find_unit(const struct debug_info *info, uint64_t address) {
  size_t low = COUNT_BEFORE(info->range_count, i, info->ranges[i].start <= address);
  while (low-- > 0 && info->ranges[low].reach > address)
    if (info->ranges[low].end > address) return &info->units[info->ranges[low].unit];
  return NULL;
}

/* ---- positions ---- */

/* A row of a unit's line table. */
struct line_row {
  Dwarf_Line *line;
  Dwarf_Addr address;
  bool ends; /* nothing but the end of what the row before it says */
};

static struct line_row row_at(Dwarf_Lines *lines, size_t index) {
  struct line_row row = {.line = dwarf_onesrcline(lines, index)};
  dwarf_lineaddr(row.line, &row.address);
  dwarf_lineendsequence(row.line, &row.ends);
  return row;
}

/* The last row that does not lie behind the address; null if there is none, or it is an end.
 * libdw sorts a row without code, at the address where its sequence ends, behind that end: such a
 * row says nothing of a function that begins farther on and has no rows (assembly). */
static Dwarf_Line *find_row(Dwarf_Lines *lines, size_t count, uint64_t address, uint64_t function) {
  size_t low = COUNT_BEFORE(count, i, row_at(lines, i).address <= address);
  if (low == 0) return NULL;
  struct line_row found = row_at(lines, low - 1);
  if (found.ends) return NULL;
  for (; low > 1 && found.address < function; low--) {
    struct line_row before = row_at(lines, low - 2);
    if (before.address != found.address) break;
    if (before.ends) return NULL;
  }
  return found.line;
}

int debug_info_line(struct debug_info *info, uint64_t address, uint64_t function,
                    struct source_position *position) {
  struct debug_unit *unit = find_unit(info, address - info->bias);
  Dwarf_Lines *lines;
  size_t count;
  if (!unit || dwarf_getsrclines(&unit->die, &lines, &count) != 0) return -1;
  Dwarf_Line *line = find_row(lines, count, address - info->bias, function - info->bias);
  const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
  int number = 0, column = 0;
  if (!file || dwarf_lineno(line, &number) != 0 || number <= 0) return -1;
  dwarf_linecol(line, &column);
  *position = (struct source_position){.file = debug_info_path(info, &unit->die, file),
                                       .line = (uint32_t)number,
                                       .column = column > 0 ? (uint32_t)column : 0};
  return 0;
}

/* A position in the attributes of an entry. */
struct position_names {
  unsigned file, line, column;
};

/* The file is a number in the line table of the unit that has the attribute. dwarf_decl_file() of
 * elfutils 0.188 fails for file 0 of DWARF 5 (clang's main file) and aborts on split DWARF. */
static const char *attribute_file(struct debug_info *info, Dwarf_Attribute *attribute) {
  Dwarf_Word index;
  Dwarf_Die unit;
  Dwarf_Half version;
  Dwarf_Files *files;
  size_t count;
  if (dwarf_formudata(attribute, &index) != 0 ||
      !dwarf_cu_die(attribute->cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
      (index == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
      index >= count)
    return NULL;
  const char *named = dwarf_filesrc(files, index, NULL, NULL);
  return named ? debug_info_path(info, &unit, named) : NULL;
}

static uint32_t attribute_number(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) != 0 ||
      value > UINT32_MAX)
    return 0;
  return (uint32_t)value;
}

static int attribute_position(struct debug_info *info, Dwarf_Die *die,
                              const struct position_names *names,
                              struct source_position *position) {
  Dwarf_Attribute attribute;
  uint32_t line = attribute_number(die, names->line);
  const char *file = line && dwarf_attr_integrate(die, names->file, &attribute)
                         ? attribute_file(info, &attribute)
                         : NULL;
  if (!file) return -1;
  *position = (struct source_position){file, line, attribute_number(die, names->column)};
  return 0;
}

int debug_info_declared(struct debug_info *info, Dwarf_Die *function,
                        struct source_position *position) {
  static const struct position_names names = {DW_AT_decl_file, DW_AT_decl_line, DW_AT_decl_column};
  Dwarf_Die type;
  if (attribute_position(info, function, &names, position) == 0) return 0;
  return debug_type_of_method(function, &type) == 0
             ? attribute_position(info, &type, &names, position)
             : -1;
}

int debug_info_called(struct debug_info *info, Dwarf_Die *call, struct source_position *position) {
  static const struct position_names names = {DW_AT_call_file, DW_AT_call_line, DW_AT_call_column};
  return attribute_position(info, call, &names, position);
}

/* ---- functions and inlined calls ---- */

/* The blocks of the unit that holds the address; null if there is none. */
static const struct code_blocks *blocks_at(struct debug_info *info, uint64_t address) {
  struct debug_unit *unit = find_unit(info, address - info->bias);
  if (!unit) return NULL;
  if (!unit->blocks_read) {
    unit->blocks_read = 1;
    symbols_say_progress(info->path, info->units_read++, info->unit_count);
    code_blocks_read(&unit->blocks, &unit->contents);
  }
  return &unit->blocks;
}

int debug_info_function(struct debug_info *info, uint64_t address, Dwarf_Die *function) {
  const struct code_blocks *blocks = blocks_at(info, address);
  uint32_t block = blocks ? code_blocks_find(blocks, address - info->bias) : NO_BLOCK;
  if (block == NO_BLOCK) return -1;
  while (blocks->blocks[block].outer != NO_BLOCK)
    block = blocks->blocks[block].outer;
  *function = blocks->blocks[block].die;
  return 0;
}

int debug_info_definition(struct debug_info *info, uint64_t address,
                          struct source_position *position) {
  Dwarf_Die function;
  if (debug_info_function(info, address, &function) != 0) return -1;
  return debug_info_declared(info, &function, position);
}

size_t debug_info_inlined(struct debug_info *info, uint64_t address, Dwarf_Die *calls,
                          size_t room) {
  const struct code_blocks *blocks = blocks_at(info, address);
  uint32_t innermost = blocks ? code_blocks_find(blocks, address - info->bias) : NO_BLOCK;
  if (innermost == NO_BLOCK) return 0;
  size_t count = 0;
  for (uint32_t at = innermost; blocks->blocks[at].outer != NO_BLOCK; at = blocks->blocks[at].outer)
    count++;
  size_t left = count;
  for (uint32_t at = innermost; left > 0; at = blocks->blocks[at].outer)
    if (--left < room) calls[left] = blocks->blocks[at].die;
  return count < room ? count : room;
}

int debug_info_instance(struct debug_info *info, uint64_t address, const Dwarf_Die *origin,
                        uint64_t *instance) {
  const struct code_blocks *blocks = blocks_at(info, address);
  uint32_t block = blocks ? code_blocks_instance(blocks, origin->addr) : NO_BLOCK;
  Dwarf_Addr base, start, end;
  Dwarf_Die die;
  if (block == NO_BLOCK) return -1;
  die = blocks->blocks[block].die;
  if (dwarf_ranges(&die, 0, &base, &start, &end) <= 0) return -1;
  *instance = start + info->bias;
  return 0;
}
