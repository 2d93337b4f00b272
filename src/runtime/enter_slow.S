#include "runtime/keep_registers.inc"

/* From a hook's slow edge into C.  In: rax = callee, [rsp + 8] = site. Out: eax = own context.
 * Every other register but the flags is kept; the C side uses general registers only. */
        .text
        .globl  ascribe_enter_slow
        .type   ascribe_enter_slow, @function
ascribe_enter_slow:
        endbr64
        KEEP_REGISTERS
        mov     %rax, %rdi
        mov     16(%rbp), %rsi
        call    ascribe_enter_slow_call
        RESTORE_REGISTERS_AND_RETURN rax
        .size   ascribe_enter_slow, .-ascribe_enter_slow

/* From every change of context in code compiled with --clock=tsc. Keeps every register but the
 * flags; returns at once when another clock is in use. */
        .globl  ascribe_read_clock
        .type   ascribe_read_clock, @function
        .balign 16
ascribe_read_clock:
        endbr64
        cmpl    $0, ascribe_cycles_in_use(%rip)
        jne     1f
        ret
1:      KEEP_REGISTERS
        call    ascribe_read_clock_call
        RESTORE_REGISTERS_AND_RETURN
        .size   ascribe_read_clock, .-ascribe_read_clock

/* The kernel returns from a handler through this (SA_RESTORER). */
        .globl  ascribe_signal_return
        .hidden ascribe_signal_return
        .type   ascribe_signal_return, @function
        .balign 16
ascribe_signal_return:
        movq    $15, %rax /* rt_sigreturn; in just this encoding: unwinders know the frame by it */
        syscall
        .size   ascribe_signal_return, .-ascribe_signal_return
        .section .note.GNU-stack, "", @progbits
