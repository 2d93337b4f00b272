/* Ways out of frames that are not returns, and ways back into them. */
#include <setjmp.h>
#include <stdlib.h>

#include "fixture.h"

#define APART __attribute__((noipa))

static jmp_buf buffer;
static sigjmp_buf signal_buffer;
static void *builtin_buffer[5];
static volatile int sink;

/* Some hooks notice a jump only when the next function is entered. */
APART static void here(const char *path) {
  fixture_expect(path);
  sink++;
}

APART static void jump_from(int depth) {
  if (depth == 0) longjmp(buffer, 5);
  jump_from(depth - 1);
  sink++;
}

APART static int with_setjmp(void) {
  volatile int rounds = 0;
  int value = setjmp(buffer);
  here("main>with_setjmp>here");
  if (value == 0 || rounds++ < 3) jump_from(20);
  return value;
}

APART static void jump_signal(int depth) {
  if (depth == 0) siglongjmp(signal_buffer, 1);
  jump_signal(depth - 1);
  sink++;
}

APART static int with_sigsetjmp(void) {
  if (sigsetjmp(signal_buffer, 1) == 0) jump_signal(5);
  here("main>with_sigsetjmp>here");
  return 0;
}

APART static void jump_builtin(int depth) {
  if (depth == 0) __builtin_longjmp(builtin_buffer, 1);
  jump_builtin(depth - 1);
  sink++;
}

APART static int with_builtin_setjmp(void) {
  if (__builtin_setjmp(builtin_buffer) == 0) jump_builtin(5);
  here("main>with_builtin_setjmp>here");
  return 0;
}

APART static void call(void (*function)(int), int argument) {
  function(argument);
  sink++;
}

APART static int with_nested(int start) {
  __label__ out;
  int reached = 0;
  void nested(int depth) {
    reached++;
    if (depth == 0) goto out;
    call(nested, depth - 1);
    sink++;
  }
  call(nested, start);
  return -1;
out:
  here("main>with_nested>here");
  return reached;
}

APART static int with_computed_goto(int n) {
  static void *const steps[] = {&&add, &&twice, &&done};
  static const int program[] = {0, 1, 0, 1, 2};
  int at = 0;
  goto *steps[program[at++]];
add:
  n++;
  goto *steps[program[at++]];
twice:
  n *= 2;
  goto *steps[program[at++]];
done:
  return n;
}

int main(void) {
  FIXTURE_NAME(main), FIXTURE_NAME(with_setjmp), FIXTURE_NAME(with_sigsetjmp);
  FIXTURE_NAME(with_builtin_setjmp), FIXTURE_NAME(with_nested), FIXTURE_NAME(here);
  if (with_setjmp() != 5) return 1;
  fixture_expect("main");
  fixture_expect_calls("jump_from", jump_from, 84);
  with_sigsetjmp();
  fixture_expect("main");
  fixture_expect_calls("jump_signal", jump_signal, 6);
  with_builtin_setjmp();
  fixture_expect("main");
  fixture_expect_calls("jump_builtin", jump_builtin, 6);
  if (with_nested(4) != 5) return 1;
  fixture_expect("main");
  fixture_expect_calls("call", call, 5);
  if (with_computed_goto(3) != 18) return 1;
  fixture_expect("main");
  return fixture_faults();
}
