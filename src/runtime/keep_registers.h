/* For assembler files: from hooked code, where any register may hold the program's values, into C
 * and back. The C side uses general registers only, so those are all there is to keep. */
        .macro  KEEP_REGISTERS
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset 6, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register 6
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        push    %rax
        cld
        and     $-16, %rsp
        .endm

        /* \result is a register that keeps what C returned in it, or nothing. */
        .macro  RESTORE_REGISTERS_AND_RETURN result
        lea     -72(%rbp), %rsp
        .ifb    \result
        pop     %rax
        .else
        lea     8(%rsp), %rsp
        .endif
        pop     %r11
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rbp
        .cfi_def_cfa 7, 8
        ret
        .cfi_endproc
        .endm
