/* void call_on_stack(void *top, void (*function)(void *), void *argument)
 *
 * Call the function on another stack, whose upper end is `top`, a multiple of 16. */
        .text
        .globl  call_on_stack
        .hidden call_on_stack
        .type   call_on_stack, @function
call_on_stack:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset 6, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register 6
        mov     %rdi, %rsp
        mov     %rdx, %rdi
        call    *%rsi
        leave
        .cfi_def_cfa 7, 8
        ret
        .cfi_endproc
        .size   call_on_stack, .-call_on_stack
        .section .note.GNU-stack, "", @progbits
