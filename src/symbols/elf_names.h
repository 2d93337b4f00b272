/* The named entries of an object file's tables, one by one. */
#ifndef ASCRIBE_SYMBOLS_ELF_NAMES_H
#define ASCRIBE_SYMBOLS_ELF_NAMES_H

#include <gelf.h>

/* `context` is the caller's, `name` the file's, `index` the symbol's in its table; the symbol is
 * gone after the call. */
typedef void elf_name_visitor(void *context, const GElf_Sym *symbol, size_t index,
                              const char *name);

/* Each symbol of a symbol table (SHT_DYNSYM, SHT_SYMTAB) that can be read. */
void elf_names_of_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          elf_name_visitor *visit, void *context);

/* Each symbol that an entry of a table of relocations (SHT_RELA) refers to. */
void elf_names_of_relocations(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                              elf_name_visitor *visit, void *context);

#endif
