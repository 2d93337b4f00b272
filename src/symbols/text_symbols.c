#include "symbols/text_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count_before.h"
#include "base/memory.h"

struct reading {
  const char *path;
  Elf *elf;
  const struct text_symbols_options *options;
  struct text_symbols *symbols;
  const char *file; /* that the local symbols now belong to; or null */
  struct error *error;
};

/* ---- which symbols ---- */

/* Labels of the assembler's and the compiler's own, and pieces that have no type. */
static bool is_private_label(const GElf_Sym *symbol, const char *name) {
  if (strchr(name, '$')) return true;
  return GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && strchr(name, '.');
}

static bool is_wanted(const struct reading *reading, const GElf_Sym *symbol, const char *name) {
  int type = GELF_ST_TYPE(symbol->st_info);
  bool local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
  if (type != STT_FUNC && (type != STT_NOTYPE || reading->options->functions_only)) return false;
  if (local && (reading->options->without_locals || is_private_label(symbol, name))) return false;
  return name[0] != '\0';
}

/* The end of the section that holds its code; 0: there is none (data, or the end of a section). */
static uint64_t code_end(const struct reading *reading, const GElf_Sym *symbol) {
  Elf_Scn *section = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE
                         ? elf_getscn(reading->elf, symbol->st_shndx)
                         : NULL;
  GElf_Shdr header;
  if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR)) return 0;
  uint64_t end = header.sh_addr + header.sh_size;
  return symbol->st_value >= header.sh_addr && symbol->st_value < end ? end : 0;
}

/* Local symbols stand behind the name of their file. */
static void note_file(struct reading *reading, const char *name) {
  reading->file = *name ? arena_text(&reading->symbols->arena, name, strlen(name)) : NULL;
}

static void add(struct reading *reading, const GElf_Sym *symbol, const char *name, uint64_t end) {
  bool local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
  struct text_symbols *symbols = reading->symbols;
  ARRAY_GROW(symbols->list, symbols->count);
  symbols->list[symbols->count] =
      (struct text_symbol){.address = symbol->st_value,
                           .section_end = end,
                           .linkage = arena_text(&symbols->arena, name, strlen(name)),
                           .place = (uint32_t)symbols->count,
                           .file = local ? reading->file : NULL,
                           .local = local,
                           .function = GELF_ST_TYPE(symbol->st_info) == STT_FUNC};
  symbols->count++;
}

/* ---- one per address ---- */

/* At one address the first is kept: what others can call before what they cannot, functions before
 * labels, names without leading underscores before those with, else as in the symbol table: the two
 * of a constructor are alike. */
static int by_choice(const void *left, const void *right) {
  const struct text_symbol *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  if (a->local != b->local) return a->local ? 1 : -1;
  bool a_reserved = a->linkage[0] == '_', b_reserved = b->linkage[0] == '_';
  if (a_reserved != b_reserved) return a_reserved ? 1 : -1;
  if (a->function != b->function) return a->function ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

static void keep_one_each(struct text_symbols *symbols) {
  size_t kept = 0;
  if (symbols->count) qsort(symbols->list, symbols->count, sizeof *symbols->list, by_choice);
  for (size_t i = 0; i < symbols->count; i++)
    if (!kept || symbols->list[kept - 1].address != symbols->list[i].address)
      symbols->list[kept++] = symbols->list[i];
  symbols->count = kept;
}

/* ---- the file ---- */

static void read_table(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
  for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, (int)i, &symbol)) break;
    const char *name = elf_strptr(reading->elf, header->sh_link, symbol.st_name);
    if (name && GELF_ST_TYPE(symbol.st_info) == STT_FILE) note_file(reading, name);
    if (!name || !is_wanted(reading, &symbol, name)) continue;
    uint64_t end = code_end(reading, &symbol);
    if (end) add(reading, &symbol, name, end);
  }
  keep_one_each(reading->symbols);
}

static int read_elf(struct reading *reading) {
  GElf_Ehdr head;
  if (elf_kind(reading->elf) != ELF_K_ELF || !gelf_getehdr(reading->elf, &head))
    return error_set(reading->error, "%s is not an ELF executable", reading->path);
  reading->symbols->pointer_bytes = head.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
  reading->symbols->big_endian = head.e_ident[EI_DATA] == ELFDATA2MSB;
  reading->symbols->machine = head.e_machine;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(reading->elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
    read_table(reading, section, &header);
    return 0;
  }
  return error_set(reading->error,
                   "%s has no symbol table: it was stripped; name the file as it was linked",
                   reading->path);
}

int text_symbols_read(const char *path, const struct text_symbols_options *options,
                      struct text_symbols *symbols, struct error *error) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  elf_version(EV_CURRENT);
  struct reading reading = {.path = path,
                            .elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL),
                            .options = options,
                            .symbols = symbols,
                            .error = error};
  int result =
      reading.elf ? read_elf(&reading) : error_set(error, "%s is not an ELF executable", path);
  if (reading.elf) elf_end(reading.elf);
  close(descriptor);
  return result;
}

void text_symbols_free(struct text_symbols *symbols) {
  free(symbols->list);
  arena_free(&symbols->arena);
  *symbols = (struct text_symbols){0};
}

size_t text_symbols_find(const struct text_symbols *symbols, uint64_t address) {
  size_t low = COUNT_BEFORE(symbols->count, i, symbols->list[i].address <= address);
  return low ? low - 1 : SIZE_MAX;
}

size_t text_symbol_whole(const struct text_symbol *symbol) {
  static const char mark[] = ".cold";
  const char *found = strstr(symbol->linkage, mark);
  if (!found) return 0;
  const char *rest = found + strlen(mark);
  return !*rest || (*rest == '.' && rest[strspn(rest, ".0123456789")] == '\0')
             ? (size_t)(found - symbol->linkage)
             : 0;
}
