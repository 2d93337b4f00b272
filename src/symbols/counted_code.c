#include "symbols/counted_code.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/symbol_file.h"

struct code_list {
  struct counted_code *items;
  size_t count, capacity;
};

static Elf_Scn *find_section(Elf *elf) {
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0) return NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (name && strcmp(name, COUNTER_POINTS_SECTION) == 0 && header.sh_type != SHT_NOBITS)
      return section;
  }
  return NULL;
}

static int take_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
                       void *found) {
  (void)data, (void)name, (void)start;
  *(Dwfl_Module **)found = module;
  return DWARF_CB_ABORT;
}

/* In the object itself, or where its debug information is. */
static Elf_Data *find_data(const struct symbol_file *file) {
  Dwfl_Module *module = NULL;
  if (!file->dwfl) return NULL;
  dwfl_getmodules(file->dwfl, take_module, &module, 0);
  if (!module) return NULL;
  GElf_Addr bias;
  Elf_Scn *section = find_section(dwfl_module_getelf(module, &bias));
  if (!section) {
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    section = dwarf ? find_section(dwarf_getelf(dwarf)) : NULL;
  }
  GElf_Shdr header;
  if (!section || !gelf_getshdr(section, &header)) return NULL;
  if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0) return NULL;
  return elf_getdata(section, NULL);
}

/* Whatever else the section holds, names end. */
static bool has_strings(const struct counter_unit *unit) {
  return unit->strings >= sizeof *unit && unit->strings < unit->bytes &&
         ((const char *)unit)[unit->bytes - 1] == '\0';
}

static bool points_make_sense(const struct counter_unit *unit, const struct unit_point *points,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (points[i].counter != NO_COUNTER && points[i].counter >= unit->counter_count) return false;
  return true;
}

static int add_function(struct code_list *list, const struct counter_unit *unit,
                        const struct unit_function *function) {
  struct counted_code *items =
      array_reserve(list->items, &list->capacity, list->count + 1, sizeof *items);
  if (!items) return -1;
  list->items = items;
  struct counted_code *code = &items[list->count++];
  *code = (struct counted_code){.address = function->address,
                                .counters = unit->counters,
                                .is_public = function->flags & COUNTED_PUBLIC,
                                .points = (const struct unit_point *)(function + 1),
                                .point_count = function->point_count,
                                .strings = (const char *)unit + unit->strings,
                                .string_bytes = unit->bytes - unit->strings};
  code->name = counted_code_text(code, function->name);
  code->directory = counted_code_text(code, unit->directory);
  return 0;
}

/* Returns -1 if it makes no sense. */
static int read_unit(struct code_list *list, const struct counter_unit *unit) {
  if (!has_strings(unit)) return -1;
  uint64_t at = sizeof *unit;
  for (uint32_t i = 0; i < unit->function_count; i++) {
    const struct unit_function *function = (const void *)((const char *)unit + at);
    if (at + sizeof *function > unit->strings) return -1;
    at += sizeof *function + (uint64_t)function->point_count * sizeof(struct unit_point);
    const struct unit_point *points = (const void *)(function + 1);
    if (at > unit->strings || !points_make_sense(unit, points, function->point_count)) return -1;
    if (function->address && add_function(list, unit, function) < 0) return -1;
  }
  return 0;
}

static int read_units(struct code_list *list, const char *data, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(struct counter_unit) <= bytes;) {
    const struct counter_unit *unit = (const void *)(data + at);
    if (unit->magic != COUNTER_POINTS_MAGIC || unit->bytes < sizeof *unit || unit->bytes % 8 ||
        unit->bytes > bytes - at || read_unit(list, unit) < 0)
      return -1;
    at += unit->bytes;
  }
  return 0;
}

static int by_address(const void *left, const void *right) {
  const struct counted_code *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return (a->counters > b->counters) - (a->counters < b->counters);
}

int counted_code_read(const void *data, size_t bytes, struct counted_code **list, size_t *count) {
  struct code_list found = {0};
  if ((uintptr_t)data % 8 != 0 || read_units(&found, data, bytes) < 0) {
    free(found.items);
    return -1;
  }
  if (found.count) qsort(found.items, found.count, sizeof *found.items, by_address);
  *list = found.items;
  *count = found.count;
  return 0;
}

int symbol_file_counted_code(struct symbol_file *file, struct counted_code **list, size_t *count,
                             bool *damaged) {
  const Elf_Data *data = find_data(file);
  *damaged = data && data->d_buf;
  if (!*damaged) return -1;
  int result = counted_code_read(data->d_buf, data->d_size, list, count);
  *damaged = result < 0;
  return result;
}

const char *counted_code_text(const struct counted_code *code, uint32_t name) {
  return name < code->string_bytes ? code->strings + name : "";
}
