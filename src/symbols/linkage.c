#include "symbols/linkage.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/count_before.h"
#include "base/memory.h"
#include "symbols/elf_names.h"
#include "symbols/symbol_file.h"

/* What is being read. */
struct reading {
  struct linkage *linkage;
  struct symbol_versions versions;
};

static const struct symbol_version no_version = {NULL, VERSION_FIRST};

static void add(struct linkage *linkage, const char *name, uint64_t address, enum linkage_kind kind,
                struct symbol_version version) {
  ARRAY_GROW(linkage->names, linkage->count);
  linkage->names[linkage->count++] = (struct linkage_name){name, address, kind, version};
}

static bool is_function(const GElf_Sym *symbol) {
  int type = GELF_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
         (type == STT_FUNC || type == STT_NOTYPE);
}

static bool is_for_others(const GElf_Sym *symbol) {
  int visibility = GELF_ST_VISIBILITY(symbol->st_other);
  return GELF_ST_BIND(symbol->st_info) != STB_LOCAL &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static void add_local(void *context, const GElf_Sym *symbol, size_t index, const char *name) {
  struct reading *reading = context;
  (void)index;
  if (*name && is_function(symbol))
    add(reading->linkage, name, symbol->st_value, LINKAGE_HERE, no_version);
}

static void add_dynamic_symbol(void *context, const GElf_Sym *symbol, size_t index,
                               const char *name) {
  struct reading *reading = context;
  if (*name && is_function(symbol))
    add(reading->linkage, name, symbol->st_value,
        is_for_others(symbol) ? LINKAGE_EXPORTED : LINKAGE_HERE,
        symbol_version(&reading->versions, index));
}

static void add_import(void *context, const GElf_Sym *symbol, size_t index, const char *name) {
  struct reading *reading = context;
  (void)symbol;
  if (*name)
    add(reading->linkage, name, 0, LINKAGE_IMPORTED, symbol_version(&reading->versions, index));
}

static void add_needed(struct linkage *linkage, const char *name) {
  ARRAY_GROW(linkage->needed, linkage->needed_count);
  linkage->needed[linkage->needed_count++] = name;
}

static void add_dynamic(struct linkage *linkage, Elf *elf, Elf_Scn *section,
                        const GElf_Shdr *header) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
  for (size_t i = 0; i < count; i++) {
    GElf_Dyn entry;
    if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL) return;
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME) continue;
    const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
    if (name && entry.d_tag == DT_NEEDED) add_needed(linkage, name);
    if (name && entry.d_tag == DT_SONAME) linkage->soname = name;
  }
}

/* Debug files have the sections of the object, but most of them empty. */
static void add_sections(struct linkage *linkage, Elf *elf) {
  struct reading reading = {.linkage = linkage};
  symbol_versions_open(elf, &reading.versions);
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    if (header.sh_type == SHT_SYMTAB)
      elf_names_of_symbols(elf, section, &header, add_local, &reading);
    else if (header.sh_type == SHT_DYNSYM)
      elf_names_of_symbols(elf, section, &header, add_dynamic_symbol, &reading);
    else if (header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
      elf_names_of_relocations(elf, section, &header, add_import, &reading);
    else if (header.sh_type == SHT_DYNAMIC)
      add_dynamic(linkage, elf, section, &header);
  }
  symbol_versions_close(&reading.versions);
}

static int by_name(const void *left, const void *right) {
  const struct linkage_name *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (order) return order;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return (int)b->kind - (int)a->kind;
}

void linkage_read(struct symbol_file *file, struct linkage *linkage) {
  *linkage = (struct linkage){0};
  Dwfl_Module *module = symbol_file_module(file);
  GElf_Addr bias;
  Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
  Dwarf *debug = module ? dwfl_module_getdwarf(module, &bias) : NULL;
  if (elf) add_sections(linkage, elf);
  if (debug && dwarf_getelf(debug) != elf) add_sections(linkage, dwarf_getelf(debug));
  if (linkage->count) qsort(linkage->names, linkage->count, sizeof *linkage->names, by_name);
}

void linkage_free(struct linkage *linkage) {
  free(linkage->names);
  free(linkage->needed);
  *linkage = (struct linkage){0};
}

size_t linkage_find(const struct linkage *linkage, const char *name) {
  size_t low = COUNT_BEFORE(linkage->count, i, strcmp(linkage->names[i].name, name) < 0);
  return low < linkage->count && strcmp(linkage->names[low].name, name) == 0 ? low : linkage->count;
}
