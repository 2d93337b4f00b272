/* The thread's stack of frames, and the way from inlined hooks to what makes it: every register
 * but the flags is kept; the C side uses general registers only. */
        .section .tbss, "awT", @nobits
        .globl  ascribe_frames
        .type   ascribe_frames, @object
        .size   ascribe_frames, 8
        .balign 8
ascribe_frames:
        .zero   8

        .text
        .globl  ascribe_frames_grow
        .type   ascribe_frames_grow, @function
ascribe_frames_grow:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset 6, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register 6
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        cld
        and     $-16, %rsp
        call    ascribe_frames_grow_call
        lea     -72(%rbp), %rsp
        pop     %r11
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rax
        pop     %rbp
        .cfi_def_cfa 7, 8
        ret
        .cfi_endproc
        .size   ascribe_frames_grow, .-ascribe_frames_grow
        .section .note.GNU-stack, "", @progbits
