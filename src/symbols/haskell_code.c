/* Objects with code that GHC compiled, and what of it no symbol names: its local functions. */
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/begins.h"
#include "base/count_before.h"
#include "base/memory.h"
#include "symbols/haskell_name.h"
#include "symbols/symbol_file.h"

/* Code of the main module, GHC's runtime, or a library of Haskell's. */
static bool find_haskell(struct symbol_file *file) {
  static const char *const symbols[] = {"ZCMain_main_info", "stg_upd_frame_info"};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (symbol_table_named(&file->table, symbols[i])) return true;
  return begins(base_name(file->path), "libHS");
}

bool symbol_file_is_haskell(struct symbol_file *file) {
  if (file->is_jit || !file->path) return false;
  if (file->haskell == HASKELL_UNKNOWN)
    file->haskell = find_haskell(file) ? HASKELL_HERE : HASKELL_NOT;
  return file->haskell == HASKELL_HERE;
}

/* The linkage name of which the module's local code gets its own: that of the symbol before and the
 * one behind if both are of one module. A module begins behind code of C, or ends before it. Null:
 * the code may be of either module, or of none. */
static const char *module_around(const char *before, const char *behind) {
  size_t length = haskell_module_length(before), other = haskell_module_length(behind);
  if (length && other)
    return length == other && memcmp(before, behind, length) == 0 ? before : NULL;
  return length ? before : other ? behind : NULL;
}

int haskell_local_find(struct symbol_file *file, uint64_t address, struct symbol *symbol) {
  const struct symbol_table *table = &file->table;
  if (!symbol_file_is_haskell(file)) return -1;
  size_t next = COUNT_BEFORE(table->range_count, i, table->ranges[i].end <= address);
  if (!next || next == table->range_count) return -1;
  const struct symbol_range *before = &table->ranges[next - 1], *behind = &table->ranges[next];
  const char *around =
      module_around(table->symbols[before->symbol].linkage, table->symbols[behind->symbol].linkage);
  if (!around) return -1;
  /* "<local>", encoded. */
  char *linkage = memory_printed("%.*s_zllocalzg_info", (int)haskell_module_length(around), around);
  const char *kept = arena_text(&file->arena, linkage, strlen(linkage));
  free(linkage);
  *symbol = (struct symbol){.address = before->end,
                            .size = behind->start - before->end,
                            .name = symbol_file_shown_name(file, kept),
                            .linkage = kept};
  return 0;
}
