#include "runtime/arch/x86_64/keep_registers.inc"

/* The thread's stack of frames, and the way from inlined hooks to what makes it: every register
 * but the flags is kept; the C side uses general registers only. */
        .section .tbss, "awT", @nobits
        .globl  ascribe.frames
        .type   ascribe.frames, @object
        .size   ascribe.frames, 8
        .balign 8
ascribe.frames:
        .zero   8

        .text
        .globl  ascribe_frames_grow
        .type   ascribe_frames_grow, @function
ascribe_frames_grow:
        START_KEEPER
        endbr64
        KEEP_REGISTERS
        call    ascribe_frames_grow_call
        RESTORE_REGISTERS_AND_RETURN
        .cfi_endproc
        .size   ascribe_frames_grow, .-ascribe_frames_grow
        .section .note.GNU-stack, "", @progbits
