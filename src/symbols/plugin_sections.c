/* Sections that the compiler plugins write. */
#include "symbols/plugin_sections.h"

#include <gelf.h>
#include <string.h>

#include "symbols/symbol_file.h"

static bool is_one_of(const char *name, const char *const *names) {
  for (; name && *names; names++)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

static Elf_Scn *find_in(Elf *elf, const char *const *names) {
  size_t strings;
  if (!elf || elf_getshdrstrndx(elf, &strings) != 0) return NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    bool holds_bytes = gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS;
    if (holds_bytes && is_one_of(elf_strptr(elf, strings, header.sh_name), names)) return section;
  }
  return NULL;
}

/* In the object itself, or where its debug information is. */
static Elf_Scn *find(const struct symbol_file *file, const char *const *names) {
  Dwfl_Module *module = symbol_file_module(file);
  if (!module) return NULL;
  GElf_Addr bias;
  Elf_Scn *section = find_in(dwfl_module_getelf(module, &bias), names);
  if (section) return section;
  Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
  return find_in(dwarf ? dwarf_getelf(dwarf) : NULL, names);
}

/* In GNU's older way, whatever the name: objcopy changes only names that it knows. */
static bool is_packed_the_older_way(Elf_Scn *section) {
  const Elf_Data *data = elf_rawdata(section, NULL);
  return data && data->d_buf && data->d_size >= 4 && memcmp(data->d_buf, "ZLIB", 4) == 0;
}

static bool unpack(Elf_Scn *section) {
  GElf_Shdr header;
  if (!gelf_getshdr(section, &header)) return false;
  if (header.sh_flags & SHF_COMPRESSED) return elf_compress(section, 0, 0) >= 0;
  return !is_packed_the_older_way(section) || elf_compress_gnu(section, 0, 0) >= 0;
}

int symbol_file_plugin_section(struct symbol_file *file, const char *const *names,
                               const void **bytes, size_t *count) {
  Elf_Scn *section = find(file, names);
  if (!section) return PLUGIN_SECTION_NONE;
  if (!unpack(section)) return PLUGIN_SECTION_PACKED;
  const Elf_Data *data = elf_getdata(section, NULL);
  if (!data || !data->d_buf) return PLUGIN_SECTION_NONE;
  *bytes = data->d_buf;
  *count = data->d_size;
  return 0;
}
