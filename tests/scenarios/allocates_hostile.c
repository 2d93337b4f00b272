/* Allocates under conditions that are hard for a recorder: allocates_hostile MODE. What it writes
 * depends on nothing else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define BARRIER __asm__ volatile("" ::: "memory")

extern char **environ;

KEEP void *make(size_t bytes) {
  void *block = malloc(bytes);
  BARRIER;
  return block;
}

KEEP void drop(void *block) {
  free(block);
  BARRIER;
}

/* ---- a stack for each number ---- */

KEEP void *stack_of(unsigned long bits, int depth, size_t bytes) {
  void *block;
  if (!depth)
    block = make(bytes);
  else if (bits & 1)
    block = stack_of(bits >> 1, depth - 1, bytes);
  else
    block = stack_of(bits >> 1, depth - 1, bytes);
  BARRIER;
  return block;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 200000 stacks. */
static void stacks(void) {
  for (unsigned long i = 0; i < 200000; i++) {
    void *block = stack_of(i, 18, 24);
    if (i % 4) drop(block);
  }
  printf("stacks\n");
}

/* As many as there is time for. */
static void millions(void) {
  double end = seconds() + 10;
  for (unsigned long i = 0; seconds() < end; i++)
    drop(stack_of(i, 24, 24));
}

/* ---- no memory left ---- */

static void exhausts(void) {
  struct rlimit limit = {300ul << 20, 300ul << 20};
  static void *blocks[1 << 20];
  size_t count = 0;
  setrlimit(RLIMIT_AS, &limit);
  while (count < 1 << 20 && (blocks[count] = stack_of(count, 18, 1000)))
    count++;
  int lacks = errno;
  for (size_t i = 0; i < count; i++)
    drop(blocks[i]);
  drop(make(100));
  printf("%d\n", lacks == ENOMEM);
}

/* ---- threads that hand on their blocks ---- */

enum { THREADS = 32, ROUNDS = 2000, LIVES = 8, PLACES = 512 };
static void *places[PLACES];

KEEP static void swap(uint64_t random, void *fresh) {
  drop(__atomic_exchange_n(&places[random >> 20 & (PLACES - 1)], fresh, __ATOMIC_ACQ_REL));
}

static uint64_t next_random(uint64_t random) {
  random ^= random << 13;
  random ^= random >> 7;
  return random ^ random << 17;
}

static void *worker(void *argument) {
  uint64_t random = (uint64_t)argument * 2654435761u + 1;
  for (int i = 0; i < ROUNDS; i++) {
    random = next_random(random);
    swap(random, stack_of(random >> 40, 5, 16 + random % 500));
  }
  return NULL;
}

static void *master(void *argument) {
  for (int i = 0; i < LIVES; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, (void *)((long)argument * LIVES + i + 1));
    pthread_join(thread, NULL);
  }
  return NULL;
}

static void relay(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, master, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < PLACES; i++)
    drop(places[i]);
  printf("calm\n");
}

static void *endless(void *argument) {
  uint64_t random = (uint64_t)argument * 2654435761u + 1;
  for (;;) {
    random = next_random(random);
    swap(random, stack_of(random >> 40, 12, 16 + random % 500));
  }
  return NULL;
}

/* Until it is killed. */
static void unending(void) {
  pthread_t thread;
  for (long i = 0; i < 3; i++)
    pthread_create(&thread, NULL, endless, (void *)(i + 1));
  endless((void *)7);
}

static void alone(void) {
  endless((void *)7);
}

/* ---- handlers ---- */

static uint64_t libc_start, libc_end;

static int find_libc(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "libc.so")) return 0;
  libc_start = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      libc_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  return 0;
}

/* libc's own data would survive neither a jump nor another allocation. */
static int is_in_libc(const void *context) {
  uint64_t pc = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  return pc >= libc_start && pc < libc_end;
}

static volatile int handled;
static sigjmp_buf again;

/* Once: handlers take longer than that. */
static void set_timer(int microseconds) {
  struct itimerval timer = {{0, 0}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void allocate_in_handler(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  for (int i = 0; i < 3000 && !is_in_libc(context); i++)
    drop(stack_of((unsigned long)i * 977, 9, 32));
  handled += !is_in_libc(context);
  set_timer(200);
}

static void jump(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  set_timer(100);
  if (is_in_libc(context)) return;
  handled++;
  siglongjmp(again, 1);
}

static volatile int is_child;

/* The child goes on where the handler interrupted its parent. */
static void fork_in_handler(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  pid_t pid = is_child || is_in_libc(context) ? -1 : fork();
  if (pid > 0) waitpid(pid, NULL, 0);
  if (!pid) is_child = 1;
  handled += pid > 0;
  set_timer(is_child ? 0 : 300);
}

static void begin_handling(void (*handler)(int, siginfo_t *, void *), int flags) {
  static char stack[65536];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  handled = 0;
  sigaltstack(&alternate, NULL);
  sigaction(SIGALRM, &action, NULL);
  set_timer(100);
}

static void handlers(void) {
  dl_iterate_phdr(find_libc, NULL);
  for (int flags = 0; flags <= SA_ONSTACK; flags += SA_ONSTACK) {
    begin_handling(allocate_in_handler, flags);
    for (unsigned long i = 0; handled < 300; i++)
      drop(stack_of(i, 18, 40));
    set_timer(0);
  }
  printf("handled\n");
}

static void handlers_fork(void) {
  dl_iterate_phdr(find_libc, NULL);
  begin_handling(fork_in_handler, 0);
  unsigned long number = 0;
  while (handled < 150 && !is_child)
    drop(stack_of(number++, 18, 40));
  for (int i = 0; is_child && i < 10; i++)
    drop(make(16));
  if (is_child) _exit(0);
  set_timer(0);
  printf("forked\n");
}

static void jumps(void) {
  static volatile unsigned long number;
  dl_iterate_phdr(find_libc, NULL);
  for (volatile int flags = 0; flags <= SA_ONSTACK; flags += SA_ONSTACK) {
    sigsetjmp(again, 1);
    if (!handled) begin_handling(jump, flags);
    while (handled < 3000)
      drop(stack_of(number++, 18, 40));
    set_timer(0);
    handled = 0;
  }
  for (int i = 0; i < 2000; i++)
    make(48);
  printf("left\n");
}

/* ---- odd calls ---- */

#define TELL(call)                                                                                 \
  do {                                                                                             \
    errno = 77;                                                                                    \
    void *result_ = (call);                                                                        \
    int errno_ = errno;                                                                            \
    printf("%-32s %d %d\n", #call, result_ != NULL, errno_);                                       \
    errno = 78;                                                                                    \
    free(result_);                                                                                 \
    if (errno != 78) printf("free changed errno to %d\n", errno);                                  \
  } while (0)

static void tell_posix(size_t alignment, size_t bytes) {
  void *block = (void *)&block;
  errno = 77;
  int status = posix_memalign(&block, alignment, bytes);
  printf("posix_memalign %zu %d %d %d\n", alignment, status, errno, block == (void *)&block);
  if (!status) printf("%d\n", (int)((uintptr_t)block % alignment));
  if (!status) free(block);
}

static void odd_calls(void) {
  volatile size_t huge = PTRDIFF_MAX, most = SIZE_MAX, zero = 0;
  for (int i = 0; i < 3; i++) {
    TELL(malloc(zero));
    TELL(malloc(huge));
    TELL(malloc(most));
    TELL(calloc(zero, 8));
    TELL(calloc(most / 2, 3));
    TELL(realloc(NULL, zero));
    TELL(realloc(NULL, most));
    TELL(realloc(malloc(10), zero));
    TELL(realloc(malloc(100000), 10));
    TELL(realloc(malloc(10), 3000000));
    TELL(reallocarray(NULL, most / 2, 3));
    TELL(reallocarray(NULL, 10, 10));
    TELL(reallocarray(malloc(5), zero, 10));
    TELL(memalign(1 << 24, 100));
    TELL(memalign(3, 100));
    TELL(memalign(64, most - 100));
    TELL(memalign((most >> 1) + 1, 100));
    TELL(aligned_alloc(4096, 4096));
    TELL(aligned_alloc(64, zero));
    TELL(valloc(100));
    TELL(valloc(most));
    TELL(pvalloc(zero));
    TELL(pvalloc(most));
    tell_posix(zero, 10);
    tell_posix(3, 10);
    tell_posix(4, 10);
    tell_posix(24, 10);
    tell_posix(1 << 22, 10);
    tell_posix(64, most - 10);
    tell_posix(64, zero);
  }
  char *kept = malloc(100);
  strcpy(kept, "is kept");
  errno = 0;
  void *none = realloc(kept, huge);
  printf("%d\n", errno);
  if (!none) none = reallocarray(kept, most, most);
  if (none) return;
  printf("%d %s\n", errno, kept);
  size_t usable = malloc_usable_size(kept);
  memset(kept, 1, usable);
  kept = realloc(kept, usable);
  printf("%zu %d\n", usable, malloc_usable_size(kept) >= usable);
  drop(kept);
  drop(NULL);
}

static void at_the_end(void) {
  drop(make(501));
  make(502);
}

static void on_the_exit(int status, void *block) {
  (void)status;
  drop(block);
}

static void late(void) {
  atexit(at_the_end);
  on_exit(on_the_exit, make(503));
}

/* ---- processes ---- */

static volatile int over;

static void *until_over(void *argument) {
  uint64_t random = (uint64_t)argument * 2654435761u + 1;
  while (!over) {
    random = next_random(random);
    swap(random, stack_of(random >> 40, 8, 16 + random % 500));
  }
  return NULL;
}

static void child(int number) {
  static char *const arguments[] = {"true", NULL};
  if (number % 3 == 0) _exit(3);
  for (int i = 0; i < 300; i++)
    swap((uint64_t)i << 20, stack_of((unsigned long)i, 8, 48));
  if (number % 3 == 1) execve("/bin/true", arguments, environ);
  exit(4);
}

static int ending(pid_t pid) {
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static void forks(void) {
  static char *const arguments[] = {"false", NULL};
  pthread_t threads[3];
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, until_over, (void *)(i + 1));
  for (int i = 0; i < 24; i++) {
    drop(stack_of((unsigned long)i, 5, 64));
    pid_t pid = fork();
    if (!pid) child(i);
    printf("%d ", ending(pid));
    pid = vfork();
    if (!pid) {
      execve("/bin/false", arguments, environ);
      _exit(9);
    }
    printf("%d ", ending(pid));
    int failed = posix_spawn(&pid, "/bin/false", NULL, NULL, arguments, environ);
    printf("%d %d\n", failed, failed ? 0 : ending(pid));
    fflush(stdout);
  }
  over = 1;
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
}

/* ---- system calls that are forbidden ---- */

static void forbid_mmap(uint32_t action) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, action)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  printf("%d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
  fflush(stdout);
}

static void refused_mmap(uint32_t action) {
  drop(make(10));
  forbid_mmap(action);
  for (unsigned long i = 0; i < 20000; i++) {
    void *block = stack_of(i, 16, 40);
    if (!block) printf("none\n");
    if (i % 2) drop(block);
  }
  printf("without mmap\n");
}

static void refuses_mmap(void) {
  refused_mmap(SECCOMP_RET_ERRNO | EPERM);
}

static void kills_for_mmap(void) {
  refused_mmap(SECCOMP_RET_KILL_PROCESS);
}

/* ---- blocks that fit no table ---- */

static void huge_blocks(void) {
  enum { COUNT = 3000 };
  static void *blocks[COUNT];
  mallopt(M_MMAP_MAX, 1 << 20);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < COUNT; i++)
      blocks[i] = make((size_t)(i % 100 ? 600 : 5000) << 20);
    for (int i = 0; i < COUNT; i++)
      drop(blocks[i]);
  }
}

/* ---- 16 bytes each, of two threads ---- */

static void *tiny(void *argument) {
  static __thread void *blocks[1000];
  for (int round = 0; round < 100; round++) {
    for (int i = 0; i < 1000; i++)
      blocks[i] = make(8 + (size_t)(i & 8));
    for (int i = 0; i < 1000; i++)
      drop(blocks[i]);
  }
  return argument;
}

static void tinies(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, tiny, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  printf("tiny\n");
}

static void many_tinies(void) {
  enum { COUNT = 300000 };
  static void *blocks[COUNT];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < COUNT; i++)
      blocks[i] = make(8);
    for (int i = 0; i < COUNT; i++)
      drop(blocks[i]);
  }
  printf("many\n");
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"stacks", stacks},
               {"millions", millions},
               {"exhausts", exhausts},
               {"relay", relay},
               {"unending", unending},
               {"alone", alone},
               {"handlers", handlers},
               {"jumps", jumps},
               {"handlers_fork", handlers_fork},
               {"odd_calls", odd_calls},
               {"late", late},
               {"forks", forks},
               {"refuses_mmap", refuses_mmap},
               {"kills_for_mmap", kills_for_mmap},
               {"huge_blocks", huge_blocks},
               {"tinies", tinies},
               {"many_tinies", many_tinies}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (count > 1 && strcmp(modes[i].name, arguments[1]) == 0) {
      modes[i].run();
      return 5;
    }
  return 2;
}
