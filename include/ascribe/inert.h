/* Assembler text: what an instrumented object needs to link and run without the runtime
 * (ascribe/hook.h).  Used by the GCC plugin and by the hook header, in one COMDAT group, so that
 * a linked object has it once.
 *
 * Default visibility: an executable and its shared libraries share the executable's definitions,
 * which are the runtime's if that was linked.  Machine code is written as bytes, so that it does
 * not depend on the unit's assembler dialect; it begins with endbr64 because the calls are
 * indirect.  .ifndef: link-time optimisation may put several units into one.
 *
 * The inert row lies in .bss, as 36 KB of zeros would be in each object file else; so a constructor
 * before all others (priority 0) makes it lead back to itself, which functions that are called by
 * code without hooks put back when they return.
 */
#ifndef ASCRIBE_INERT_H
#define ASCRIBE_INERT_H

#define ASCRIBE_INERT_DEFINITIONS                                                                  \
  "\t.ifndef .Lascribe_inert_v4\n"                                                                 \
  "\t.set .Lascribe_inert_v4, 1\n"                                                                 \
  "\t.pushsection .bss.ascribe_inert_row,\"awG\",@nobits,ascribe_inert_v4,comdat\n"                \
  "\t.weak ascribe_inert_row\n"                                                                    \
  "\t.type ascribe_inert_row, @object\n"                                                           \
  "\t.size ascribe_inert_row, 32768\n"                                                             \
  "\t.balign 32\n"                                                                                 \
  "\t.zero 4096\n"                                                                                 \
  "ascribe_inert_row:\n"                                                                           \
  "\t.zero 32768\n"                                                                                \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .tdata.ascribe_row,\"awGT\",@progbits,ascribe_inert_v4,comdat\n"                 \
  "\t.weak ascribe.row\n"                                                                          \
  "\t.type ascribe.row, @object\n"                                                                 \
  "\t.size ascribe.row, 16\n"                                                                      \
  "\t.balign 16\n"                                                                                 \
  "ascribe.row:\n"                                                                                 \
  "\t.quad ascribe_inert_row\n"                                                                    \
  "\t.quad ascribe_inert_gate\n"                                                                   \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .rodata.ascribe_inert_gate,\"aG\",@progbits,ascribe_inert_v4,comdat\n"           \
  "\t.weak ascribe_inert_gate\n"                                                                   \
  "\t.type ascribe_inert_gate, @object\n"                                                          \
  "\t.size ascribe_inert_gate, 32\n"                                                               \
  "\t.balign 32\n"                                                                                 \
  "ascribe_inert_gate:\n"                                                                          \
  "\t.quad 0, 0, 1, 0\n"                                                                           \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .text.ascribe_inert,\"axG\",@progbits,ascribe_inert_v4,comdat\n"                 \
  "\t.weak ascribe_row_enter\n"                                                                    \
  "\t.type ascribe_row_enter, @function\n"                                                         \
  "ascribe_row_enter:\n"                                                                           \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc2, 8, 0\n"                                                   \
  "\t.size ascribe_row_enter, .-ascribe_row_enter\n"                                               \
  "\t.weak ascribe_row_call\n"                                                                     \
  "\t.type ascribe_row_call, @function\n"                                                          \
  "ascribe_row_call:\n"                                                                            \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc2, 8, 0\n"                                                   \
  "\t.size ascribe_row_call, .-ascribe_row_call\n"                                                 \
  "\t.weak ascribe_row_jump\n"                                                                     \
  "\t.type ascribe_row_jump, @function\n"                                                          \
  "ascribe_row_jump:\n"                                                                            \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc2, 16, 0\n"                                                  \
  "\t.size ascribe_row_jump, .-ascribe_row_jump\n"                                                 \
  "\t.weak ascribe_row_call_pointer\n"                                                             \
  "\t.type ascribe_row_call_pointer, @function\n"                                                  \
  "ascribe_row_call_pointer:\n"                                                                    \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc2, 16, 0\n"                                                  \
  "\t.size ascribe_row_call_pointer, .-ascribe_row_call_pointer\n"                                 \
  "\t.weak ascribe_row_jump_pointer\n"                                                             \
  "\t.type ascribe_row_jump_pointer, @function\n"                                                  \
  "ascribe_row_jump_pointer:\n"                                                                    \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc2, 24, 0\n"                                                  \
  "\t.size ascribe_row_jump_pointer, .-ascribe_row_jump_pointer\n"                                 \
  "\t.weak ascribe_enter\n"                                                                        \
  "\t.type ascribe_enter, @function\n"                                                             \
  "ascribe_enter:\n"                                                                               \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3\n"                                             \
  "\t.size ascribe_enter, .-ascribe_enter\n"                                                       \
  "\t.weak ascribe_object_loaded\n"                                                                \
  "\t.type ascribe_object_loaded, @function\n"                                                     \
  "ascribe_object_loaded:\n"                                                                       \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc3\n"                                                         \
  "\t.size ascribe_object_loaded, .-ascribe_object_loaded\n"                                       \
  "\t.weak ascribe_inert_begin\n"                                                                  \
  "\t.hidden ascribe_inert_begin\n"                                                                \
  "\t.type ascribe_inert_begin, @function\n"                                                       \
  "ascribe_inert_begin:\n"                                                                         \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64 */                                                 \
  "\t.byte 0x48, 0x8b, 0x05\n"       /* mov ...(%rip), %rax */                                     \
  "\t.long ascribe_inert_row@GOTPCREL - 4\n"                                                       \
  "\t.byte 0x48, 0x89, 0x40, 8\n" /* mov %rax, 8(%rax): its `outer` is the row itself */           \
  "\t.byte 0xc3\n"                                                                                 \
  "\t.size ascribe_inert_begin, .-ascribe_inert_begin\n"                                           \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .init_array.00000,\"awG\",@init_array,ascribe_inert_v4,comdat\n"                 \
  "\t.balign 8\n"                                                                                  \
  "\t.quad ascribe_inert_begin\n"                                                                  \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* Code for shared libraries: a constructor before the library's others (priority 0). */
#define ASCRIBE_INERT_LIBRARY                                                                      \
  "\t.ifndef .Lascribe_loaded_v1\n"                                                                \
  "\t.set .Lascribe_loaded_v1, 1\n"                                                                \
  "\t.pushsection .init_array.00000,\"awG\",@init_array,ascribe_loaded_v1,comdat\n"                \
  "\t.balign 8\n"                                                                                  \
  "\t.quad ascribe_object_loaded\n"                                                                \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* How this object was instrumented: `way` is a bit of enum way, as digits. */
#define ASCRIBE_INERT_WAY(way)                                                                     \
  "\t.ifndef .Lascribe_way_" way "_v1\n"                                                           \
  "\t.set .Lascribe_way_" way "_v1, 1\n"                                                           \
  "\t.pushsection ascribe_ways,\"aG\",@progbits,ascribe_way_" way "_v1,comdat\n"                   \
  "\t.balign 4\n"                                                                                  \
  "\t.long " way "\n"                                                                              \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* What code with counters needs in an executable: the thread's word, and the ways of calls through
 * pointers. */
#define ASCRIBE_INERT_COUNTS                                                                       \
  "\t.ifndef .Lascribe_inert_counts_v4\n"                                                          \
  "\t.set .Lascribe_inert_counts_v4, 1\n"                                                          \
  "\t.pushsection .tbss.ascribe_counts,\"awGT\",@nobits,ascribe_inert_counts_v4,comdat\n"          \
  "\t.weak ascribe.counts\n"                                                                       \
  "\t.type ascribe.counts, @object\n"                                                              \
  "\t.size ascribe.counts, 8\n"                                                                    \
  "\t.balign 8\n"                                                                                  \
  "ascribe.counts:\n"                                                                              \
  "\t.zero 8\n"                                                                                    \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .text.ascribe_inert_counts,\"axG\",@progbits,ascribe_inert_counts_v4,comdat\n"   \
  "\t.weak ascribe_count_callee\n"                                                                 \
  "\t.type ascribe_count_callee, @function\n"                                                      \
  "ascribe_count_callee:\n"                                                                        \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc3\n"                                                         \
  "\t.size ascribe_count_callee, .-ascribe_count_callee\n"                                         \
  "\t.weak ascribe_count_call\n"                                                                   \
  "\t.type ascribe_count_call, @function\n"                                                        \
  "ascribe_count_call:\n"                                                                          \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc3\n"                                                         \
  "\t.size ascribe_count_call, .-ascribe_count_call\n"                                             \
  "\t.weak ascribe_count_call_below\n"                                                             \
  "\t.type ascribe_count_call_below, @function\n"                                                  \
  "ascribe_count_call_below:\n"                                                                    \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc3\n"                                                         \
  "\t.size ascribe_count_call_below, .-ascribe_count_call_below\n"                                 \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* And in shared libraries: struct ascribe_counting, a constructor before all others of the object
 * (priority 0) that tells the runtime of it, if there is one, and a destructor after all others. */
#define ASCRIBE_INERT_LIBRARY_COUNTS                                                               \
  "\t.ifndef .Lascribe_counting_v2\n"                                                              \
  "\t.set .Lascribe_counting_v2, 1\n"                                                              \
  "\t.weak ascribe_counts_loaded\n"                                                                \
  "\t.hidden __start_ascribe_units, __stop_ascribe_units\n"                                        \
  "\t.hidden __start_ascribe_counts, __stop_ascribe_counts\n"                                      \
  "\t.pushsection .bss.ascribe_counting,\"awG\",@nobits,ascribe_counting_v2,comdat\n"              \
  "\t.weak ascribe_counting\n"                                                                     \
  "\t.hidden ascribe_counting\n"                                                                   \
  "\t.type ascribe_counting, @object\n"                                                            \
  "\t.size ascribe_counting, 32\n"                                                                 \
  "\t.balign 32\n"                                                                                 \
  "ascribe_counting:\n"                                                                            \
  "\t.zero 32\n"                                                                                   \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .text.ascribe_counting,\"axG\",@progbits,ascribe_counting_v2,comdat\n"           \
  "\t.weak ascribe_counts_begin\n"                                                                 \
  "\t.hidden ascribe_counts_begin\n"                                                               \
  "\t.type ascribe_counts_begin, @function\n"                                                      \
  "ascribe_counts_begin:\n"                                                                        \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64 */                                                 \
  "\t.byte 0x48, 0x8b, 0x05\n"       /* mov ...(%rip), %rax */                                     \
  "\t.long ascribe_counts_loaded@GOTPCREL - 4\n"                                                   \
  "\t.byte 0x48, 0x85, 0xc0\n" /* test %rax, %rax */                                               \
  "\t.byte 0x74, 0x2c\n"       /* je, to the ret */                                                \
  "\t.byte 0x48, 0x8d, 0x3d\n" /* lea ...(%rip), %rdi; rsi, rdx, rcx, r8, r9 */                    \
  "\t.long __start_ascribe_units - . - 4\n"                                                        \
  "\t.byte 0x48, 0x8d, 0x35\n"                                                                     \
  "\t.long __stop_ascribe_units - . - 4\n"                                                         \
  "\t.byte 0x48, 0x8d, 0x15\n"                                                                     \
  "\t.long __start_ascribe_counts - . - 4\n"                                                       \
  "\t.byte 0x48, 0x8d, 0x0d\n"                                                                     \
  "\t.long __stop_ascribe_counts - . - 4\n"                                                        \
  "\t.byte 0x4c, 0x8d, 0x05\n"                                                                     \
  "\t.long ascribe_counts_begin - . - 4\n"                                                         \
  "\t.byte 0x4c, 0x8d, 0x0d\n"                                                                     \
  "\t.long ascribe_counting - . - 4\n"                                                             \
  "\t.byte 0xff, 0xe0\n" /* jmp *%rax */                                                           \
  "\t.byte 0xc3\n"                                                                                 \
  "\t.size ascribe_counts_begin, .-ascribe_counts_begin\n"                                         \
  "\t.weak ascribe_counts_end\n"                                                                   \
  "\t.hidden ascribe_counts_end\n"                                                                 \
  "\t.type ascribe_counts_end, @function\n"                                                        \
  "ascribe_counts_end:\n"                                                                          \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa\n"                                                               \
  "\t.byte 0x48, 0x8b, 0x05\n"                                                                     \
  "\t.long ascribe_counting + 24 - . - 4\n"                                                        \
  "\t.byte 0x48, 0x85, 0xc0\n"                                                                     \
  "\t.byte 0x74, 0x09\n"                                                                           \
  "\t.byte 0x48, 0x8d, 0x3d\n"                                                                     \
  "\t.long __start_ascribe_units - . - 4\n"                                                        \
  "\t.byte 0xff, 0xe0\n"                                                                           \
  "\t.byte 0xc3\n"                                                                                 \
  "\t.size ascribe_counts_end, .-ascribe_counts_end\n"                                             \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .fini_array.00000,\"awG\",@fini_array,ascribe_counting_v2,comdat\n"              \
  "\t.balign 8\n"                                                                                  \
  "\t.quad ascribe_counts_end\n"                                                                   \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .init_array.00000,\"awG\",@init_array,ascribe_counting_v2,comdat\n"              \
  "\t.balign 8\n"                                                                                  \
  "\t.quad ascribe_counts_begin\n"                                                                 \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* Units with functions that are cost centres (--centres), as ascribe_scopes_begin of
 * ascribe/ascribe.h: tells the runtime, if there is one, of the object's scopes. */
#define ASCRIBE_INERT_SCOPES                                                                       \
  "\t.ifndef .Lascribe_scopes_v1\n"                                                                \
  "\t.set .Lascribe_scopes_v1, 1\n"                                                                \
  "\t.weak ascribe_scopes_loaded\n"                                                                \
  "\t.hidden ascribe_scopes\n"                                                                     \
  "\t.pushsection .text.ascribe_scopes,\"axG\",@progbits,ascribe_scopes_v1,comdat\n"               \
  "\t.weak ascribe_centres_begin\n"                                                                \
  "\t.hidden ascribe_centres_begin\n"                                                              \
  "\t.type ascribe_centres_begin, @function\n"                                                     \
  "ascribe_centres_begin:\n"                                                                       \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64 */                                                 \
  "\t.byte 0x48, 0x8b, 0x05\n"       /* mov ...(%rip), %rax */                                     \
  "\t.long ascribe_scopes_loaded@GOTPCREL - 4\n"                                                   \
  "\t.byte 0x48, 0x85, 0xc0\n" /* test %rax, %rax */                                               \
  "\t.byte 0x74, 0x09\n"       /* je, to the ret */                                                \
  "\t.byte 0x48, 0x8d, 0x3d\n" /* lea ...(%rip), %rdi */                                           \
  "\t.long ascribe_scopes - . - 4\n"                                                               \
  "\t.byte 0xff, 0xe0\n" /* jmp *%rax */                                                           \
  "\t.byte 0xc3\n"                                                                                 \
  "\t.size ascribe_centres_begin, .-ascribe_centres_begin\n"                                       \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .init_array.00101,\"awG\",@init_array,ascribe_scopes_v1,comdat\n"                \
  "\t.balign 8\n"                                                                                  \
  "\t.quad ascribe_centres_begin\n"                                                                \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* What code with clock reads (--clock=tsc) needs besides. */
#define ASCRIBE_INERT_CLOCK                                                                        \
  "\t.ifndef .Lascribe_inert_clock_v1\n"                                                           \
  "\t.set .Lascribe_inert_clock_v1, 1\n"                                                           \
  "\t.pushsection .text.ascribe_inert_clock,\"axG\",@progbits,ascribe_inert_clock_v1,comdat\n"     \
  "\t.weak ascribe_read_clock\n"                                                                   \
  "\t.type ascribe_read_clock, @function\n"                                                        \
  "ascribe_read_clock:\n"                                                                          \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc3\n"                                                         \
  "\t.size ascribe_read_clock, .-ascribe_read_clock\n"                                             \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

/* The hook header's own symbols. */
#define ASCRIBE_INERT_FRAMES                                                                       \
  "\t.ifndef .Lascribe_inert_frames_v1\n"                                                          \
  "\t.set .Lascribe_inert_frames_v1, 1\n"                                                          \
  "\t.pushsection .tbss.ascribe_frames,\"awGT\",@nobits,ascribe_inert_frames_v1,comdat\n"          \
  "\t.weak ascribe.frames\n"                                                                       \
  "\t.type ascribe.frames, @object\n"                                                              \
  "\t.size ascribe.frames, 8\n"                                                                    \
  "\t.balign 8\n"                                                                                  \
  "ascribe.frames:\n"                                                                              \
  "\t.zero 8\n"                                                                                    \
  "\t.popsection\n"                                                                                \
  "\t.pushsection .text.ascribe_inert_frames,\"axG\",@progbits,ascribe_inert_frames_v1,comdat\n"   \
  "\t.weak ascribe_frames_grow\n"                                                                  \
  "\t.type ascribe_frames_grow, @function\n"                                                       \
  "ascribe_frames_grow:\n"                                                                         \
  "\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0xc3\n"                                                         \
  "\t.size ascribe_frames_grow, .-ascribe_frames_grow\n"                                           \
  "\t.popsection\n"                                                                                \
  "\t.endif\n"

#endif
