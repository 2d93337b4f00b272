#include <gelf.h>
#include <string.h>

#include "symbols/counted_code.h"
#include "symbols/symbol_file.h"

/* By its name; as it is named where it was compressed in GNU's older way; and as versions before
 * ASC6 named it, which are refused, not overlooked. */
static const char *const names_of_section[] = {COUNTER_POINTS_SECTION, ".zdebug.ascribe",
                                               ".debug_ascribe"};

static bool is_it(const char *name) {
  for (size_t i = 0; name && i < sizeof names_of_section / sizeof *names_of_section; i++)
    if (strcmp(name, names_of_section[i]) == 0) return true;
  return false;
}

static Elf_Scn *find_section(Elf *elf) {
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0) return NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    bool holds_bytes = gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS;
    if (holds_bytes && is_it(elf_strptr(elf, names, header.sh_name))) return section;
  }
  return NULL;
}

/* In the object itself, or where its debug information is. */
static Elf_Scn *find(const struct symbol_file *file) {
  Dwfl_Module *module = symbol_file_module(file);
  if (!module) return NULL;
  GElf_Addr bias;
  Elf_Scn *section = find_section(dwfl_module_getelf(module, &bias));
  if (section) return section;
  Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
  return find_section(dwarf ? dwarf_getelf(dwarf) : NULL);
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

int symbol_file_counted_code(struct symbol_file *file, struct counted_code_list *list) {
  Elf_Scn *section = find(file);
  if (!section) return COUNTED_CODE_NONE;
  if (!unpack(section)) return COUNTED_CODE_PACKED;
  const Elf_Data *data = elf_getdata(section, NULL);
  if (!data || !data->d_buf) return COUNTED_CODE_NONE;
  return counted_code_read(data->d_buf, data->d_size, list);
}
