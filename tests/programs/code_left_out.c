/* A long stretch of code with frame pointers that the tables of its executable leave out, as the
 * functions that V8 brings along: it is told, with what called it and what it calls.
 * EXPECT levels sampled
 * EXPECT output done
 * EXPECT share work 1
 * EXPECT share left_out 1
 * EXPECT share caller 1
 * EXPECT sampled outermost main
 */
#include "program.h"

__asm__(".pushsection .text\n"
        ".fill 40000, 1, 0xcc\n"
        ".globl left_out\n"
        ".type left_out, @function\n"
        "left_out:\n"
        "  push %rbp\n"
        "  mov %rsp, %rbp\n"
        "  sub $48, %rsp\n"
        "  call *%rdi\n"
        "  leave\n"
        "  ret\n"
        ".size left_out, .-left_out\n"
        ".fill 40000, 1, 0xcc\n"
        ".popsection\n");
void left_out(void (*function)(void));

KEEP void work(void) {
  burn(300000000);
  NOT_A_TAIL();
}

KEEP void caller(void) {
  left_out(work);
  NOT_A_TAIL();
}

int main(void) {
  caller();
  puts("done");
  return 0;
}
