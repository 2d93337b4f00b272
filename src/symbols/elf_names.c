#include "symbols/elf_names.h"

#include <stddef.h>

static size_t count_of(const Elf_Data *data, const GElf_Shdr *header) {
  return data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
}

void elf_names_of_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          elf_name_visitor *visit, void *context) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = count_of(data, header);
  for (size_t i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, (int)i, &symbol)) continue;
    const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
    if (name) visit(context, &symbol, i, name);
  }
}

void elf_names_of_relocations(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                              elf_name_visitor *visit, void *context) {
  Elf_Data *data = elf_getdata(section, NULL);
  Elf_Scn *table = elf_getscn(elf, header->sh_link);
  Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
  GElf_Shdr table_header;
  if (!symbols || !gelf_getshdr(table, &table_header)) return;
  size_t count = count_of(data, header);
  for (size_t i = 0; i < count; i++) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (!gelf_getrela(data, (int)i, &relocation)) continue;
    size_t index = GELF_R_SYM(relocation.r_info);
    if (!index || !gelf_getsym(symbols, (int)index, &symbol)) continue;
    const char *name = elf_strptr(elf, table_header.sh_link, symbol.st_name);
    if (name) visit(context, &symbol, index, name);
  }
}
