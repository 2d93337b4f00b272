#include "symbols/object_hooks.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf_names.h"

/* Names of include/ascribe/hook.h and inert.h. */
static const char ways_section[] = "ascribe_ways";
static const char cell_symbol[] = "ascribe.row";
static const char slow_entry[] = "ascribe_enter";
static const char row_entry[] = "ascribe_row_enter";
static const char counts_entry[] = "ascribe_counts_loaded";
static const char called_hook[] = "__cyg_profile_func_enter";
/* What code compiled with -pg calls. */
static const char *const pg_hooks[] = {"mcount", "_mcount", "__fentry__"};
enum { PG_HOOKS = sizeof pg_hooks / sizeof *pg_hooks };

struct findings {
  bool inert_cell;   /* it carries the inert cell */
  bool runtime;      /* it has the runtime in it */
  bool from_outside; /* it takes its way into the runtime from the process */
  bool pg;           /* it takes mcount from there */
};

/* Traces of hooks that cost little to find. */
struct traces {
  bool ways, cell, pg;
  bool runtime; /* its code */
};

static void look_at_symbol(void *context, const GElf_Sym *symbol, size_t index, const char *name) {
  struct findings *found = context;
  (void)index;
  bool weak = GELF_ST_BIND(symbol->st_info) == STB_WEAK;
  if (symbol->st_shndx == SHN_UNDEF) return;
  if (strcmp(name, cell_symbol) == 0) found->inert_cell |= weak;
  if (strcmp(name, slow_entry) == 0) found->runtime |= !weak;
}

/* Dynamic relocations name only symbols that are looked up when the object is loaded. */
static void look_at_import(void *context, const GElf_Sym *symbol, size_t index, const char *name) {
  struct findings *found = context;
  (void)symbol, (void)index;
  found->from_outside |= strcmp(name, slow_entry) == 0 || strcmp(name, row_entry) == 0 ||
                         strcmp(name, called_hook) == 0 || strcmp(name, counts_entry) == 0;
  for (int i = 0; i < PG_HOOKS; i++)
    found->pg |= strcmp(name, pg_hooks[i]) == 0;
}

static void look_at_sections(struct findings *found, Elf *elf) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
      elf_names_of_symbols(elf, section, &header, look_at_symbol, found);
    else if (header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
      elf_names_of_relocations(elf, section, &header, look_at_import, found);
  }
}

static bool has_name(const Elf_Data *names, const char *name) {
  return memmem(names->d_buf, names->d_size, name, strlen(name) + 1);
}

static void look_at_names(struct traces *traces, const Elf_Data *names) {
  traces->cell |= has_name(names, cell_symbol);
  for (int i = 0; i < PG_HOOKS; i++)
    traces->pg |= has_name(names, pg_hooks[i]);
}

/* Most objects have no hooks: found out by one look at the names of their sections, and at the text
 * of their dynamic symbols, for --gc-sections may have removed the section.  */
static void find_traces(Elf *elf, struct traces *traces) {
  size_t names;
  if (elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC)) continue;
    const char *name = elf_strptr(elf, names, header.sh_name);
    if (name && strcmp(name, ways_section) == 0) traces->ways = true;
    if (name && strcmp(name, RUNTIME_SECTION) == 0) traces->runtime = true;
    Elf_Data *text = header.sh_type == SHT_STRTAB ? elf_getdata(section, NULL) : NULL;
    if (text) look_at_names(traces, text);
  }
}

/* Not position-independent, or named to the kernel a dynamic linker. */
static bool is_program(Elf *elf) {
  GElf_Ehdr header;
  size_t count;
  if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count) != 0) return false;
  if (header.e_type == ET_EXEC) return true;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP) return true;
  }
  return false;
}

static bool is_the_one(Elf *elf, const uint8_t *build_id, size_t build_id_bytes) {
  const void *found;
  return !build_id || (dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)build_id_bytes &&
                       memcmp(found, build_id, build_id_bytes) == 0);
}

static enum object_hooks judge(Elf *elf) {
  struct findings found = {0};
  struct traces traces = {0};
  find_traces(elf, &traces);
  if (!traces.ways && !traces.cell && !traces.pg) return OBJECT_HOOKS_NONE;
  look_at_sections(&found, elf);
  if (found.pg) return OBJECT_HOOKS_SHARED;
  if (!traces.ways && !found.inert_cell) return OBJECT_HOOKS_NONE; /* a runtime, and nothing else */
  if (found.runtime || found.from_outside) return OBJECT_HOOKS_SHARED;
  return is_program(elf) ? OBJECT_HOOKS_UNLINKED : OBJECT_HOOKS_OWN;
}

/* Null: not an ELF file that can be read. To be given back with close_elf. */
static Elf *open_elf(const char *path, int *descriptor) {
  *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (*descriptor < 0) return NULL;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(*descriptor, ELF_C_READ_MMAP, NULL);
  if (elf && elf_kind(elf) == ELF_K_ELF) return elf;
  elf_end(elf);
  close(*descriptor);
  return NULL;
}

static void close_elf(Elf *elf, int descriptor) {
  elf_end(elf);
  close(descriptor);
}

enum object_hooks object_hooks_read(const char *path, const uint8_t *build_id,
                                    size_t build_id_bytes) {
  int descriptor;
  Elf *elf = open_elf(path, &descriptor);
  if (!elf) return OBJECT_HOOKS_NONE;
  enum object_hooks hooks =
      is_the_one(elf, build_id, build_id_bytes) ? judge(elf) : OBJECT_HOOKS_NONE;
  close_elf(elf, descriptor);
  return hooks;
}

struct search {
  const char *function;
  bool found;
};

static void look_for_function(void *context, const GElf_Sym *symbol, size_t index,
                              const char *name) {
  struct search *search = context;
  (void)index;
  search->found |= symbol->st_shndx != SHN_UNDEF && strcmp(name, search->function) == 0;
}

bool object_hooks_hide(const char *path, const char *function) {
  struct search search = {function, false};
  int descriptor;
  Elf *elf = open_elf(path, &descriptor);
  for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data *names = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
    if (names && has_name(names, function))
      elf_names_of_symbols(elf, section, &header, look_for_function, &search);
  }
  if (elf) close_elf(elf, descriptor);
  return search.found;
}

bool object_hooks_have_runtime(const char *path) {
  struct traces traces = {0};
  int descriptor;
  Elf *elf = open_elf(path, &descriptor);
  if (!elf) return false;
  find_traces(elf, &traces);
  close_elf(elf, descriptor);
  return traces.runtime;
}
