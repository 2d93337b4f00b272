/* Sections that the compiler plugins write, in the object or in its separate debug file. */
#ifndef ASCRIBE_SYMBOLS_PLUGIN_SECTIONS_H
#define ASCRIBE_SYMBOLS_PLUGIN_SECTIONS_H

#include <stddef.h>

enum plugin_section_error {
  PLUGIN_SECTION_NONE = -1,  /* there is none */
  PLUGIN_SECTION_PACKED = -2 /* it is compressed in a way that libelf does not read */
};

/* The bytes of the first section with one of these names; a null ends them. Returns 0, and the
 * bytes belong to the file; or an error. */
struct symbol_file;
int symbol_file_plugin_section(struct symbol_file *file, const char *const *names,
                               const void **bytes, size_t *count);

#endif
