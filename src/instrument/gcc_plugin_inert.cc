// The end of a unit: what it needs to link and run without the runtime.
//
// The weak definitions of include/ascribe/hook.h, once per linked object (COMDAT).  They have
// default visibility: an executable and its shared libraries share the executable's, which are
// the runtime's if that was linked.  Machine code is written as bytes, so that it does not depend
// on the unit's assembler dialect; it begins with endbr64 because the calls are indirect.
#include "gcc_plugin.h"

#include "output.h"

#include "recording/layout.h"

namespace ascribe {
namespace {

const char inert_definitions[] = R"(
	.pushsection .tdata.ascribe_cell,"awGT",@progbits,ascribe_inert_v1,comdat
	.weak	ascribe_cell
	.type	ascribe_cell, @object
	.size	ascribe_cell, 16
	.balign	16
ascribe_cell:
	.zero	8
	.quad	ascribe_inert_gate
	.popsection
	.pushsection .rodata.ascribe_inert_gate,"aG",@progbits,ascribe_inert_v1,comdat
	.weak	ascribe_inert_gate
	.type	ascribe_inert_gate, @object
	.size	ascribe_inert_gate, 32
	.balign	32
ascribe_inert_gate:
	.quad	0, 0, 1, 0
	.popsection
	.pushsection .text.ascribe_inert,"axG",@progbits,ascribe_inert_v1,comdat
	.weak	ascribe_enter_slow
	.type	ascribe_enter_slow, @function
ascribe_enter_slow:
	.byte	0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3
	.size	ascribe_enter_slow, .-ascribe_enter_slow
	.weak	ascribe_object_loaded
	.type	ascribe_object_loaded, @function
ascribe_object_loaded:
	.byte	0xf3, 0x0f, 0x1e, 0xfa, 0xc3
	.size	ascribe_object_loaded, .-ascribe_object_loaded
	.popsection
)";

// Priority 0: before the library's other constructors.
const char announce_library[] = R"(
	.pushsection .init_array.00000,"awG",@init_array,ascribe_loaded_v1,comdat
	.balign	8
	.quad	ascribe_object_loaded
	.popsection
)";

const char announce_way[] = R"(
	.pushsection ascribe_ways,"aG",@progbits,ascribe_way_%u_v1,comdat
	.balign	4
	.long	%u
	.popsection
)";

} // namespace

void emit_inert_definitions() {
  fputs(inert_definitions, asm_out_file);
  if (for_shared_library()) fputs(announce_library, asm_out_file);
  fprintf(asm_out_file, announce_way, WAY_CONTEXTS_PLUGIN, WAY_CONTEXTS_PLUGIN);
}

} // namespace ascribe
