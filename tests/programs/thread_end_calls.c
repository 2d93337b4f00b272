/* What threads call when their destructors have run: libc frees their storage by the program's own
 * free(), and signals still come. The next thread counts at the same time.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 5 rounds
 * EXPECT calls leaf 100005000
 * EXPECT calls handler 5
 */
#include "program.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

enum { ROUNDS = 5, CALLS = 10000000 };

static char arena[64 << 20];
static size_t used;
static int late, first_is_late, second_has_begun;
static __thread int ending;

KEEP void leaf(void) {
  __asm__ volatile("");
}

KEEP void calls(int count) {
  for (int i = 0; i < count; i++)
    leaf();
}

KEEP void handler(int signal) {
  (void)signal;
  calls(1000);
}

static void wait_for(int *flag) {
  while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
    sched_yield();
}

void *malloc(size_t bytes) {
  return arena + __atomic_fetch_add(&used, (bytes + 31) & ~(size_t)15, __ATOMIC_RELAXED);
}
void *calloc(size_t count, size_t bytes) {
  return malloc(count * bytes);
}
void *realloc(void *earlier, size_t bytes) {
  void *memory = malloc(bytes);
  return earlier ? memcpy(memory, earlier, bytes) : memory;
}

void free(void *memory) {
  (void)memory;
  if (!ending) return;
  ending = 0;
  late++;
  raise(SIGUSR1);
  __atomic_store_n(&first_is_late, 1, __ATOMIC_RELEASE);
  wait_for(&second_has_begun);
  calls(CALLS);
}

static void *first(void *argument) {
  ending = 1;
  return argument;
}

static void *second(void *argument) {
  __atomic_store_n(&second_has_begun, 1, __ATOMIC_RELEASE);
  calls(CALLS);
  return argument;
}

int main(void) {
  pthread_t one, two;
  signal(SIGUSR1, handler);
  for (int i = 0; i < ROUNDS; i++) {
    first_is_late = second_has_begun = 0;
    if (pthread_create(&one, NULL, first, NULL)) return 1;
    wait_for(&first_is_late);
    if (pthread_create(&two, NULL, second, NULL)) return 1;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
  }
  printf("%d rounds\n", late);
  return 0;
}
