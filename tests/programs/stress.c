/* Eight threads that allocate, load and unload libraries, throw (through a library in C++) and
 * fork, at the highest rate. STRESS_SECONDS says for how long (3).
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT library stress_library.cc libthrows.so -O1
 * EXPECT record --rate 10000
 * EXPECT output as it should be
 * EXPECT sampled cut any
 */
#include "program.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, BLOCKS = 64 };

static double end;
static int wrong; /* atomic */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void expect_true(int holds, const char *what) {
  if (holds) return;
  __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
  fprintf(stderr, "%s\n", what);
}

static void allocate(unsigned *random) {
  unsigned char *blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    size_t bytes = 1 + rand_r(random) % 70000;
    blocks[i] = malloc(bytes);
    blocks[i][0] = blocks[i][bytes - 1] = (unsigned char)i;
  }
  for (int i = 0; i < BLOCKS; i++) {
    expect_true(blocks[i][0] == i, "a block was overwritten");
    free(blocks[i]);
  }
}

static void load(unsigned *random) {
  void *library = dlopen("libthrows.so", RTLD_NOW | RTLD_LOCAL);
  int (*catches)(int) = library ? (int (*)(int))dlsym(library, "catches") : NULL;
  expect_true(catches != NULL, "the library could not be loaded");
  int depth = (int)(rand_r(random) % 20);
  if (catches) expect_true(catches(depth) == depth, "the wrong exception");
  if (library) dlclose(library);
}

static void make_child(unsigned *random) {
  pid_t child = fork();
  if (child == 0) {
    allocate(random);
    _exit(7);
  }
  int status = 0;
  expect_true(child > 0 && waitpid(child, &status, 0) == child, "no child");
  expect_true(WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child ended otherwise");
}

static void *works(void *number) {
  unsigned random = (unsigned)(size_t)number;
  for (unsigned round = 0; now() < end; round++) {
    allocate(&random);
    if (round % 4 == 1) load(&random);
    if (round % 16 == 3) make_child(&random);
  }
  return NULL;
}

int main(void) {
  const char *seconds = getenv("STRESS_SECONDS");
  end = now() + (seconds ? atof(seconds) : 3);
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, works, (void *)i)) return 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  if (!wrong) puts("as it should be");
  return wrong;
}
