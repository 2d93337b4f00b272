/* Catches and throws with setjmp and longjmp; compiled without hooks. */
#include <setjmp.h>

static jmp_buf back;

int plain_catch(void (*body)(void), void (*after)(void)) {
  int caught = setjmp(back);
  if (caught == 0) body();
  after();
  return caught;
}

_Noreturn void plain_throw(void) {
  longjmp(back, 1);
}
