/* setjmp and getcontext return twice, and dlopen looks at who calls it, so nothing may stand between
 * them and their caller: note what is to be noted, then jump to the real one with stack and
 * arguments as they came. */
        .text
.macro  JUMP name, which, noted_by
        .weak   \name
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
        mov     %rsi, %rdx
        mov     $\which, %esi
        call    \noted_by
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
        JUMP    setjmp, 0, ascribe_setjmp_entered
        JUMP    _setjmp, 1, ascribe_setjmp_entered
        JUMP    __sigsetjmp, 2, ascribe_setjmp_entered
        JUMP    dlopen, 3, ascribe_dlopen_entered
        JUMP    getcontext, 4, ascribe_getcontext_entered
        JUMP    setcontext, 5, ascribe_setcontext_entered
        JUMP    swapcontext, 6, ascribe_swapcontext_entered

        .macro  MAKE_CALL
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %rcx, %rdx
        mov     %r8, %r10
        mov     %r9, %r8
        mov     8(%rsp), %r9
        syscall
        .endm

/* long syscall(long number, ...): as libc's, with nothing on the stack while the call is made, since
 * it may be one that returns twice. */
        .weak   syscall
        .type   syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmp     $13, %rdi /* rt_sigaction */
        je      ascribe_call_answered
        cmp     $157, %rdi /* prctl */
        je      ascribe_call_answered
        cmp     $160, %rdi /* setrlimit */
        je      ascribe_call_answered
        cmp     $302, %rdi /* prlimit64 */
        je      ascribe_call_answered
        cmp     $317, %rdi /* seccomp */
        je      ascribe_call_answered
        cmp     $59, %rdi /* execve */
        je      ascribe_call_answered
        cmp     $322, %rdi /* execveat */
        je      ascribe_call_answered
        cmp     $56, %rdi /* clone */
        je      1f
        cmp     $57, %rdi /* fork */
        je      1f
        cmp     $435, %rdi /* clone3 */
        je      1f
        MAKE_CALL
        cmp     $-4095, %rax
        jae     0f
        ret
/* A child counts in its parent's rows until it has its own. */
1:      MAKE_CALL
        cmp     $-4095, %rax
        jae     0f
        test    %rax, %rax
        je      2f
        ret
2:      sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    ascribe_child_entered
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        xor     %eax, %eax
        ret
0:      mov     %rax, %rdi
        jmp     ascribe_call_failed
        .cfi_endproc
        .size   syscall, .-syscall
        .section .note.GNU-stack, "", @progbits
