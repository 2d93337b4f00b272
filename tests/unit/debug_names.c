/* Names made of the debug information are those of the symbol table, where both know a function.
 * Usage: debug_names SUBJECT, a program made of frames_subject.cc. */
#include "symbols/debug_names.h"

#include <stdlib.h>

#include "check.h"
#include "symbols/symbol_file.h"

/* Whether the debug information has no linkage name of the function: it was made here. */
static int compare(struct symbol_file *file, const struct table_symbol *entry) {
  Dwarf_Die function;
  struct symbol symbol;
  if (debug_info_function(&file->debug, entry->address, &function) != 0 ||
      debug_linkage_name(&function) || symbol_file_function(file, entry->address, &symbol) != 0)
    return 0;
  char *name = debug_function_name(&function);
  CHECK_TEXT(name, symbol.name);
  free(name);
  return 1;
}

int main(int count, char **arguments) {
  struct symbols *symbols = symbols_create();
  size_t compared = 0;
  if (count != 2) return 2;
  struct symbol_file *file = symbols_file(symbols, arguments[1], NULL, 0);
  for (size_t i = 0; i < file->table.count; i++)
    if (!strstr(file->table.symbols[i].linkage, "with_a_lambda")) /* compilers number lambdas */
      compared += compare(file, &file->table.symbols[i]);
  CHECK(BY_CLANG || compared > 11); /* clang gives all functions linkage names */
  symbols_free(symbols);
  return check_result();
}
