/* A language host (ascribe/host.h) that does everything wrong beside what it does right: what makes
 * no sense is left out, what makes sense is counted, and the program goes on.
 * EXPECT output 1 60
 * EXPECT link -pthread
 * EXPECT calls outer 2
 * EXPECT calls inner 6011
 * EXPECT arc outer inner 5010
 * EXPECT calls in-thread 4000
 * EXPECT calls deep 10000
 * EXPECT calls in-child 10
 * EXPECT calls handled 100
 * EXPECT calls tail-b 1000
 * EXPECT arc outer tail-a 1000
 * EXPECT arc outer tail-b 1000
 * EXPECT never tail-a tail-b
 * EXPECT arc outer kept-a 1000
 * EXPECT arc kept-a kept-b 1000000
 * EXPECT arc kept-b kept-a 999000
 * EXPECT cycle kept-a kept-b
 * EXPECT contexts-below 200
 * EXPECT dropped 3
 * EXPECT dropped 4
 * EXPECT dropped 9
 * EXPECT processes 2
 */
#include "program.h"

#include <ascribe/host.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

static ascribe_point outer, inner, site, in_thread, deep, in_child, handled;
static ascribe_point tail_a, tail_b, kept_a, kept_b;
static uint32_t context_of_main;

static void *thread(void *unused) {
  (void)unused;
  ascribe_leave(context_of_main); /* of another thread: the same functions are active */
  for (int i = 0; i < 1000; i++)
    ascribe_leave(ascribe_enter(in_thread, 0));
  for (int i = 0; i < 1000; i++)
    ascribe_leave(ascribe_enter(inner, site));
  return NULL;
}

static void handle(int signal) {
  (void)signal;
  ascribe_leave(ascribe_enter(handled, 0));
}

/* As the stack has it: who calls in place of itself is gone. */
static void call_in_place(void) {
  for (int i = 0; i < 1000; i++) {
    uint32_t caller = ascribe_enter(tail_a, site);
    ascribe_leave(caller);
    caller = ascribe_enter(tail_b, site);
    ascribe_leave(caller);
  }
}

/* As a programmer may expect: it stays active. */
static void call_and_stay(void) {
  for (int i = 0; i < 1000; i++) {
    uint32_t caller = ascribe_enter(kept_a, site);
    for (int k = 0; k < 1000; k++) {
      if (k) ascribe_enter(kept_a, site);
      ascribe_enter(kept_b, site);
    }
    ascribe_leave(caller);
  }
}

/* Numbers that no one gave out. */
static void make_no_sense(void) {
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 1000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    uint32_t before = ascribe_context();
    ascribe_enter(random, random);
    ascribe_leave((uint32_t)random);
    ascribe_enter(inner, random | 1);
    ascribe_go_on(random);
    ascribe_leave(before);
  }
  ascribe_enter(0, 0);
  ascribe_leave(0);
  ascribe_host_place(random, ASCRIBE_CALL, ascribe_range_at(1, 1));
  ascribe_host_file(random & 0xffff, "nowhere");
  ascribe_host_running((const ascribe_point *)16);
  burn(10000000);
  void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(gone, 0xff, 4096);
  ascribe_host_running(gone);
  burn(10000000);
  munmap(gone, 4096);
  burn(10000000);
  ascribe_host_running(NULL);
  for (uintptr_t i = 0; i < 20; i++)
    ascribe_host_own_code((const void *)(16 * i), (const void *)(16 * i + 8));
  ascribe_host_own_code((const void *)64, (const void *)16);
}

/* One more than there may be; equal names are one. */
static int make_worlds(void) {
  char name[16];
  int count = 1;
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "world %d", i / 2);
    uint32_t world = ascribe_host_world(name), again = ascribe_host_world(name);
    if (world == again && i % 2) count += world != 0;
  }
  for (int i = 100; i < 120; i++) {
    snprintf(name, sizeof name, "world %d", i);
    count += ascribe_host_world(name) != 0;
  }
  return count + !ascribe_host_recorded();
}

static void fork_child(void) {
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; i++)
      ascribe_leave(ascribe_enter(in_child, site));
    for (int i = 0; i < 10; i++)
      ascribe_leave(ascribe_enter(inner, site));
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

int main(void) {
  int recorded = ascribe_host_begin();
  uint32_t world = ascribe_host_world("script"), file = ascribe_host_file(world, "/script");
  outer = ascribe_host_function(world, "outer", file, ascribe_range_at(1, 1));
  inner = ascribe_host_function(world, "inner", file, ascribe_range_at(2, 1));
  site = ascribe_host_place(ascribe_host_place(outer, ASCRIBE_EXPRESSION, ascribe_range_at(3, 1)),
                            ASCRIBE_CALL, ascribe_range_at(3, 5));
  in_thread = ascribe_host_function(world, "in-thread", file, ascribe_range_at(4, 1));
  deep = ascribe_host_function(world, "deep", file, ascribe_range_at(5, 1));
  in_child = ascribe_host_function(world, "in-child", file, ascribe_range_at(6, 1));
  handled = ascribe_host_function(world, "handled", file, ascribe_range_at(7, 1));
  tail_a = ascribe_host_function(world, "tail-a", file, ascribe_range_at(8, 1));
  tail_b = ascribe_host_function(world, "tail-b", file, ascribe_range_at(9, 1));
  kept_a = ascribe_host_function(world, "kept-a", file, ascribe_range_at(10, 1));
  kept_b = ascribe_host_function(world, "kept-b", file, ascribe_range_at(11, 1));
  uint32_t nowhere = ascribe_enter(outer, 0);
  context_of_main = ascribe_context();
  signal(SIGUSR1, handle);
  for (int i = 0; i < 1000; i++) {
    uint32_t own = ascribe_enter(inner, site);
    if (i % 10 == 0) raise(SIGUSR1);
    ascribe_leave(own);
  }
  call_in_place();
  call_and_stay();
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, thread, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  fork_child();
  for (int i = 0; i < 10000; i++)
    ascribe_enter(deep, 0); /* and never leaves */
  ascribe_leave(nowhere);
  make_no_sense();
  int worlds = make_worlds();
  ascribe_leave(ascribe_enter(outer, 0));
  ascribe_leave(ascribe_enter(inner, 0));
  printf("%d %d\n", recorded || !ascribe_host_recorded(), recorded ? worlds : 60);
  return 0;
}
