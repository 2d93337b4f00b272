/* Memory beside the heap: pools, and what the program asks the kernel for.  Writes what is true. */
#define _GNU_SOURCE
#include <ascribe/ascribe.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define PAGE 4096

KEEP static void work(int milliseconds) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
         milliseconds);
}

/* ---- pools ---- */

static char arena[1 << 20];
static size_t arena_used;

/* Blocks that begin at any address, side by side. */
KEEP static void *arena_take(size_t bytes) {
  char *block = arena + arena_used;
  arena_used += bytes;
  ascribe_pool_allocated("arena", block, bytes);
  return block;
}

KEEP static void *node_new(void) {
  void *block = malloc(48);
  ascribe_pool_allocated("nodes", block, 40);
  return block;
}

KEEP static void node_free(void *block) {
  ascribe_pool_freed("nodes", block);
  free(block);
}

static void pools(void) {
  void *nodes[1000];
  for (int i = 0; i < 1000; i++) {
    arena_take(3);
    nodes[i] = node_new();
  }
  work(60);
  ascribe_pool_emptied("arena");
  arena_used = 0;
  for (int i = 0; i < 10; i++)
    arena_take(5);
  for (int i = 0; i < 600; i++)
    node_free(nodes[i]);
  /* What a pool did not give out, and a pool in a block of another one. */
  ascribe_pool_freed("nodes", arena);
  ascribe_pool_freed("nobody's", nodes[700]);
  ascribe_pool_freed("nodes", NULL);
  ascribe_pool_allocated("inner", nodes[700], 8);
  /* Given out again. */
  ascribe_pool_allocated("nodes", nodes[701], 44);
  ascribe_kind(nodes[702], "named");
  puts("done");
}

/* ---- threads that give back each other's ---- */

enum { THREADS = 8, EACH = 20000 };
static char *shared;

KEEP static void *give_out(void *number) {
  size_t first = *(const int *)number * (size_t)EACH;
  for (size_t i = first; i < first + EACH; i++)
    ascribe_pool_allocated("shared", shared + 16 * i, 16);
  return NULL;
}

KEEP static void *give_back(void *number) {
  size_t first = (*(const int *)number + 3) % THREADS * (size_t)EACH;
  for (size_t i = first; i < first + EACH; i += 2)
    ascribe_pool_freed("shared", shared + 16 * i);
  return NULL;
}

static void in_threads(void *(*run)(void *)) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, run, &numbers[i]);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

static void threads(void) {
  shared = malloc(16ul * THREADS * EACH);
  in_threads(give_out);
  in_threads(give_back);
}

/* ---- a child, and a kill ---- */

static void child(void) {
  void *first = node_new(), *second = node_new();
  if (fork() == 0) {
    node_free(first);
    node_new();
    _exit(0);
  }
  wait(NULL);
  node_free(second);
}

static void killed(void) {
  for (int i = 0; i < 5000; i++) {
    arena_take(7);
    mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (i == 2500) work(40);
  }
  raise(SIGKILL);
}

/* ---- mappings ---- */

enum { PAGES = 400 };
static unsigned random_state = 1;

static unsigned random_below(unsigned end) {
  random_state = random_state * 1103515245 + 12345;
  return (random_state >> 16) % end;
}

/* How many of these pages are mapped. */
static unsigned count_mapped(const bool *mapped, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; i++)
    sum += mapped[i];
  return sum;
}

/* Maps and unmaps pieces of one range at random, and knows which pages are mapped.  In what it
 * unmapped others may have memory by now. */
KEEP static void at_random(void) {
  char *range = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static bool mapped[PAGES];
  size_t live = PAGES, most = PAGES, changes = 1, sum = PAGES;
  memset(mapped, true, sizeof mapped);
  for (int i = 0; i < 6000; i++) {
    unsigned first = random_below(PAGES), count = 1 + random_below(PAGES - first);
    if (count > 12) count = 12;
    bool maps = random_below(3);
    unsigned before = count_mapped(mapped + first, count);
    if (maps || before < count) {
      if (before && before < count) continue;
      int fixed = before ? MAP_FIXED : MAP_FIXED_NOREPLACE;
      maps = mmap(range + first * PAGE, count * PAGE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0) != MAP_FAILED;
      if (!maps) continue;
      changes++;
      sum += count;
    } else {
      munmap(range + first * PAGE, count * PAGE);
    }
    for (unsigned k = first; k < first + count; k++) {
      live += maps - mapped[k];
      mapped[k] = maps;
    }
    if (live > most) most = live;
  }
  printf("%zu %zu %zu %zu\n", changes, sum * PAGE, live * PAGE, most * PAGE);
}

KEEP static void *grow(void *block, size_t from, size_t to) {
  return mremap(block, from, to, MREMAP_MAYMOVE);
}

static void others(void) {
  char *block = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  grow(block, PAGE, 3 * PAGE);
  mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  mmap(NULL, 100, PROT_READ, MAP_PRIVATE, fileno(tmpfile()), 0);
  char *end = sbrk(2 * PAGE);
  work(60);
  brk(end + PAGE);
  /* What fails changes nothing. */
  mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(block + 1, PAGE);
  mremap(block, PAGE, (size_t)1 << 60, 0);
  sbrk((intptr_t)1 << 50);
}

/* What a library maps is told, too; what libc does for itself is not. */
static void libc_itself(void) {
  free(malloc(10 << 20));
  in_threads(give_back);
}

/* ---- odd uses ---- */

static void edges(void) {
  static char memory[64];
  ascribe_pool_allocated("edges", NULL, 5);
  ascribe_pool_allocated("edges", memory, (size_t)-1);
  for (int i = 0; i < 100000; i++) {
    for (int k = 0; k < 3; k++)
      ascribe_pool_allocated("edges", memory + 20 * k + i % 2, 7);
    ascribe_pool_emptied("edges");
  }
  ascribe_pool_allocated("edges", memory, 9);
  /* The kernel unmaps whole pages. */
  char *block = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(block, 100);
  munmap(block + PAGE, PAGE);
  block = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mremap(block, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
  char *row[1000];
  for (int i = 0; i < 1000; i++)
    row[i] = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 1000; i += 2)
    munmap(row[i], PAGE);
}

KEEP static void *empty(void *unused) {
  for (int i = 0; i < 2000; i++)
    ascribe_pool_emptied("shared");
  return unused;
}

/* All of them use one pool, and empty it at the same time. */
KEEP static void *use(void *number) {
  const char *own = shared + *(const int *)number * 1600;
  for (int i = 0; i < 5000; i++) {
    for (int k = 0; k < 100; k++)
      ascribe_pool_allocated("shared", own + 16 * k, 16);
    for (int k = 0; k < 100; k += 3)
      ascribe_pool_freed("shared", own + 16 * k);
  }
  return empty(NULL);
}

static void emptied(void) {
  shared = malloc(1600 * THREADS);
  in_threads(use);
  ascribe_pool_emptied("shared");
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "pools";
  if (!strcmp(what, "pools")) pools();
  if (!strcmp(what, "threads")) threads();
  if (!strcmp(what, "child")) child();
  if (!strcmp(what, "killed")) killed();
  if (!strcmp(what, "random")) at_random();
  if (!strcmp(what, "others")) others();
  if (!strcmp(what, "libc")) libc_itself();
  if (!strcmp(what, "edges")) edges();
  if (!strcmp(what, "emptied")) emptied();
  return 0;
}
