/* longjmp caught in code without hooks: its caller goes on in its own context, and what that
 * code itself calls afterwards is called from there.
 * EXPECT levels -O0 -O2 -O3
 * EXPECT plain plain_catch.c
 * EXPECT output 4
 * EXPECT calls work 4
 * EXPECT arc middle work 1
 * EXPECT arc main work 1
 * EXPECT arc deep work 1
 * EXPECT arc outside work 1
 * EXPECT arc middle body 1
 * EXPECT arc middle outside 1
 * EXPECT arc body deep 1
 * EXPECT counted arc middle work 1
 * EXPECT counted arc main work 1
 * EXPECT counted arc deep work 1
 * EXPECT counted arc outside work 1
 * EXPECT counted arc body deep 1
 */
#include "program.h"

int plain_catch(void (*body)(void), void (*after)(void));
_Noreturn void plain_throw(void);

static volatile int worked;

KEEP void work(void) {
  worked++;
}

KEEP void deep(int n) {
  if (n == 0) {
    work();
    plain_throw();
  }
  deep(n - 1);
  NOT_A_TAIL();
}

KEEP void body(void) {
  deep(20);
  NOT_A_TAIL();
}

KEEP void outside(void) {
  work();
  NOT_A_TAIL();
}

KEEP void middle(void) {
  plain_catch(body, outside);
  work();
  NOT_A_TAIL();
}

int main(void) {
  middle();
  work();
  printf("%d\n", worked);
  return 0;
}
