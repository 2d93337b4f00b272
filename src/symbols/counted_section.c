#include <gelf.h>
#include <string.h>

#include "symbols/counted_code.h"
#include "symbols/symbol_file.h"

/* As GNU's tools name it where they compress it in their older way. */
#define PACKED_SECTION ".zdebug_ascribe"

struct found {
  Elf_Scn *section;
  bool packed; /* in the older way */
};

static struct found find_section(Elf *elf) {
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0) return (struct found){0};
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (!name || header.sh_type == SHT_NOBITS) continue;
    bool packed = strcmp(name, PACKED_SECTION) == 0;
    if (packed || strcmp(name, COUNTER_POINTS_SECTION) == 0) return (struct found){section, packed};
  }
  return (struct found){0};
}

/* In the object itself, or where its debug information is. */
static struct found find(const struct symbol_file *file) {
  Dwfl_Module *module = symbol_file_module(file);
  if (!module) return (struct found){0};
  GElf_Addr bias;
  struct found found = find_section(dwfl_module_getelf(module, &bias));
  if (found.section) return found;
  Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
  return find_section(dwarf ? dwarf_getelf(dwarf) : NULL);
}

static bool unpack(const struct found *found) {
  GElf_Shdr header;
  if (!gelf_getshdr(found->section, &header)) return false;
  if (found->packed) return elf_compress_gnu(found->section, 0, 0) >= 0;
  return !(header.sh_flags & SHF_COMPRESSED) || elf_compress(found->section, 0, 0) >= 0;
}

int symbol_file_counted_code(struct symbol_file *file, struct counted_code_list *list) {
  struct found found = find(file);
  if (!found.section) return COUNTED_CODE_NONE;
  if (!unpack(&found)) return COUNTED_CODE_PACKED;
  const Elf_Data *data = elf_getdata(found.section, NULL);
  if (!data || !data->d_buf) return COUNTED_CODE_NONE;
  return counted_code_read(data->d_buf, data->d_size, list);
}
