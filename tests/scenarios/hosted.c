/* Plays a language host: runs the script of hosted.py, whose functions are a world's, by
 * ascribe/host.h.  Functions in C have hooks of their own, but for the interpreter's.
 *
 *   hosted SCRIPT N LAMBDAS exit|kill|fork
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ascribe/host.h"

#define BARE __attribute__((no_instrument_function))

static uint32_t world, file;
static ascribe_point fib, first_call, second_call, script_main, call_of_fib, lambda_call;

BARE static void define_script(const char *path) {
  ascribe_host_begin();
  world = ascribe_host_world("fib script");
  file = ascribe_host_file(world, path);
  fib = ascribe_host_function(world, "fib", file, ascribe_range_at(1, 9));
  first_call = ascribe_host_place(fib, ASCRIBE_CALL, ascribe_range_at(3, 10));
  second_call = ascribe_host_place(fib, ASCRIBE_CALL, ascribe_range_at(3, 24));
  script_main = ascribe_host_function(world, "script-main", file, ascribe_range_at(4, 9));
  call_of_fib = ascribe_host_place(script_main, ASCRIBE_CALL, ascribe_range_at(5, 3));
  lambda_call = ascribe_host_place(script_main, ASCRIBE_CALL, ascribe_range_at(6, 20));
}

/* ---- the script ---- */

BARE static long evaluate(long n) {
  if (n < 2) return n;
  uint32_t own = ascribe_enter(fib, first_call);
  long first = evaluate(n - 1);
  ascribe_leave(own);
  own = ascribe_enter(fib, second_call);
  long second = evaluate(n - 2);
  ascribe_leave(own);
  return first + second;
}

__attribute__((noinline)) static void display(long number) {
  printf("%ld\n", number);
}

/* Functions that come to be while it runs. */
BARE static void run_lambdas(long first, long count) {
  for (long i = first; i < first + count; i++) {
    char name[40];
    snprintf(name, sizeof name, i % 2 ? "" : "lambda-%ld", i);
    ascribe_leave(ascribe_enter(
        ascribe_host_function(world, name, file, ascribe_range_at(6, (uint32_t)(100 + i))),
        lambda_call));
  }
}

__attribute__((noinline)) static void run_script(long n, long lambdas) {
  uint32_t outside = ascribe_enter(script_main, 0), own = ascribe_enter(fib, call_of_fib);
  long result = evaluate(n);
  ascribe_leave(own);
  display(result);
  run_lambdas(0, lambdas);
  ascribe_leave(outside);
}

/* The child goes on with what its parent has defined, and adds to it. */
__attribute__((noinline)) static void run_child(void) {
  uint32_t outside = ascribe_enter(script_main, 0);
  ascribe_leave(ascribe_enter(
      ascribe_host_function(world, "of-the-child", file, ascribe_range_at(7, 1)), lambda_call));
  ascribe_leave(outside);
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  define_script(arguments[1]);
  run_script(atol(arguments[2]), atol(arguments[3]));
  fflush(stdout);
  if (strcmp(arguments[4], "kill") == 0) raise(SIGKILL);
  if (strcmp(arguments[4], "fork") == 0) {
    pid_t child = fork();
    if (child == 0) run_child();
    if (child > 0) waitpid(child, NULL, 0);
  }
  return 0;
}
