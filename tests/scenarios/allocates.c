/* Allocates in every odd way: allocates MODE.  What it writes depends on nothing else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
extern void *__libc_malloc(size_t);

KEEP void *make(size_t bytes) {
  void *block = malloc(bytes);
  __asm__ volatile("" ::: "memory");
  return block;
}

KEEP void drop(void *block) {
  free(block);
  __asm__ volatile("" ::: "memory");
}

/* ---- of three sizes ---- */

KEEP void *small_blocks(void) {
  void *block = malloc(48);
  __asm__ volatile("" ::: "memory");
  return block;
}
KEEP void *middle_blocks(void) {
  void *block = malloc(2000);
  __asm__ volatile("" ::: "memory");
  return block;
}
KEEP void *large_blocks(void) {
  void *block = malloc(30000);
  __asm__ volatile("" ::: "memory");
  return block;
}

/* Each keeps a tenth. */
static void sizes(void) {
  static void *(*const functions[])(void) = {small_blocks, middle_blocks, large_blocks};
  static const int times[] = {20000, 300, 30};
  for (int kind = 0; kind < 3; kind++)
    for (int i = 0; i < times[kind]; i++) {
      void *block = functions[kind]();
      if (i % 10) drop(block);
    }
}

/* 2000 blocks of 500 bytes at any time, which change all the while. */
static void pool(void) {
  static void *blocks[2000];
  unsigned long random = 1;
  for (int i = 0; i < 2000; i++)
    blocks[i] = make(500);
  for (int i = 0; i < 100000; i++) {
    random = random * 6364136223846793005ul + 1442695040888963407ul;
    void **block = &blocks[(random >> 33) % 2000];
    drop(*block);
    *block = make(500);
  }
  for (int i = 0; i < 2000; i++)
    drop(blocks[i]);
}

/* ---- what a judge sees, too ---- */

static void *kept[100];

KEEP void grow(int depth) {
  if (depth) grow(depth - 1);
  kept[depth] = make(100 + (size_t)depth);
  __asm__ volatile("" ::: "memory");
}

KEEP void shrink(void) {
  for (int i = 0; i < 100; i += 2) {
    drop(kept[i]);
    kept[i] = NULL;
  }
}

KEEP void relatives(void) {
  void *aligned = NULL;
  drop(calloc(7, 11));
  drop(memalign(64, 100));
  drop(aligned_alloc(64, 128));
  if (posix_memalign(&aligned, 32, 50) == 0) drop(aligned);
  drop(strdup("a string of some length"));
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen("/proc/self/status", "r");
  if (file && getline(&line, &room, file) > 0) drop(line);
  if (file) fclose(file);
}

static void plain(void) {
  grow(99);
  shrink();
  relatives();
  for (int i = 0; i < 1000; i++)
    drop(make(64));
}

/* ---- realloc ---- */

static void reallocs(void) {
  char *block = realloc(NULL, 10);
  strcpy(block, "nine byte");
  block = realloc(block, 1000);
  errno = 0;
  void *none = realloc(block, PTRDIFF_MAX - 4096ul);
  printf("%d %d %s\n", none == NULL, errno == ENOMEM, block);
  errno = 0;
  none = reallocarray(block, SIZE_MAX / 2, 4);
  printf("%d %d %s\n", none == NULL, errno == ENOMEM, block);
  block = reallocarray(block, 20, 10);
  printf("%s\n", block);
  none = realloc(block, 0);
  printf("%d\n", none == NULL);
  drop(make(0));
}

static void large(void) {
  for (int i = 0; i < 10; i++) {
    char *block = make(5ull << 30);
    printf("%d\n", block != NULL);
    if (block) block[0] = 1;
    drop(block);
  }
}

static void unknown(void) {
  for (int i = 0; i < 10; i++)
    free(__libc_malloc(100));
}

/* ---- jumping out of malloc, or of what records it ---- */

static uint64_t libc_start, libc_end;
static sigjmp_buf again;
static volatile int jumps;

static int find_libc(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "libc.so")) return 0;
  libc_start = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      libc_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  return 0;
}

/* libc's own data would not survive it. */
static void jump(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (pc >= libc_start && pc < libc_end) return;
  jumps++;
  siglongjmp(again, 1);
}

KEEP void spin(int depth) {
  if (depth) spin(depth - 1);
  for (int i = 0; i < 1000 && !depth; i++)
    drop(make(32));
  __asm__ volatile("" ::: "memory");
}

static void leaves(void) {
  struct sigaction action = {.sa_sigaction = jump, .sa_flags = SA_SIGINFO};
  struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  dl_iterate_phdr(find_libc, NULL);
  sigaction(SIGALRM, &action, NULL);
  sigsetjmp(again, 1);
  setitimer(ITIMER_REAL, &often, NULL);
  while (jumps < 200)
    spin(20);
  setitimer(ITIMER_REAL, &never, NULL);
  for (int i = 0; i < 1000; i++)
    make(40);
  printf("left\n");
}

/* ---- threads ---- */

enum { THREADS = 32, PLACES = 1024 };
static void *places[PLACES];
static volatile int over;

static void *storm(void *argument) {
  uint64_t random = (uint64_t)argument * 2654435761u + 1;
  while (!over) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    void *fresh = make(16 + random % 500);
    void *before =
        __atomic_exchange_n(&places[random >> 20 & (PLACES - 1)], fresh, __ATOMIC_ACQ_REL);
    drop(before);
  }
  return NULL;
}

static void storms(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, storm, (void *)(i + 1));
  sleep(2);
  over = 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < PLACES; i++)
    drop(places[i]);
  printf("calm\n");
}

static pthread_key_t key;
static void at_thread_end(void *value) {
  drop(value);
  drop(make(77));
}
static void *ends(void *unused) {
  pthread_setspecific(key, make(70));
  return unused;
}
static void destructors(void) {
  pthread_key_create(&key, at_thread_end);
  for (int i = 0; i < 300; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, ends, NULL);
    pthread_join(thread, NULL);
  }
}

/* ---- small stacks ---- */

static ucontext_t outside, inside;
static void coroutine(void) {
  for (int i = 0; i < 100; i++) {
    drop(make(48));
    swapcontext(&inside, &outside);
  }
}
static void coroutines(void) {
  static char stack[8192] __attribute__((aligned(16)));
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  makecontext(&inside, coroutine, 0);
  for (int i = 0; i < 101; i++)
    swapcontext(&outside, &inside);
  printf("back\n");
}

/* ---- processes ---- */

static void forks(void) {
  for (int i = 0; i < 100; i++)
    kept[i] = make(1000);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 50; i++)
      drop(kept[i]);
    for (int i = 0; i < 10; i++)
      make(10);
    exit(0);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < 100; i++)
    drop(kept[i]);
  printf("joined\n");
}

static void killed(void) {
  for (long i = 0;; i++) {
    void *block = make(100);
    if (i % 3) drop(block);
    if (i == 10000) kill(getpid(), SIGKILL);
  }
}

__attribute__((constructor(101))) static void early(void) {
  drop(make(33));
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"plain", plain},           {"sizes", sizes},   {"pool", pool},
               {"reallocs", reallocs},     {"large", large},   {"unknown", unknown},
               {"leaves", leaves},         {"storms", storms}, {"destructors", destructors},
               {"coroutines", coroutines}, {"forks", forks},   {"killed", killed}};
  if (count > 2 && strcmp(arguments[1], "exec") == 0) {
    make(555);
    execl(arguments[0], arguments[0], arguments[2], NULL);
  }
  if (count > 2 && strcmp(arguments[1], "load") == 0) {
    void *library = dlopen(arguments[2], RTLD_NOW);
    if (library) dlclose(library);
    printf("%d\n", library != NULL);
    return 0;
  }
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (count > 1 && strcmp(modes[i].name, arguments[1]) == 0) {
      modes[i].run();
      return 0;
    }
  return 2;
}
