/* Call frame information of every form, for unwind_rules: compared with elfutils' reading. This code
 * is never run. DWARF: offset_extended = 5, restore_extended = 6, offset_extended_sf = 0x11,
 * def_cfa_sf = 0x12, def_cfa_offset_sf = 0x13, val_offset = 0x14, val_offset_sf = 0x15,
 * def_cfa_expression = 0x0f, expression = 0x10, val_expression = 0x16, set_loc = 1,
 * advance_loc4 = 4, GNU_args_size = 0x2e, GNU_negative_offset_extended = 0x2f. */
#define NEXT nop

  .text
form_begin:

  .cfi_startproc
  NEXT
  .cfi_escape 5, 3, 2             /* offset_extended: rbx at cfa - 16 */
  .cfi_escape 5, 20, 2            /* of a vector register */
  NEXT
  .cfi_escape 6, 3
  .cfi_escape 6, 20
  NEXT
  .cfi_escape 0x11, 6, 0x7e       /* offset_extended_sf: rbp at cfa + 16 */
  NEXT
  .cfi_escape 0x12, 3, 0x7e       /* def_cfa_sf: rbx + 16 */
  NEXT
  .cfi_escape 0x13, 0x7c          /* def_cfa_offset_sf: 32 */
  NEXT
  .cfi_escape 0x14, 12, 3         /* val_offset: r12 is cfa - 24 */
  NEXT
  .cfi_escape 0x15, 13, 0x7d      /* val_offset_sf: r13 is cfa + 24 */
  NEXT
  .cfi_escape 0x14, 6, 3          /* rbp too */
  NEXT
  .cfi_escape 0x2f, 14, 2         /* r14 at cfa + 16 */
  .cfi_escape 0x2e, 0x90, 1
  NEXT
  .cfi_same_value %rbp
  .cfi_register %r15, %rcx
  NEXT
  .cfi_undefined %rbp
  NEXT
  .cfi_endproc

  /* An offset of rbp that is no multiple of 8, one too far away for a packed rule, and cfa + 0. */
  .cfi_startproc
  .cfi_escape 0x12, 7, 0x78
  .cfi_escape 5, 6, 0
  NEXT
  .cfi_offset %rbp, -24
  NEXT
  .cfi_rel_offset %rbp, 0
  NEXT
  .cfi_def_cfa_offset 0x200008
  .cfi_rel_offset %rbp, 0
  NEXT
  .cfi_def_cfa_offset 0x7ffffff0
  NEXT
  .cfi_endproc

  .cfi_startproc
  .cfi_remember_state
  .cfi_def_cfa_offset 16
  NEXT
  .cfi_remember_state
  .cfi_def_cfa_offset 24
  NEXT
  .cfi_remember_state
  .cfi_def_cfa_offset 32
  NEXT
  .cfi_remember_state
  .cfi_def_cfa %rbx, 40
  NEXT
  .cfi_restore_state
  NEXT
  .cfi_restore_state
  NEXT
  .cfi_restore_state
  NEXT
  .cfi_restore_state
  NEXT
  .cfi_endproc

  /* Advances of 1, 2 and 4 bytes. */
  .cfi_startproc
  .skip 100, 0x90
  .cfi_def_cfa_offset 16
  .skip 1000, 0x90
  .cfi_def_cfa_offset 24
  .skip 100000, 0x90
  .cfi_def_cfa_offset 32
  NEXT
  .cfi_endproc

  /* Expressions. */
  .cfi_startproc
  .cfi_escape 0x0f, 2, 0x73, 0x10                     /* rbx + 16 */
  NEXT
  .cfi_escape 0x0f, 6, 0x77, 8, 0x06, 0x23, 0x80, 2   /* *(rsp + 8) + 256 */
  NEXT
  .cfi_escape 0x0f, 5, 0x73, 0, 0x74, 0, 0x22         /* rbx + rsi */
  NEXT
  .cfi_escape 0x0f, 6, 0x73, 0, 0x12, 0x06, 0x22, 0x06 /* dup, load, plus, load */
  NEXT
  .cfi_escape 0x0f, 7, 0x31, 0x77, 8, 0x16, 0x1c, 0x06, 0x06 /* lit1, rsp + 8, swap, minus */
  NEXT
  .cfi_escape 0x0f, 6, 0x77, 0x20, 0x77, 8, 0x13, 0x06 /* drop */
  NEXT
  .cfi_escape 0x0f, 8, 0x77, 8, 0x08, 0xf0, 0x1a, 0x06, 0x31, 0x22 /* const1u, and */
  NEXT
  .cfi_escape 0x0f, 5, 0x77, 0, 0x09, 0xf0, 0x22       /* const1s */
  NEXT
  .cfi_escape 0x0f, 6, 0x77, 0, 0x0a, 0xf0, 0xf0, 0x22 /* const2u */
  NEXT
  .cfi_escape 0x0f, 6, 0x77, 0, 0x0b, 0xf0, 0xf0, 0x22 /* const2s */
  NEXT
  .cfi_escape 0x0f, 8, 0x77, 0, 0x0d, 0xf0, 0xf0, 0xff, 0xff, 0x22 /* const4s */
  NEXT
  .cfi_escape 0x0f, 12, 0x77, 0, 0x0e, 1, 2, 3, 4, 5, 6, 7, 8, 0x22 /* const8u */
  NEXT
  .cfi_escape 0x0f, 6, 0x77, 0, 0x10, 0x90, 1, 0x22    /* constu */
  NEXT
  .cfi_escape 0x0f, 6, 0x77, 0, 0x11, 0x90, 0x7f, 0x22 /* consts */
  NEXT
  .cfi_escape 0x0f, 5, 0x77, 0, 0x33, 0x21, 0x06       /* or */
  NEXT
  .cfi_escape 0x0f, 5, 0x77, 0, 0x31, 0x24, 0x06       /* shl */
  NEXT
  .cfi_escape 0x0f, 5, 0x77, 0, 0x31, 0x25, 0x06       /* shr */
  NEXT
  .cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 /* a stub's */
  NEXT
  .cfi_escape 0x0f, 11, 0x73, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 /* nearly */
  NEXT
  .cfi_escape 0x0f, 12, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22, 0x06
  NEXT
  .cfi_def_cfa %rsp, 8
  .cfi_escape 0x10, 6, 2, 0x76, 0                      /* rbp at rbp */
  NEXT
  .cfi_escape 0x10, 6, 2, 0x76, 8
  NEXT
  .cfi_escape 0x16, 6, 2, 0x76, 8                      /* rbp is rbp + 8 */
  NEXT
  .cfi_escape 0x16, 6, 3, 0x23, 0x80, 1                /* cfa + 128 */
  NEXT
  .cfi_escape 0x10, 16, 2, 0x77, 0x30                  /* return address at rsp + 48 */
  NEXT
  .cfi_endproc

  /* The return address elsewhere. */
  .cfi_startproc
  .cfi_offset %rip, -16
  NEXT
  .cfi_register %rip, %rdx
  NEXT
  .cfi_escape 0x14, 16, 1
  NEXT
  .cfi_same_value %rip
  NEXT
  .cfi_undefined %rip
  NEXT
  .cfi_endproc

  /* The stack pointer of its own. */
  .cfi_startproc
  .cfi_register %rsp, %r8
  NEXT
  .cfi_offset %rsp, -32
  NEXT
  .cfi_endproc

  /* A signal frame; then one that is nearly the kernel's. */
  .cfi_startproc
  .cfi_signal_frame
  NEXT
  .cfi_undefined %rip
  NEXT
  .cfi_endproc
  .cfi_startproc
  .cfi_signal_frame
  .cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 0x06             /* *(rsp + 160) */
  .cfi_escape 0x10, 16, 3, 0x77, 0xb0, 1               /* rsp + 176 */
  NEXT
  .cfi_endproc

  .cfi_startproc
  .cfi_signal_frame
  .cfi_escape 0x0f, 4, 0x77, 0xa8, 1, 0x06             /* *(rsp + 168) */
  .cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1               /* rsp + 168 */
  NEXT
  .cfi_endproc

  /* Simple: nothing is said at first. */
  .cfi_startproc simple
  .cfi_def_cfa %r13, -16
  .cfi_offset %rip, -8
  NEXT
  .cfi_endproc
form_end:

  /* Code that tells by itself what it is. */
  .globl undescribed_restorer, undescribed_stub, undescribed_end, undescribed_begin
  .globl undescribed_destructor
  .hidden undescribed_restorer, undescribed_stub, undescribed_end, undescribed_begin
  .hidden undescribed_destructor
  .skip 64, 0xcc
undescribed_restorer:
  movq $15, %rax
  syscall
  .skip 64, 0xcc
undescribed_begin:
  mov %rsp, %rdi
  .skip 128, 0xcc
undescribed_stub:
  endbr64
  jmp *undescribed_slot(%rip)
  .byte 0xf2
  jmp *undescribed_slot(%rip)
  jmp undescribed_stub
  .skip 64, 0xcc
undescribed_destructor:
  call undescribed_stub
  call undescribed_stub
  movb $1, undescribed_slot(%rip)
  pop %rbp
  ret
  .skip 64, 0xcc
undescribed_end:
  .cfi_startproc
  endbr64
  mov %rbx, %rsp
  .cfi_endproc

  .data
undescribed_slot:
  .quad 0

  .section .note.GNU-stack, "", @progbits
