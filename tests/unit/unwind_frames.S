/* See unwind_frames.h. DWARF: breg = 0x70 + register (rbp 6, rsp 7, r9 9), deref = 6, plus = 0x22,
 * plus_uconst = 0x23, lit = 0x30 + number, mul = 0x1e; def_cfa_expression = 0x0f. */
#define FUNCTION(name)                                                                             \
  .globl name;                                                                                     \
  .hidden name;                                                                                    \
  .type name, @function;                                                                           \
  name:                                                                                            \
  .cfi_startproc
#define END(name)                                                                                  \
  .cfi_endproc;                                                                                    \
  .size name, .- name

.text

FUNCTION(frame_on_rbx)
  push %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_offset %rbx, -16
  mov %rsp, %rbx
  .cfi_def_cfa_register %rbx
  sub $200, %rsp
  and $-64, %rsp
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  mov %rbx, %rsp
  .cfi_def_cfa_register %rsp
  pop %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  ret
END(frame_on_rbx)

FUNCTION(frame_clobbers)
  push %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_offset %rbx, -16
  mov $-1, %rbx
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  pop %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  ret
END(frame_clobbers)

FUNCTION(frame_kept_on_stack)
  mov %rsp, %rax
  .cfi_def_cfa_register %rax
  sub $64, %rsp
  and $-64, %rsp
  mov %rax, 24(%rsp)
  .cfi_escape 0x0f, 5, 0x77, 24, 0x06, 0x23, 8
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  mov 24(%rsp), %rsp
  .cfi_def_cfa %rsp, 8
  ret
END(frame_kept_on_stack)

/* CFA = *(rsp + 8 + rbp * 8) + 8, rbp being 2. */
FUNCTION(frame_indexed)
  mov %rsp, %rax
  .cfi_def_cfa_register %rax
  sub $64, %rsp
  and $-64, %rsp
  mov %rbp, 8(%rsp)
  mov %rax, 24(%rsp)
  mov $2, %ebp
  .cfi_escape 0x0f, 10, 0x77, 8, 0x76, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8
  /* expression: rbp (6) stands at rsp + 8 */
  .cfi_escape 0x10, 6, 2, 0x77, 8
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  mov 8(%rsp), %rbp
  .cfi_same_value %rbp
  .cfi_escape 0x0f, 5, 0x77, 24, 0x06, 0x23, 8
  mov 24(%rsp), %rsp
  .cfi_def_cfa %rsp, 8
  ret
END(frame_indexed)

FUNCTION(frame_without_rbp)
  push %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_undefined %rbp
  mov $-1, %rbp
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  pop %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_same_value %rbp
  ret
END(frame_without_rbp)

FUNCTION(frame_in_register)
  pop %r11
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %r11
  nop
  push %r11
  .cfi_adjust_cfa_offset 8
  .cfi_offset %rip, -8
  mov %rdi, %rax
  mov %rsi, %rdi
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call *%rax
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
END(frame_in_register)

FUNCTION(frame_many_states)
  .cfi_remember_state
  push %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  .cfi_remember_state
  push %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  .cfi_remember_state
  push %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  .cfi_escape 0x2e, 0x10 /* GNU_args_size */
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  pop %r13
  .cfi_restore_state
  pop %r12
  .cfi_restore_state
  pop %rbx
  .cfi_restore_state
  ret
END(frame_many_states)

FUNCTION(frame_vast)
  push %rbp
  .cfi_adjust_cfa_offset 8
  sub $300000, %rsp
  .cfi_adjust_cfa_offset 300000
  .cfi_rel_offset %rbp, 300000
  mov $-1, %rbp
  jmp 1f
  .skip 70000, 0xcc
1:
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  add $300000, %rsp
  .cfi_adjust_cfa_offset -300000
  pop %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  ret
END(frame_vast)

  .globl frame_undescribed
  .hidden frame_undescribed
  .type frame_undescribed, @function
frame_undescribed:
  mov %rdi, %rax
  mov %rsi, %rdi
  sub $8, %rsp
  call *%rax
  add $8, %rsp
  ret
  .size frame_undescribed, . - frame_undescribed

FUNCTION(stepping_on)
  pushfq
  .cfi_adjust_cfa_offset 8
  orq $0x100, (%rsp)
  popfq
  .cfi_adjust_cfa_offset -8
  ret
END(stepping_on)

FUNCTION(stepping_off)
  pushfq
  .cfi_adjust_cfa_offset 8
  andq $~0x100, (%rsp)
  popfq
  .cfi_adjust_cfa_offset -8
  ret
END(stepping_off)

  .section .note.GNU-stack, "", @progbits
