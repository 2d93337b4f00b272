#include "runtime/arch/x86_64/enter_slow.h"
#include "runtime/arch/x86_64/keep_registers.inc"

/* From code with counters, at a call through a pointer.  In: rax = callee, with ASCRIBE_CALL_INDIRECT,
 * [rsp + 8] = site. Every other register but the flags is kept.
 *
 * Most calls that miss their home slot find their transition in one of the next: looked for here,
 * with few registers to keep.  What the C side does all the same is left to it: threads that are
 * not known, pauses, new transitions, tables that are due to be replaced, slots further on, and
 * those at the start of the table (behind its end lie zeros, as in an empty slot). */
        .macro  KEEP register
        push    \register
        .cfi_adjust_cfa_offset 8
        .endm
        .macro  RESTORE register
        pop     \register
        .cfi_adjust_cfa_offset -8
        .endm
        .macro  RESTORE_FIVE
        RESTORE %r8
        RESTORE %rdi
        RESTORE %rsi
        RESTORE %rdx
        RESTORE %rcx
        .endm

        .text
        .globl  ascribe_enter_slow
        .type   ascribe_enter_slow, @function
        .balign 16
ascribe_enter_slow:
        .cfi_startproc
        endbr64
        KEEP    %rcx
        KEEP    %rdx
        KEEP    %rsi
        KEEP    %rdi
        KEEP    %r8
        mov     ascribe.row@gottpoff(%rip), %rdi
        mov     %fs:CELL_GATE(%rdi), %rdi
        xor     %ecx, %ecx /* its calls have no context */
        mov     48(%rsp), %rsi
        mov     GATE_OWNER(%rdi), %r8
        cmp     $1, %r8 /* ASCRIBE_STANDBY */
        jbe     3f
        cmpb    $0, THREAD_PAUSED(%r8)
        jne     3f
        lea     (%rsi,%rax,2), %rdx
        imul    $HASH_SITE, %rdx, %rdx
        lea     (%rdx,%rcx,HASH_CONTEXT), %rdx
        and     GATE_MASK(%rdi), %rdx
        add     GATE_TABLE(%rdi), %rdx
        add     %rdi, %rdx
        lea     (NEAR_SLOTS - 1) * SLOT_BYTES(%rdx), %rdi /* the last to look at */
1:      cmp     %rdi, %rdx
        je      3f
        add     $SLOT_BYTES, %rdx
        cmp     %rsi, SLOT_SITE(%rdx)
        jne     2f
        cmp     %ecx, SLOT_FROM(%rdx)
        jne     2f
        cmp     %rax, SLOT_CALLEE(%rdx)
        je      4f
2:      cmpq    $0, SLOT_CALLEE(%rdx)
        jne     1b

        .cfi_remember_state
3:      RESTORE_FIVE
        jmp     ascribe_enter_slow_from_c
        .cfi_restore_state

4:      mov     THREAD_SLOW_HITS(%r8), %rdi
        inc     %rdi
        cmp     THREAD_SLOW_HITS_LIMIT(%r8), %rdi
        jae     3b
        mov     %rdi, THREAD_SLOW_HITS(%r8)
        mov     THREAD_RECORD(%r8), %rdi
        incq    RECORD_SLOW_STEPS(%rdi)
        incq    SLOT_COUNT(%rdx)
        mov     SLOT_TO(%rdx), %eax
        RESTORE_FIVE
        ret
        .cfi_endproc
        .size   ascribe_enter_slow, .-ascribe_enter_slow

        .type   ascribe_enter_slow_from_c, @function
ascribe_enter_slow_from_c:
        START_KEEPER
        KEEP_REGISTERS
        mov     %rax, %rdi
        mov     16(%rbp), %rsi
        call    ascribe_enter_slow_call
        RESTORE_REGISTERS_AND_RETURN rax
        .cfi_endproc
        .size   ascribe_enter_slow_from_c, .-ascribe_enter_slow_from_c

/* rax and what was pushed last, to the C function of the name with _call; rax is what it returns.
 * \pushed: bytes that are taken off again. */
        .macro  ENTRY_OF_TWO name, pushed=0
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        START_KEEPER \pushed
        endbr64
        KEEP_REGISTERS \pushed
        mov     %rax, %rdi
        mov     16(%rbp), %rsi
        call    \name\()_call
        RESTORE_REGISTERS_AND_RETURN rax, \pushed
        .cfi_endproc
        .size   \name, .-\name
        .endm

        ENTRY_OF_TWO ascribe_row_enter, 8
        ENTRY_OF_TWO ascribe_enter

/* The slow ways of call sites (ascribe/hook.h). What was pushed is taken off: the site; before it the
 * callee of a pointer; and before that, if the call is a jump, the canonical frame address.  On standby
 * the own row is the next one, too. \at: where the caller's stack ends, or that frame. */
        .macro  ENTRY_OF_SITE name, c_name, pushed, at, callee
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        START_KEEPER \pushed
        endbr64
        cmpl    $0, (%rax) /* ASCRIBE_ROW_STANDBY */
        jne     1f
        ret     $\pushed
1:      KEEP_REGISTERS \pushed
        mov     %rax, %rdi
        mov     16(%rbp), %esi
        \at, %rdx
        \callee
        call    \c_name
        RESTORE_REGISTERS_AND_RETURN rax, \pushed
        .cfi_endproc
        .size   \name, .-\name
        .endm

        ENTRY_OF_SITE ascribe_row_call, ascribe_row_site_call, 8, "lea 24(%rbp)"
        ENTRY_OF_SITE ascribe_row_jump, ascribe_row_site_call, 16, "mov 24(%rbp)"
        ENTRY_OF_SITE ascribe_row_call_pointer, ascribe_row_pointer_call, 16, "lea 32(%rbp)", "mov 24(%rbp), %rcx"
        ENTRY_OF_SITE ascribe_row_jump_pointer, ascribe_row_pointer_call, 24, "mov 32(%rbp)", "mov 24(%rbp), %rcx"

/* From every change of context in code compiled with --clock=tsc. Keeps every register but the
 * flags; returns at once when another clock is in use. */
        .globl  ascribe_read_clock
        .type   ascribe_read_clock, @function
        .balign 16
ascribe_read_clock:
        START_KEEPER
        endbr64
        cmpl    $0, ascribe_cycles_in_use(%rip)
        jne     1f
        ret
1:      KEEP_REGISTERS
        call    ascribe_read_clock_call
        RESTORE_REGISTERS_AND_RETURN
        .cfi_endproc
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
