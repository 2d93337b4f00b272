/* Control that goes where addresses say: an interpreter of computed gotos, __builtin_setjmp out of
 * a nested loop, functions in assembly between those with counters, asm goto, a function that never
 * comes back.
 * EXPECT levels -O0 -O1 -O2 -O3
 * EXPECT output 505 21
 * EXPECT status 3
 * EXPECT calls add 505
 * EXPECT calls interpret 5
 * EXPECT calls jumps 10
 * EXPECT calls deeper 21
 * EXPECT calls by_assembly 20
 * EXPECT calls chosen 6
 * EXPECT calls ends 1
 * EXPECT arc interpret add 505
 * EXPECT counted arc interpret add 505
 * EXPECT counted arc jumps deeper 21
 * EXPECT counted arc branches chosen 6
 * EXPECT counted arc main ends 1
 */
#include "program.h"

static int added;

KEEP void add(void) {
  added++;
}

enum { ADD, LOOP, LEAVE };

KEEP void interpret(int rounds) {
  static const void *const labels[] = {&&add_one, &&loop, &&leave};
  static const int code[] = {ADD, LOOP, LEAVE};
  int at = 0;
  goto *labels[code[at]];
add_one:
  add();
  goto *labels[code[++at]];
loop:
  at = rounds-- > 0 ? 0 : 2;
  goto *labels[code[at]];
leave:
  NOT_A_TAIL();
}

static void *buffer[5];
static int depth;

KEEP void deeper(int n) {
  depth++;
  if (n % 3 == 0 || depth > 1000) __builtin_longjmp(buffer, 1);
  NOT_A_TAIL();
}

KEEP void jumps(volatile int n) {
  if (__builtin_setjmp(buffer)) return;
  for (int i = 0; i < 4; i++)
    deeper(n + i + 1);
}

KEEP int by_assembly(int n) {
  return n;
}

int through_assembly(int n);
__asm__(".pushsection .text\n"
        ".type through_assembly, @function\n"
        "through_assembly:\n"
        "  .cfi_startproc\n"
        "  sub $8, %rsp\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  push %rdi\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  sub $8, %rsp\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  call by_assembly\n"
        "  mov 8(%rsp), %rdi\n"
        "  call by_assembly\n"
        "  add $24, %rsp\n"
        "  .cfi_adjust_cfa_offset -24\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size through_assembly, . - through_assembly\n"
        ".popsection\n");

KEEP void chosen(void) {
  NOT_A_TAIL();
}

KEEP void branches(int n) {
  __asm__ goto("test %0, %0; jz %l1" : : "r"(n) : "cc" : zero);
  chosen();
  return;
zero:
  NOT_A_TAIL();
}

__attribute__((noreturn)) KEEP void ends(int status) {
  fflush(stdout);
  _Exit(status);
}

int main(void) {
  for (int i = 0; i < 5; i++)
    interpret(100);
  for (int i = 0; i < 10; i++) {
    jumps(i);
    through_assembly(i);
    branches(i % 5 & 3);
  }
  printf("%d %d\n", added, depth);
  ends(3);
}
