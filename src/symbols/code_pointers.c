#include "symbols/code_pointers.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "base/memory.h"
#include "symbols/symbol_file.h"

struct search {
  Elf *elf;
  size_t names;
  struct code_pointers *pointers;
  bool in_place; /* data holds the addresses themselves, without a relocation for each */
};

static const char *name_of(const struct search *search, const GElf_Shdr *header) {
  const char *name = elf_strptr(search->elf, search->names, header->sh_name);
  return name ? name : "";
}

static void add(struct search *search, struct code_pointer pointer) {
  struct code_pointers *pointers = search->pointers;
  ARRAY_GROW(pointers->list, pointers->count);
  pointers->list[pointers->count++] = pointer;
}

/* What the pointers in a section are for; false: not for the program's own calls, as in what
 * compilers keep for their counters. */
static bool use_of(const char *section, enum pointer_use *use) {
  static const char *const lists[] = {".init_array", ".fini_array", ".preinit_array", ".ctors",
                                      ".dtors"};
  *use = begins(section, ".got") ? POINTER_SLOT : POINTER_DATA;
  if (BEGINS_WITH_ANY(section, lists)) *use = POINTER_LISTED;
  return !begins(section, "__llvm_prf") && strcmp(section, ".eh_frame") != 0 &&
         strcmp(section, ".eh_frame_hdr") != 0 && strcmp(section, ".dynamic") != 0;
}

static bool use_at(const struct search *search, uint64_t place, enum pointer_use *use) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(search->elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC && place >= header.sh_addr &&
        place - header.sh_addr < header.sh_size)
      return use_of(name_of(search, &header), use);
  }
  return false;
}

/* ---- relocations ---- */

struct symbol_names {
  Elf_Data *symbols;
  size_t strings;
};

static void take_named(struct search *search, const struct symbol_names *named,
                       const GElf_Rela *relocation, enum pointer_use use) {
  GElf_Sym symbol;
  if (!named->symbols || !gelf_getsym(named->symbols, (int)GELF_R_SYM(relocation->r_info), &symbol))
    return;
  unsigned type = GELF_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) return;
  const char *name = elf_strptr(search->elf, named->strings, symbol.st_name);
  bool here = symbol.st_shndx != SHN_UNDEF;
  add(search, (struct code_pointer){.use = use,
                                    .place = relocation->r_offset,
                                    .address = here ? symbol.st_value : 0,
                                    .outside = here || !name || !*name ? NULL : name});
}

static void take_relocation(struct search *search, const struct symbol_names *named,
                            const GElf_Rela *relocation) {
  enum pointer_use use;
  switch (GELF_R_TYPE(relocation->r_info)) {
  case R_X86_64_JUMP_SLOT:
  case R_X86_64_GLOB_DAT:
    take_named(search, named, relocation, POINTER_SLOT);
    break;
  case R_X86_64_64:
    if (use_at(search, relocation->r_offset, &use)) take_named(search, named, relocation, use);
    break;
  case R_X86_64_RELATIVE:
    if (use_at(search, relocation->r_offset, &use))
      add(search, (struct code_pointer){.use = use,
                                        .place = relocation->r_offset,
                                        .address = (uint64_t)relocation->r_addend});
    break;
  default:
    break;
  }
}

static void take_relocations(struct search *search, Elf_Scn *section, const GElf_Shdr *header) {
  Elf_Data *data = elf_getdata(section, NULL);
  Elf_Scn *symbols = header->sh_link ? elf_getscn(search->elf, header->sh_link) : NULL;
  GElf_Shdr symbol_header;
  struct symbol_names named = {0};
  if (symbols && gelf_getshdr(symbols, &symbol_header)) {
    named.symbols = elf_getdata(symbols, NULL);
    named.strings = symbol_header.sh_link;
  }
  size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
  for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
    GElf_Rela relocation;
    if (!gelf_getrela(data, (int)i, &relocation)) break;
    take_relocation(search, &named, &relocation);
  }
}

/* ---- data ---- */

static void take_words(struct search *search, Elf_Scn *section, const GElf_Shdr *header) {
  enum pointer_use use;
  if (!use_of(name_of(search, header), &use)) return;
  Elf_Data *data = elf_getdata(section, NULL);
  if (!data || !data->d_buf) return;
  for (size_t at = 0; at + sizeof(uint64_t) <= data->d_size; at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, (const char *)data->d_buf + at, sizeof word);
    if (word)
      add(search,
          (struct code_pointer){.use = use, .place = header->sh_addr + at, .address = word});
  }
}

/* ---- exported functions ---- */

static void take_exported(struct search *search, Elf_Scn *section, const GElf_Shdr *header) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
  for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, (int)i, &symbol)) break;
    if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    add(search, (struct code_pointer){.use = POINTER_LISTED, .address = symbol.st_value});
  }
}

/* ---- libraries ---- */

static bool is_of_c(const char *library) {
  static const char *const beginnings[] = {"libc.",        "libm.",       "libpthread.", "libdl.",
                                           "librt.",       "libgcc_s.",   "ld-linux",    "libmvec.",
                                           "libgfortran.", "libquadmath."};
  return BEGINS_WITH_ANY(library, beginnings);
}

static void take_libraries(struct search *search, Elf_Scn *section, const GElf_Shdr *header) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
  for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
    GElf_Dyn entry;
    if (!gelf_getdyn(data, (int)i, &entry)) break;
    if (entry.d_tag != DT_NEEDED) continue;
    const char *library = elf_strptr(search->elf, header->sh_link, entry.d_un.d_val);
    search->pointers->foreign |= !library || !is_of_c(library);
  }
}

/* ---- all ---- */

static void take_section(struct search *search, Elf_Scn *section, const GElf_Shdr *header) {
  if (!(header->sh_flags & SHF_ALLOC)) return;
  switch (header->sh_type) {
  case SHT_RELA:
    take_relocations(search, section, header);
    break;
  case SHT_DYNSYM:
    take_exported(search, section, header);
    break;
  case SHT_DYNAMIC:
    take_libraries(search, section, header);
    break;
  case SHT_PROGBITS:
  case SHT_INIT_ARRAY:
  case SHT_FINI_ARRAY:
  case SHT_PREINIT_ARRAY:
    if (search->in_place && !(header->sh_flags & SHF_EXECINSTR))
      take_words(search, section, header);
    break;
  default:
    break;
  }
}

/* Programs at a fixed address, and those with packed relocations (SHT_RELR). */
static bool holds_addresses(Elf *elf) {
  enum { PACKED_RELOCATIONS = 19 }; /* SHT_RELR, which older headers lack */
  GElf_Ehdr head;
  if (gelf_getehdr(elf, &head) && head.e_type == ET_EXEC) return true;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == PACKED_RELOCATIONS) return true;
  }
  return false;
}

void code_pointers_find(struct symbol_file *file, struct code_pointers *pointers) {
  struct search search = {.pointers = pointers};
  Dwfl_Module *module = NULL;
  GElf_Addr bias;
  if (file->dwfl && file->section_count)
    module = dwfl_addrmodule(file->dwfl, file->sections[0].start);
  search.elf = module ? dwfl_module_getelf(module, &bias) : NULL;
  if (!search.elf || elf_getshdrstrndx(search.elf, &search.names) != 0) return;
  search.in_place = holds_addresses(search.elf);
  for (Elf_Scn *section = NULL; (section = elf_nextscn(search.elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header)) take_section(&search, section, &header);
  }
}

void code_pointers_free(struct code_pointers *pointers) {
  free(pointers->list);
  *pointers = (struct code_pointers){0};
}
