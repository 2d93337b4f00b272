#include "runtime/arch/x86_64/keep_registers.inc"

/* mcount and __fentry__, in place of libc's.  The callee is where they return to, the site where
 * the callee does.  Every register but r11 and the flags is kept; a call that has its home slot
 * costs one look at one cache line (include/ascribe/hook.h tells how slots are found; the context
 * is always 0). */
        .set    CALL_COUNTED_BIT, 60    /* recording/layout.h */
        .set    HASH_SITE, 0x1e3779b1   /* include/ascribe/hook.h */

        .macro  COUNT_CALL slow
        push    %rax
        .cfi_adjust_cfa_offset 8
        lea     (%rdx,%rcx,2), %rax
        imul    $HASH_SITE, %rax, %rax
        mov     ascribe.row@gottpoff(%rip), %r11
        test    %r11, %r11
        jz      too_early
        mov     %fs:8(%r11), %r11       /* the gate */
        test    %r11, %r11
        jz      too_early
        and     (%r11), %rax            /* its mask, and then its table */
        add     8(%r11), %rax
        cmp     %rcx, 8(%r11,%rax)
        jne     \slow
        cmp     %rdx, 16(%r11,%rax)
        jne     \slow
        incq    24(%r11,%rax)
        pop     %rax
        .cfi_adjust_cfa_offset -8
        .endm

        .macro  TAKE_BACK register
        pop     \register
        .cfi_adjust_cfa_offset -8
        .endm

/* A function that compilers call; `site`: where its caller's return address is, once rcx and rdx are
 * on the stack. */
        .macro  COUNTER name, site:vararg
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        endbr64
        push    %rcx
        .cfi_adjust_cfa_offset 8
        push    %rdx
        .cfi_adjust_cfa_offset 8
        mov     16(%rsp), %rcx
        mov     \site, %rdx
        bts     $CALL_COUNTED_BIT, %rcx
        COUNT_CALL count_slowly
        TAKE_BACK %rdx
        TAKE_BACK %rcx
        ret
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .text
/* Called behind the prologue, with a frame pointer. */
        COUNTER mcount, 8(%rbp)
        .globl  _mcount
        .set    _mcount, mcount

/* Called by the first instruction: the return address of the callee is still on top. */
        COUNTER __fentry__, 24(%rsp)

/* ifunc resolvers are called while objects are relocated: before this one is, or has its
 * thread-local storage. On the stack rax, rdx, rcx. */
        .type   too_early, @function
too_early:
        .cfi_startproc
        .cfi_adjust_cfa_offset 24
        TAKE_BACK %rax
        TAKE_BACK %rdx
        TAKE_BACK %rcx
        ret
        .cfi_endproc
        .size   too_early, .-too_early

/* In: rcx = callee, rdx = site; on the stack rax, rdx, rcx. */
        .type   count_slowly, @function
count_slowly:
        .cfi_startproc
        .cfi_adjust_cfa_offset 24
        call    keep_and_count
        TAKE_BACK %rax
        TAKE_BACK %rdx
        TAKE_BACK %rcx
        ret
        .cfi_endproc
        .size   count_slowly, .-count_slowly

        .type   keep_and_count, @function
keep_and_count:
        START_KEEPER
        KEEP_REGISTERS
        mov     %rcx, %rdi
        mov     %rdx, %rsi
        btr     $CALL_COUNTED_BIT, %rdi
        call    ascribe_profile_call
        RESTORE_REGISTERS_AND_RETURN
        .cfi_endproc
        .size   keep_and_count, .-keep_and_count
        .section .note.GNU-stack, "", @progbits
