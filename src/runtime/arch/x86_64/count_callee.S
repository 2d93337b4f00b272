#include "runtime/arch/x86_64/enter_slow.h"

/* From a call through a pointer in an executable, whose callee is not the one that has the call's
 * cell (ascribe/hook.h, "Counts").  In: rax = address of the cell, [rsp + 8] = callee, which the
 * caller has pushed (and which may be overwritten). Every register but rax and the flags is kept.
 *
 * A cell that nobody has is taken, in the section, where code looks, and in the first area, where
 * readers do; and the next counter counts.  Else the call is looked up in the thread's table, by the
 * cell's address as its site: here in the home slot, then by ascribe_enter_slow, which takes callee
 * and site the other way round.
 *
 * The caller's frame is described as it was before it pushed the callee: its own description does
 * not know of that. */
        .macro  KEEP register
        push    \register
        .cfi_adjust_cfa_offset 8
        .endm
        .macro  RESTORE_FOUR
        .irp    register, %rdi, %rsi, %rdx, %rcx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .endr
        .endm

        .text
        .globl  ascribe_count_callee
        .type   ascribe_count_callee, @function
        .balign 16
ascribe_count_callee:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        .cfi_offset %rip, -16
        endbr64
        KEEP    %rcx
        KEEP    %rdx
        KEEP    %rsi
        KEEP    %rdi
        mov     %rax, %rsi
        mov     40(%rsp), %rcx
        cmpq    $0, (%rsi)
        jne     1f
        xor     %eax, %eax
        lock cmpxchg %rcx, (%rsi)
        je      2f
        cmp     %rcx, %rax
        je      2f

1:      mov     ascribe.row@gottpoff(%rip), %rdi
        mov     %fs:CELL_GATE(%rdi), %rdi
        bts     $CALL_INDIRECT_BIT, %rcx
        lea     (%rsi,%rcx,2), %rdx
        imul    $HASH_SITE, %rdx, %rdx
        and     GATE_MASK(%rdi), %rdx
        add     GATE_TABLE(%rdi), %rdx
        add     %rdi, %rdx
        cmp     %rsi, SLOT_SITE(%rdx)
        jne     3f
        cmpl    $0, SLOT_FROM(%rdx)
        jne     3f
        cmp     %rcx, SLOT_CALLEE(%rdx)
        jne     3f
        incq    SLOT_COUNT(%rdx)
        .cfi_remember_state
        RESTORE_FOUR
        ret
        .cfi_restore_state

2:      mov     %rsi, %rdx
        add     ascribe_counters_lead(%rip), %rdx
        mov     %rcx, (%rdx)
        mov     ascribe.counts@gottpoff(%rip), %rdi
        add     %fs:(%rdi), %rdx
        incq    8(%rdx)
        .cfi_remember_state
        RESTORE_FOUR
        ret
        .cfi_restore_state

3:      mov     %rcx, %rax
        mov     %rsi, 40(%rsp)
        RESTORE_FOUR
        jmp     ascribe_enter_slow
        .cfi_endproc
        .size   ascribe_count_callee, .-ascribe_count_callee

/* All of what a call through a pointer does before it, for code that finds its counters by %gs and
 * rather is small there than quick.  In: rax = callee, r11 = address of the cell.  Every register
 * but r11 and the flags is kept.
 *
 * The second one is called 128 bytes below the caller's stack pointer, which the caller's own
 * description does not know of. Nor does ours of the callee that is pushed: that of
 * ascribe_count_callee takes it off already. */
        .macro  COUNT_CALL name, below
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        .cfi_def_cfa_offset 8 + \below
        .cfi_offset %rip, -8 - \below
        cmp     %rax, (%r11)
        jne     1f
        incq    %gs:8(%r11)
        ret
1:      push    %rax
        .cfi_adjust_cfa_offset 8
        push    %rax
        mov     %r11, %rax
        call    ascribe_count_callee
        pop     %rax
        pop     %rax
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   \name, .-\name
        .endm

        COUNT_CALL ascribe_count_call, 0
        COUNT_CALL ascribe_count_call_below, 128
        .section .note.GNU-stack, "", @progbits
