/* setjmp and its kin return twice, so nothing may stand between them and their caller: note the
 * context, then jump to the real one with stack and arguments as they came. */
        .text
.macro  SETJMP name, which
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        mov     $\which, %esi
        call    ascribe_setjmp_entered
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   \name, .-\name
.endm
        SETJMP  setjmp, 0
        SETJMP  _setjmp, 1
        SETJMP  __sigsetjmp, 2
        .section .note.GNU-stack, "", @progbits
