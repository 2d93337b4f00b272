/* Hand-written assembly that says nothing of its frames: the stack ends there, and nobody else is
 * named as the caller.
 * EXPECT levels sampled
 * EXPECT output done
 * EXPECT share work measured
 * EXPECT share told measured
 * EXPECT never caller silent_work
 * EXPECT sampled cut some
 * EXPECT sampled outermost main "(stack cut off)"
 */
#include "program.h"

/* A frame of an odd size, and none of the registers that might lead out of it. */
__asm__(".pushsection .text\n"
        ".globl silent\n"
        ".type silent, @function\n"
        "silent:\n"
        "  push %rbx\n"
        "  sub $48, %rsp\n"
        "  xor %ebp, %ebp\n"
        "  call silent_work\n"
        "  add $48, %rsp\n"
        "  pop %rbx\n"
        "  ret\n"
        ".size silent, .-silent\n"
        ".popsection\n");
void silent(void);

KEEP void work(void) {
  burn(200000000);
  NOT_A_TAIL();
}
static long long work_ns, told_ns;
KEEP void silent_work(void) {
  MEASURE(work_ns, work());
  NOT_A_TAIL();
}
KEEP void told(void) {
  burn(200000000);
  NOT_A_TAIL();
}
KEEP void caller(void) {
  __asm__ volatile("push %%rbp; call silent; pop %%rbp" ::
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
                         "cc");
  MEASURE(told_ns, told());
  NOT_A_TAIL();
}

int main(void) {
  caller();
  expect_share("work", work_ns);
  expect_share("told", told_ns);
  puts("done");
  return 0;
}
