/* Functions without a name: .eh_frame still tells where they begin and end. */
#ifndef ASCRIBE_SYMBOLS_FRAME_FUNCTIONS_H
#define ASCRIBE_SYMBOLS_FRAME_FUNCTIONS_H

#include "symbols/symbol_file.h"

/* Remember where the object's .eh_frame is. */
void frame_functions_open(struct symbol_file *file, Elf *elf);

/* The piece of code that holds the address and that no symbol names; its name is made of its
 * address. Returns 0 and fills *symbol, or -1. */
int frame_functions_find(struct symbol_file *file, uint64_t address, struct symbol *symbol);

#endif
