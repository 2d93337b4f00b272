#include "symbols/frame_functions.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base_name.h"
#include "unwind/entry.h"

void frame_functions_open(struct symbol_file *file, Elf *elf) {
  size_t bytes;
  const char *image = elf_rawfile(elf, &bytes);
  file->has_frames = image && unwind_tables_open(&file->frames, image, bytes) == 0;
}

int frame_functions_find(struct symbol_file *file, uint64_t address, struct symbol *symbol) {
  struct unwind_entry entry;
  char text[64 + NAME_MAX];
  if (!file->has_frames || unwind_entry_find(&file->frames, address, &entry) != 0) return -1;
  *symbol = (struct symbol){.address = entry.begin, .size = entry.end - entry.begin};
  snprintf(text, sizeof text, "0x%" PRIx64, entry.begin);
  symbol->linkage = arena_text(&file->arena, text, strlen(text));
  snprintf(text, sizeof text, "0x%" PRIx64 " in %s", entry.begin, base_name(file->path));
  symbol->name = arena_text(&file->arena, text, strlen(text));
  return 0;
}
