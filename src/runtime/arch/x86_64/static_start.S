/* Where static programs begin; then comes _start, with the registers and the stack as they were. */
        .text
        .globl  ascribe_static_start
        .type   ascribe_static_start, @function
ascribe_static_start:
        .cfi_startproc
        .cfi_undefined rip
        push    %rdx
        call    early_thread_pointer
        pop     %rdx
        xor     %ebp, %ebp
        jmp     _start
        .cfi_endproc
        .size   ascribe_static_start, .-ascribe_static_start
        .section .note.GNU-stack, "", @progbits
