#include "symbols/symbol_versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { HIDDEN = 0x8000, INDEX = 0x7fff, FIRST_OWN = 2 };

static void name_version(struct symbol_versions *versions, size_t index, const char *name) {
  size_t old = versions->count;
  if (!name || index > INDEX) return;
  if (index >= old) {
    ARRAY_ROOM(versions->names, index + 1);
    memset(versions->names + old, 0, (index + 1 - old) * sizeof *versions->names);
    versions->count = index + 1;
  }
  versions->names[index] = name;
}

/* The offsets of the next entries are the file's: only those that lead on are followed. */
static void read_defined(struct symbol_versions *versions, Elf *elf, Elf_Data *data,
                         size_t strings) {
  GElf_Verdef defined;
  GElf_Verdaux name;
  size_t at = 0;
  while (gelf_getverdef(data, (int)at, &defined)) {
    if (!(defined.vd_flags & VER_FLG_BASE) &&
        gelf_getverdaux(data, (int)(at + defined.vd_aux), &name))
      name_version(versions, defined.vd_ndx, elf_strptr(elf, strings, name.vda_name));
    if (!defined.vd_next || defined.vd_next > data->d_size) return;
    at += defined.vd_next;
  }
}

/* `left`: entries that the section has room for. Lists of a damaged file may lie in one another. */
static void read_needed_of(struct symbol_versions *versions, Elf *elf, Elf_Data *data, size_t at,
                           size_t strings, size_t *left) {
  GElf_Vernaux name;
  while (*left && gelf_getvernaux(data, (int)at, &name)) {
    --*left;
    name_version(versions, name.vna_other & INDEX, elf_strptr(elf, strings, name.vna_name));
    if (!name.vna_next || name.vna_next > data->d_size) return;
    at += name.vna_next;
  }
}

static void read_needed(struct symbol_versions *versions, Elf *elf, Elf_Data *data,
                        size_t strings) {
  GElf_Verneed needed;
  size_t at = 0, left = data->d_size / sizeof(GElf_Vernaux);
  while (gelf_getverneed(data, (int)at, &needed)) {
    if (needed.vn_aux <= data->d_size)
      read_needed_of(versions, elf, data, at + needed.vn_aux, strings, &left);
    if (!needed.vn_next || needed.vn_next > data->d_size) return;
    at += needed.vn_next;
  }
}

void symbol_versions_open(Elf *elf, struct symbol_versions *versions) {
  *versions = (struct symbol_versions){0};
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    Elf_Data *data = gelf_getshdr(section, &header) ? elf_getdata(section, NULL) : NULL;
    if (!data) continue;
    if (header.sh_type == SHT_GNU_versym)
      versions->of_symbols = data;
    else if (header.sh_type == SHT_GNU_verdef)
      read_defined(versions, elf, data, header.sh_link);
    else if (header.sh_type == SHT_GNU_verneed)
      read_needed(versions, elf, data, header.sh_link);
  }
}

void symbol_versions_close(struct symbol_versions *versions) {
  free(versions->names);
}

struct symbol_version symbol_version(const struct symbol_versions *versions, size_t index) {
  GElf_Versym of_symbol;
  if (!versions->of_symbols || !gelf_getversym(versions->of_symbols, (int)index, &of_symbol))
    return (struct symbol_version){NULL, VERSION_FIRST};
  size_t version = of_symbol & INDEX;
  enum version_answers answers = version <= FIRST_OWN ? VERSION_FIRST
                                 : of_symbol & HIDDEN ? VERSION_HIDDEN
                                                      : VERSION_DEFAULT;
  const char *name = version < versions->count ? versions->names[version] : NULL;
  return (struct symbol_version){name, answers};
}
