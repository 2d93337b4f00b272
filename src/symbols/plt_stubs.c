#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/symbol_file.h"

/* A slot of the global offset table that the dynamic linker fills with a function. */
struct got_slot {
  uint64_t address;
  const char *name;
};

struct got {
  struct got_slot *slots;
  size_t count;
};

static void add_slots(struct got *got, Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
  Elf_Data *relocations = elf_getdata(section, NULL);
  Elf_Scn *symbol_section = elf_getscn(elf, header->sh_link);
  Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
  GElf_Shdr symbol_header;
  if (!relocations || !symbols || !gelf_getshdr(symbol_section, &symbol_header) ||
      header->sh_entsize == 0)
    return;
  size_t count = header->sh_size / header->sh_entsize;
  for (size_t i = 0; i < count; i++) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (!gelf_getrela(relocations, (int)i, &relocation)) break;
    uint64_t type = GELF_R_TYPE(relocation.r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
      continue;
    const char *name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
    if (!name || !*name) continue;
    ARRAY_GROW(got->slots, got->count);
    got->slots[got->count++] = (struct got_slot){relocation.r_offset, name};
  }
}

static int by_address(const void *left, const void *right) {
  const struct got_slot *a = left, *b = right;
  return a->address < b->address ? -1 : a->address > b->address;
}

static void read_got(struct got *got, Elf *elf) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
      add_slots(got, elf, section, &header);
  }
  if (got->count) qsort(got->slots, got->count, sizeof *got->slots, by_address);
}

/* The slot through which a stub jumps: `jmp *disp32(%rip)`, ff 25, wherever in the stub it is.
 * Returns 0 if there is none. */
static uint64_t jump_slot(const uint8_t *stub, size_t bytes, uint64_t address) {
  for (size_t i = 0; i + 6 <= bytes; i++)
    if (stub[i] == 0xff && stub[i + 1] == 0x25) {
      int32_t displacement;
      memcpy(&displacement, stub + i + 2, sizeof displacement);
      return address + i + 6 + (uint64_t)(int64_t)displacement;
    }
  return 0;
}

static void add_stub(struct symbol_file *file, const struct got *got, uint64_t slot,
                     uint64_t address, size_t bytes) {
  struct got_slot key = {.address = slot};
  const struct got_slot *found =
      got->count ? bsearch(&key, got->slots, got->count, sizeof key, by_address) : NULL;
  if (!found) return;
  size_t length = strlen(found->name);
  char *name = arena_take(&file->arena, length + sizeof "@plt");
  memcpy(name, found->name, length);
  memcpy(name + length, "@plt", sizeof "@plt");
  symbol_table_add(&file->table, address, bytes, name, 0);
}

static void add_stubs(struct symbol_file *file, const struct got *got, Elf_Scn *section,
                      const GElf_Shdr *header, uint64_t bias) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t entry = header->sh_entsize == 8 ? 8 : 16;
  if (!data || !data->d_buf) return;
  for (size_t at = 0; at + entry <= data->d_size; at += entry) {
    uint64_t address = header->sh_addr + at;
    uint64_t slot = jump_slot((const uint8_t *)data->d_buf + at, entry, address);
    if (slot) add_stub(file, got, slot, address + bias, entry);
  }
}

void plt_stubs_add(struct symbol_file *file, Elf *elf, uint64_t bias) {
  GElf_Ehdr object;
  size_t names;
  if (!gelf_getehdr(elf, &object) || object.e_machine != EM_X86_64 ||
      elf_getshdrstrndx(elf, &names) != 0)
    return;
  struct got got = {0};
  read_got(&got, elf);
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    /* .plt, .plt.got and, with -fcf-protection, .plt.sec */
    if (name && strncmp(name, ".plt", 4) == 0 && header.sh_type == SHT_PROGBITS)
      add_stubs(file, &got, section, &header, bias);
  }
  free(got.slots);
}
