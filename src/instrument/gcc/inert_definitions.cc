// The end of a unit: what it needs to link and run without the runtime (ascribe/inert.h).
#include "instrument/gcc/plugin_common.h"

#include "output.h"

#include "ascribe/inert.h"
#include "recording/layout.h"

namespace ascribe {

static_assert(HOOKS_CONTEXTS_PLUGIN == 1 && HOOKS_COUNTS == 16, "they are written as text");

void emit_inert_definitions() {
  if (asked.counts && for_shared_library()) {
    fputs(ASCRIBE_INERT_LIBRARY_COUNTS ASCRIBE_INERT_WAY("16"), asm_out_file);
    return;
  }
  fputs(ASCRIBE_INERT_DEFINITIONS, asm_out_file);
  if (asked.counts) {
    fputs(ASCRIBE_INERT_COUNTS ASCRIBE_INERT_WAY("16"), asm_out_file);
    return;
  }
  if (for_shared_library()) fputs(ASCRIBE_INERT_LIBRARY, asm_out_file);
  fputs(ASCRIBE_INERT_WAY("1"), asm_out_file);
  if (asked.clock) fputs(ASCRIBE_INERT_CLOCK ASCRIBE_INERT_WAY("8"), asm_out_file);
}

} // namespace ascribe
