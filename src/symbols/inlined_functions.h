/* The functions of an object that were inlined somewhere, as the debug information tells. */
#ifndef ASCRIBE_SYMBOLS_INLINED_FUNCTIONS_H
#define ASCRIBE_SYMBOLS_INLINED_FUNCTIONS_H

#include "symbols/symbols.h"

/* Each of them; a function of several units may come several times. Its address is 0, and it has no
 * name to show; strings belong to the file. */
void symbol_file_inlined_functions(struct symbol_file *file,
                                   void (*take)(void *context, const struct symbol *function),
                                   void *context);

#endif
