/* The row that a thread's cell has before the runtime has met the thread (registry/cell.h). */
        .bss
        .globl  ascribe_inert_row
        .type   ascribe_inert_row, @object
        .size   ascribe_inert_row, 32768
        .balign 32
        .zero   4096 /* ASCRIBE_ROW_BELOW, ASCRIBE_ROW_ABOVE */
ascribe_inert_row:
        .zero   32768
        .section .note.GNU-stack, "", @progbits
