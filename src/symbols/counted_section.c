#include "symbols/counted_code.h"
#include "symbols/plugin_sections.h"

/* By its name; as it is named where it was compressed in GNU's older way; and as versions before
 * ASC6 named it, which are refused, not overlooked. */
static const char *const names[] = {COUNTER_POINTS_SECTION, ".zdebug.ascribe", ".debug_ascribe",
                                    NULL};

int symbol_file_counted_code(struct symbol_file *file, struct counted_code_list *list) {
  const void *bytes;
  size_t count;
  int error = symbol_file_plugin_section(file, names, &bytes, &count);
  if (error == PLUGIN_SECTION_PACKED) return COUNTED_CODE_PACKED;
  return error ? COUNTED_CODE_NONE : counted_code_read(bytes, count, list);
}
