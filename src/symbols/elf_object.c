#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbols/frame_functions.h"
#include "symbols/haskell_name.h"
#include "symbols/object_hooks.h"
#include "symbols/symbol_file.h"

static void set_state(struct symbol_file *file, enum symbol_file_state state, const char *format,
                      const char *detail) {
  file->state = state;
  error_set(&file->message, format, file->path, detail);
}

/* ---- opening ---- */

/* The vDSO is no file, but this process has one too. Returns a descriptor of a copy, or -1. */
static int open_vdso(void) {
  const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
  if (!header) return -1;
  size_t bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  int descriptor = memfd_create("vdso", MFD_CLOEXEC);
  if (descriptor >= 0 && write(descriptor, header, bytes) != (ssize_t)bytes) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

/* "[vdso]", "[vsyscall]": named so by the kernel, which made them. */
static int is_kernels(const struct symbol_file *file) {
  return file->path[0] == '[';
}

static void say_kernels(struct symbol_file *file) {
  set_state(file, SYMBOLS_MISSING,
            "%s is provided by the kernel%s: its functions are shown as addresses",
            ", and this kernel has another or none");
}

static int open_kernels(struct symbol_file *file) {
  int descriptor = strcmp(file->path, "[vdso]") == 0 ? open_vdso() : -1;
  if (descriptor < 0) say_kernels(file);
  return descriptor;
}

static int open_object(struct symbol_file *file) {
  int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (descriptor < 0) {
    set_state(file, SYMBOLS_MISSING,
              "%s cannot be opened (%s): its functions are shown as addresses; put the file back",
              strerror(errno));
    return -1;
  }
  if (fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode)) {
    set_state(file, SYMBOLS_MISSING,
              "%s is not a regular file%s: its functions are shown as addresses", "");
    close(descriptor);
    return -1;
  }
  return descriptor;
}

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

/* One module at its link-time addresses; takes the descriptor. */
static Dwfl_Module *report_object(struct symbol_file *file, int descriptor) {
  file->dwfl = dwfl_begin(&callbacks);
  Dwfl_Module *module = NULL;
  if (file->dwfl) {
    dwfl_report_begin(file->dwfl);
    module = dwfl_report_elf(file->dwfl, file->path, file->path, descriptor, 0, true);
    if (module && dwfl_report_end(file->dwfl, NULL, NULL) != 0) return NULL;
  }
  if (!module) close(descriptor);
  return module;
}

static int is_changed(const struct symbol_file *file, Elf *elf) {
  if (file->build_id_bytes == 0) return 0;
  const void *found;
  ssize_t bytes = dwelf_elf_gnu_build_id(elf, &found);
  return bytes != (ssize_t)file->build_id_bytes ||
         memcmp(found, file->build_id, file->build_id_bytes) != 0;
}

/* ---- contents ---- */

static void add_segment(struct symbol_file *file, const GElf_Phdr *header) {
  ARRAY_GROW(file->segments, file->segment_count);
  file->segments[file->segment_count++] = (struct file_segment){
      .offset = header->p_offset, .bytes = header->p_filesz, .address = header->p_vaddr};
}

static void add_section(struct symbol_file *file, uint64_t start, uint64_t bytes) {
  if (bytes == 0 || bytes > UINT64_MAX - start) return;
  ARRAY_GROW(file->sections, file->section_count);
  file->sections[file->section_count++] =
      (struct code_section){.start = start, .end = start + bytes};
}

static int section_by_start(const void *left, const void *right) {
  const struct code_section *a = left, *b = right;
  return a->start < b->start ? -1 : a->start > b->start;
}

/* Loaded segments, code first: where two share a page of the file, code is meant. */
static void read_segments(struct symbol_file *file, Elf *elf) {
  size_t count;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (int code = 1; code >= 0; code--)
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
          !(header.p_flags & PF_X) == !code)
        add_segment(file, &header);
    }
}

static void read_sections(struct symbol_file *file, Elf *elf) {
  size_t names;
  bool named = elf_getshdrstrndx(elf, &names) == 0;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
        !(header.sh_flags & SHF_EXECINSTR))
      continue;
    add_section(file, header.sh_addr, header.sh_size);
    const char *name = named ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (name && strcmp(name, RUNTIME_SECTION) == 0)
      file->runtime = (struct code_section){header.sh_addr, header.sh_addr + header.sh_size};
  }
  /* Without section headers: the segments of code. */
  size_t count;
  if (file->section_count == 0 && elf_getphdrnum(elf, &count) == 0)
    for (size_t i = 0; i < count; i++) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD && header.p_flags & PF_X)
        add_section(file, header.p_vaddr, header.p_memsz);
    }
  if (file->section_count)
    qsort(file->sections, file->section_count, sizeof *file->sections, section_by_start);
}

static int is_code(const struct symbol_file *file, uint64_t address) {
  for (size_t i = 0; i < file->section_count; i++)
    if (address >= file->sections[i].start && address < file->sections[i].end) return 1;
  return 0;
}

/* Function before anything else, then global before weak before local; -1: no name of code. */
static int preference_of(const GElf_Sym *symbol, const char *name) {
  int kind;
  switch (GELF_ST_TYPE(symbol->st_info)) {
  case STT_FUNC:
    kind = 2;
    break;
  case STT_GNU_IFUNC:
    kind = 1;
    break;
  case STT_NOTYPE: /* a label in assembly; those that begin so are the assembler's own */
    if (name[0] == '.' || name[0] == '$') return -1;
    kind = 0;
    break;
  case STT_OBJECT: /* GHC takes an info table before its code for data */
    if (!haskell_runs(name)) return -1;
    kind = 2;
    break;
  default:
    return -1;
  }
  int binding = GELF_ST_BIND(symbol->st_info);
  return kind * 4 + (binding == STB_LOCAL ? 0 : binding == STB_WEAK ? 1 : 2);
}

static int has_symtab(Elf *elf) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) return 1;
  }
  return 0;
}

/* Enter the functions of the module. Returns 1 if they all come from a table of dynamic symbols. */
static int read_symbols(struct symbol_file *file, Dwfl_Module *module) {
  int count = dwfl_module_getsymtab(module);
  const Elf *known = NULL;
  int known_has_symtab = 0, exported_only = 1;
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    Elf *elf = NULL;
    const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, &elf, NULL);
    if (!name || !*name || symbol.st_shndx == SHN_UNDEF || !is_code(file, address)) continue;
    int preference = preference_of(&symbol, name);
    if (preference < 0) continue;
    if (elf != known) {
      known = elf;
      known_has_symtab = elf && has_symtab(elf);
    }
    if (known_has_symtab) exported_only = 0;
    symbol_table_add(&file->table, address, symbol.st_size, name, (uint32_t)preference);
  }
  return exported_only;
}

static void judge(struct symbol_file *file, int exported_only) {
  const char *servers = getenv("DEBUGINFOD_URLS");
  const char *ask = servers && *servers ? "" : ", set DEBUGINFOD_URLS";
  if (file->debug.unit_count > 0)
    file->state = SYMBOLS_FULL;
  else if (file->table.count == 0)
    set_state(file, SYMBOLS_NONE,
              "%s has no symbols: its functions are shown as addresses; install its debug "
              "package%s, or build it without stripping",
              ask);
  else if (is_kernels(file))
    file->state = SYMBOLS_EXPORTED; /* all it has, and nobody can change that */
  else if (exported_only)
    set_state(file, SYMBOLS_EXPORTED,
              "%s is stripped: only its exported functions have names, and no lines are known; "
              "install its debug package%s, or build it with -g",
              ask);
  else
    set_state(file, SYMBOLS_NAMES,
              "%s has no debug information: no lines are known; install its debug package%s, or "
              "build it with -g",
              ask);
}

static void read_contents(struct symbol_file *file, Dwfl_Module *module, Elf *elf, uint64_t bias) {
  read_segments(file, elf);
  read_sections(file, elf);
  int exported_only = read_symbols(file, module);
  Dwarf_Addr dwarf_bias;
  Dwarf *dwarf = dwfl_module_getdwarf(module, &dwarf_bias);
  if (dwarf) debug_info_open(&file->debug, dwarf, dwarf_bias, file->path);
  judge(file, exported_only);
  frame_functions_open(file, elf);
  plt_stubs_add(file, elf, bias);
  symbol_table_finish(&file->table, file->sections, file->section_count);
}

void elf_object_load(struct symbol_file *file) {
  int descriptor = is_kernels(file) ? open_kernels(file) : open_object(file);
  if (descriptor < 0) return;
  Dwfl_Module *module = report_object(file, descriptor);
  GElf_Addr bias;
  Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
  if (!elf)
    set_state(file, SYMBOLS_NONE,
              "%s is not an ELF object (%s): its functions are shown as addresses",
              dwfl_errmsg(-1));
  else if (is_changed(file, elf) && is_kernels(file))
    say_kernels(file);
  else if (is_changed(file, elf))
    set_state(file, SYMBOLS_CHANGED,
              "%s has changed since the recording%s: its functions are shown as addresses; record "
              "again, or put the old file back",
              " (its build-id is another)");
  else
    read_contents(file, module, elf, bias);
}
