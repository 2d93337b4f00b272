/* A program that is looked at from outside: looked_at WHAT.  What it burns is CPU time of `burn`,
 * below functions whose names tell the share. */
#include "program.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP = 40000000 };

KEEP void one(void) {
  burn(STEP);
  NOT_A_TAIL();
}

/* Long enough that the program's start is next to nothing. */
static int often(void) {
  for (int i = 0; i < 5; i++)
    one();
  return 1;
}

KEEP void three(void) {
  burn(3ul * STEP);
  NOT_A_TAIL();
}

KEEP void *worker(void *unused) {
  one();
  NOT_A_TAIL();
  return unused;
}

KEEP void *long_worker(void *unused) {
  three();
  NOT_A_TAIL();
  return unused;
}

static void threads(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, worker, NULL);
  pthread_create(&second, NULL, long_worker, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

/* Frames of more than 300 bytes. */
KEEP int deep(int depth) {
  char frame[300];
  memset(frame, depth, sizeof frame);
  __asm__ volatile("" : : "r"(frame) : "memory");
  int result = depth ? deep(depth - 1) : often();
  NOT_A_TAIL();
  return result + frame[depth % 300];
}

KEEP unsigned long fib(unsigned long n) {
  unsigned long sum = n < 2 ? n : fib(n - 1) + fib(n - 2);
  NOT_A_TAIL();
  return sum;
}

KEEP int odd(int n);
KEEP int even(int n) {
  int result = n ? odd(n - 1) : often();
  NOT_A_TAIL();
  return result;
}
KEEP int odd(int n) {
  int result = n ? even(n - 1) : 0;
  NOT_A_TAIL();
  return result;
}

/* A child that goes on as this program, and one that goes on as another. */
static void family(char *self) {
  if (fork() == 0) {
    three();
    execl(self, self, "once", (char *)NULL);
    _exit(1);
  }
  if (fork() == 0) {
    execlp("sh", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", (char *)NULL);
    _exit(1);
  }
  while (wait(NULL) > 0)
    ;
}

KEEP void *brief(void *unused) {
  burn(2000000);
  NOT_A_TAIL();
  return unused;
}

/* Threads that come and go. */
KEEP void *parent_of_threads(void *unused) {
  for (;;) {
    pthread_t thread;
    pthread_create(&thread, NULL, brief, NULL);
    pthread_join(thread, NULL);
  }
  return unused;
}

KEEP void *server(void *unused) {
  for (;;) {
    one();
    usleep(1000);
  }
  return unused;
}

/* Until it is ended. */
static void serve(int seconds) {
  pthread_t thread;
  pthread_create(&thread, NULL, parent_of_threads, NULL);
  pthread_create(&thread, NULL, server, NULL);
  puts("ready");
  fflush(stdout);
  if (seconds)
    sleep((unsigned)seconds);
  else
    server(NULL);
}

static void crowd(int count) {
  pthread_t thread;
  for (int i = 0; i < count; i++)
    pthread_create(&thread, NULL, server, NULL);
  puts("ready");
  fflush(stdout);
  server(NULL);
}

/* Goes on without its first thread. */
static void headless(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, server, NULL);
  puts("ready");
  fflush(stdout);
  pthread_exit(NULL);
}

KEEP void *modest(void *unused) {
  for (;;) {
    burn(1000000);
    usleep(100000);
  }
  return unused;
}

/* A new thread each two milliseconds. */
static void grow(int count) {
  pthread_t thread;
  puts("ready");
  fflush(stdout);
  for (int i = 0; i < count; i++) {
    pthread_create(&thread, NULL, modest, NULL);
    usleep(2000);
  }
  modest(NULL);
}

/* Time in the kernel: by asking, and by touching memory. */
KEEP void asks(void) {
  for (int i = 0; i < 300000; i++)
    getppid();
  NOT_A_TAIL();
}
KEEP void touches(void) {
  enum { BYTES = 64 << 20 };
  for (int i = 0; i < 4; i++) {
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, BYTES, MADV_NOHUGEPAGE);
    for (int at = 0; at < BYTES; at += 4096)
      memory[at] = 1;
    munmap(memory, BYTES);
  }
  NOT_A_TAIL();
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "once";
  if (strcmp(what, "once") == 0) one();
  if (strcmp(what, "shares") == 0) one(), three();
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "deep") == 0) return deep(atoi(arguments[2])) == 12345678;
  if (strcmp(what, "fib") == 0) printf("%lu\n", fib(39));
  if (strcmp(what, "mutual") == 0) even(1000);
  if (strcmp(what, "family") == 0) family(arguments[0]);
  if (strcmp(what, "serve") == 0) serve(count > 2 ? atoi(arguments[2]) : 0);
  if (strcmp(what, "crowd") == 0) crowd(atoi(arguments[2]));
  if (strcmp(what, "headless") == 0) headless();
  if (strcmp(what, "grow") == 0) grow(atoi(arguments[2]));
  if (strcmp(what, "kernel") == 0) asks(), touches();
  if (strcmp(what, "status") == 0) return 7;
  if (strcmp(what, "aborts") == 0) one(), abort();
  return 0;
}
