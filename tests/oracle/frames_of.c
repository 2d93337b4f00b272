/* The frames at addresses, for the comparison with other tools.
 * Usage: frames_of OBJECT < addresses in hexadecimal; per address a line with it, then innermost
 * first a line "name, linkage name, file, line" each, parted by tabs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/symbols.h"

enum { ROOM = 256 };

static void print_frames(struct symbol_file *file, uint64_t address) {
  static struct symbol_frame frames[ROOM];
  size_t count = symbol_file_frames(file, address, frames, ROOM);
  printf("0x%" PRIx64 "\n", address);
  while (count-- > 0) {
    const struct symbol_frame *frame = &frames[count];
    printf("%s\t%s\t%s\t%" PRIu32 "\n", frame->symbol.name, frame->symbol.linkage,
           frame->position.file ? frame->position.file : "?", frame->position.line);
  }
}

int main(int count, char **arguments) {
  struct symbols *symbols = symbols_create();
  char line[64];
  if (count != 2) return 2;
  struct symbol_file *file = symbols_file(symbols, arguments[1], NULL, 0);
  if (symbol_file_state(file) != SYMBOLS_FULL) fprintf(stderr, "%s\n", symbol_file_message(file));
  while (fgets(line, sizeof line, stdin))
    print_frames(file, strtoull(line, NULL, 16));
  symbols_free(symbols);
  return 0;
}
