/* The rules of lazy programs (ascribe/host.h): entries are evaluations of `scc`, and the centre is
 * the paper's after each step.  Numbers that make no sense are left out.
 * EXPECT levels -O0 -O2
 * EXPECT link -pthread
 * EXPECT output right 0
 * EXPECT entries foo 1001
 * EXPECT entries bar 2001
 * EXPECT entries threaded 4000
 * EXPECT entries child 7
 * EXPECT entries astray 3
 * EXPECT inside foo bar 1000
 * EXPECT inside foo threaded 4000
 * EXPECT inside - astray 3
 * EXPECT centres foo bar threaded child astray
 * EXPECT dropped 9
 * EXPECT processes 2
 */
#include "program.h"

#include <ascribe/host.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>

static ascribe_cost_centre foo, bar, threaded, child, astray;
static int wrong;

/* What holds only where something is recorded. */
static void holds(int right) {
  if (ascribe_host_recorded() && !right) wrong++;
}

static void rules(void) {
  uint32_t outside = ascribe_built();
  uint32_t demander = ascribe_scc(foo);
  uint32_t in_foo = ascribe_built(), thunk = ascribe_built(); /* 3 */
  holds(demander == outside && in_foo != outside);
  demander = ascribe_scc(bar);
  uint32_t in_bar = ascribe_built();
  holds(demander == in_foo && in_bar != in_foo);
  ascribe_restore(demander); /* 16' */
  holds(ascribe_built() == in_foo);
  ascribe_restore(outside);

  demander = ascribe_scc(bar);
  uint32_t of_update = ascribe_enter_thunk(thunk); /* 15 */
  holds(ascribe_built() == in_foo && of_update != in_foo);
  thunk = ascribe_update(of_update); /* 16: the value is the evaluating centre's */
  holds(thunk == in_foo && ascribe_built() == of_update);
  uint32_t caller = ascribe_call_built(in_foo); /* 2 */
  holds(caller == of_update && ascribe_built() == of_update);
  ascribe_restore(demander);
  holds(ascribe_built() == outside);
}

static void lexical(uint32_t built) {
  ascribe_host_functions(ASCRIBE_LEXICAL);
  uint32_t demander = ascribe_scc(bar), here = ascribe_built();
  uint32_t caller = ascribe_call_built(built);
  holds(caller == here && ascribe_built() == built && built != here);
  ascribe_restore(caller);
  holds(ascribe_built() == here);
  ascribe_restore(demander);
}

/* A closure of another thread. */
static void *evaluate(void *closure) {
  uint32_t demander = ascribe_enter_thunk(*(uint32_t *)closure);
  for (int i = 0; i < 1000; i++)
    ascribe_restore(ascribe_scc(threaded));
  holds(ascribe_update(demander) == *(uint32_t *)closure);
  return NULL;
}

static void in_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 7; i++)
      ascribe_restore(ascribe_scc(child));
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}

/* A frame that is skipped: its demander is whom to restore. */
static void skipped(void) {
  jmp_buf out;
  uint32_t outside = ascribe_built();
  volatile uint32_t demander = 0;
  if (setjmp(out) == 0) {
    demander = ascribe_scc(astray);
    longjmp(out, 1);
  }
  ascribe_restore(demander);
  holds(ascribe_built() == outside);
}

static void nonsense(void) {
  static const uint32_t numbers[] = {1, 0xFFFFFFFF};
  for (int i = 0; i < 2; i++) {
    uint32_t demander = ascribe_enter_thunk(numbers[i]);
    ascribe_restore(ascribe_scc(astray));
    ascribe_restore(demander);
  }
  uint32_t before = ascribe_built();
  static const ascribe_cost_centre none[] = {0, 7, ~0ull};
  for (int i = 0; i < 3; i++)
    ascribe_scc(none[i]);
  ascribe_scc(foo + 1);
  holds(ascribe_built() == before);
}

int main(void) {
  ascribe_host_begin();
  foo = ascribe_host_centre("foo", "Main", "/main.stg", 1);
  bar = ascribe_host_centre("bar", "Main", "/main.stg", 2);
  threaded = ascribe_host_centre("threaded", "Main", NULL, 0);
  child = ascribe_host_centre("child", NULL, "", 3);
  astray = ascribe_host_centre("astray", "Main", "/main.stg", 4);
  holds(foo == ascribe_host_centre("foo", "Main", "/other.stg", 9));
  ascribe_host_functions(ASCRIBE_BY_CALLER);
  for (int i = 0; i < 1000; i++)
    rules();
  uint32_t demander = ascribe_scc(foo), closure = ascribe_built();
  ascribe_restore(demander);
  lexical(closure);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, evaluate, &closure);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  in_child();
  skipped();
  nonsense();
  printf("%s %d\n", wrong ? "wrong" : "right", wrong);
  return 0;
}
