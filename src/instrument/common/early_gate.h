// x86-64: code for an ifunc's resolver that calls what may have hooks or counters.
#ifndef ASCRIBE_INSTRUMENT_EARLY_GATE_H
#define ASCRIBE_INSTRUMENT_EARLY_GATE_H

namespace ascribe {

// Gives this thread the inert gate if it has none. Before the loader gives thread-local variables
// their values they are zeros; in static programs there may be none yet, which only the kernel can
// tell. Keeps all registers. In AT&T's syntax.
const char GIVE_GATE[] = "leaq\t-128(%rsp), %rsp\n\t"
                         "pushq\t%rax\n\tpushq\t%rcx\n\tpushq\t%rdx\n\t"
                         "pushq\t%rsi\n\tpushq\t%rdi\n\tpushq\t%r11\n\t"
                         "pushq\t$0\n\t"
                         "movl\t$158, %eax\n\t"    // arch_prctl
                         "movl\t$0x1003, %edi\n\t" // ARCH_GET_FS
                         "movq\t%rsp, %rsi\n\t"
                         "syscall\n\t"
                         "popq\t%rax\n\t"
                         "testq\t%rax, %rax\n\t"
                         "jz\t1f\n\t"
                         "movq\tascribe.row@gottpoff(%rip), %rcx\n\t"
                         "testq\t%rcx, %rcx\n\t"
                         "jz\t1f\n\t"
                         "cmpq\t$0, %fs:8(%rcx)\n\t"
                         "jne\t1f\n\t"
                         "movq\tascribe_inert_row@GOTPCREL(%rip), %rax\n\t"
                         "movq\t%rax, %fs:(%rcx)\n\t"
                         "movq\tascribe_inert_gate@GOTPCREL(%rip), %rax\n\t"
                         "movq\t%rax, %fs:8(%rcx)\n"
                         "1:\tpopq\t%r11\n\tpopq\t%rdi\n\tpopq\t%rsi\n\t"
                         "popq\t%rdx\n\tpopq\t%rcx\n\tpopq\t%rax\n\t"
                         "leaq\t128(%rsp), %rsp";

} // namespace ascribe

#endif
