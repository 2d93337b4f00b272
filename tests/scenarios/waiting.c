/* Threads that wait for known times: waiting WORD...  "mix": two threads, of which one holds a lock
 * for a second while the other wants it, and the main thread naps and works; "calls": system calls
 * that a signal would end; "child", "exec": a child that naps, and a program that does; "hidden":
 * forbids itself to be looked at, then naps; "many": 150 threads that nap for a second;
 * "input": waits until its input ends; "headless": the first thread ends before the other; "two":
 * naps often in one function, then once in another, and says when each begins; "beside": naps while
 * others make threads that end at once; "replaced" N: so often a thread of it runs the program
 * anew. Says how many system calls were ended by a signal, and on the error output how long each
 * function waited. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

volatile unsigned long work;
static int interrupted;

static void count(long result) {
  if (result < 0 && errno == EINTR) __atomic_fetch_add(&interrupted, 1, __ATOMIC_RELAXED);
}

/* ---- the truth: what this thread has not run and not wanted to run, by the kernel's books ---- */

static double seconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double waited(void) {
  unsigned long ran, ready = 0;
  FILE *books = fopen("/proc/thread-self/schedstat", "r");
  if (!books || fscanf(books, "%lu %lu", &ran, &ready) != 2) fprintf(stderr, "no schedstat\n");
  if (books) fclose(books);
  return seconds_of(CLOCK_MONOTONIC) - seconds_of(CLOCK_THREAD_CPUTIME_ID) - (double)ready * 1e-9;
}

static void tell(const char *name, double since) {
  dprintf(2, "waited %s %.6f\n", name, waited() - since);
}

static struct timespec timespec_of(double seconds) {
  return (struct timespec){(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
}

APART void spin(double seconds) {
  double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
  do {
    for (int i = 0; i < 20000; i++)
      work += i;
  } while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end);
}

APART void nap(double seconds) {
  struct timespec time = timespec_of(seconds);
  count(nanosleep(&time, NULL));
}

APART void short_naps(int times) {
  double since = waited();
  while (times--)
    nap(0.002);
  tell("short_naps", since);
}

/* ---- mix ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

APART void *holder(void *unused) {
  double since = waited();
  pthread_mutex_lock(&mutex);
  nap(1);
  pthread_mutex_unlock(&mutex);
  spin(0.2);
  tell("holder", since);
  return unused;
}

APART void wants_lock(void) {
  double since = waited();
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  tell("wants_lock", since);
}

APART void *waiter(void *unused) {
  double since = waited();
  nap(0.2);
  wants_lock();
  tell("waiter", since);
  return unused;
}

static void mix(void) {
  double since = waited();
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, holder, NULL);
  pthread_create(&threads[1], NULL, waiter, NULL);
  short_naps(200);
  spin(0.3);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  nap(0.4);
  tell("main", since);
}

/* ---- calls ---- */

APART void calls(void) {
  double since = waited();
  sem_t semaphore;
  fd_set none;
  int epoll = epoll_create1(0);
  sem_init(&semaphore, 0, 0);
  FD_ZERO(&none);
  for (int i = 0; i < 60; i++) {
    struct timespec end;
    struct timeval time = {0, 5000};
    struct epoll_event event;
    nap(0.005);
    count(poll(NULL, 0, 5));
    count(select(0, &none, NULL, NULL, &time));
    count(epoll_wait(epoll, &event, 1, 5));
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 5000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    count(sem_timedwait(&semaphore, &end));
  }
  close(epoll);
  tell("calls", since);
}

/* ---- */

APART void child_naps(void) {
  double since = waited();
  nap(0.5);
  tell("child_naps", since);
}

static void child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    child_naps();
    exit(0);
  }
  waitpid(pid, NULL, 0);
}

APART void *one_of_many(void *unused) {
  double since = waited();
  nap(1);
  tell("one_of_many", since);
  return unused;
}

static void many(void) {
  pthread_t threads[150];
  for (int i = 0; i < 150; i++)
    pthread_create(&threads[i], NULL, one_of_many, NULL);
  for (int i = 0; i < 150; i++)
    pthread_join(threads[i], NULL);
}

APART void first_nap(void) {
  nap(0.005);
  __asm__ volatile("");
}
APART void second_nap(void) {
  nap(0.005);
  __asm__ volatile("");
}
static void *two_naps(void *unused) {
  (void)unused;
  first_nap();
  second_nap();
  return NULL;
}
/* Threads that live about as long as it takes to look again. */
static void joined(void) {
  for (int i = 0; i < 150; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, two_naps, NULL);
    pthread_join(thread, NULL);
  }
}
/* A child that does not say when it ends. */
static void forked(void) {
  pid_t child = fork();
  if (child == 0) {
    child_naps();
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void *goes_on(void *unused) {
  child_naps();
  printf("%d interrupted\n", interrupted);
  exit(0);
  return unused;
}
static void headless(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, goes_on, NULL);
  pthread_exit(NULL);
}

APART void many_naps(void) {
  double since = waited();
  dprintf(1, "first\n");
  for (int i = 0; i < 300; i++)
    nap(0.005);
  tell("many_naps", since);
}
APART void one_nap(void) {
  double since = waited();
  dprintf(1, "second\n");
  nap(0.5);
  tell("one_nap", since);
}
static void two(void) {
  many_naps();
  one_nap();
}

static volatile int enough;
static void *naps_shortly(void *unused) {
  nap(0.002);
  return unused;
}
static void *makes_threads(void *unused) {
  pthread_t thread;
  while (!enough && pthread_create(&thread, NULL, naps_shortly, NULL) == 0)
    pthread_join(thread, NULL);
  return unused;
}
APART void naps_beside(void) {
  double since = waited();
  for (int i = 0; i < 200; i++)
    nap(0.005);
  tell("naps_beside", since);
}
static void beside(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, makes_threads, NULL);
  naps_beside();
  enough = 1;
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

static void *runs_anew(void *times) {
  char left[16];
  snprintf(left, sizeof left, "%d", atoi(times) - 1);
  nap(0.015);
  execl("/proc/self/exe", "waiting", "replaced", left, NULL);
  return NULL;
}
static void replaced(char *times) {
  pthread_t thread;
  if (atoi(times) <= 0 || pthread_create(&thread, NULL, runs_anew, times)) return;
  spin(10);
}

APART void waits_for_input(void) {
  char byte;
  ssize_t got;
  while ((got = read(0, &byte, 1)) > 0)
    ;
  count(got);
}

int main(int arguments, char **words) {
  for (int i = 1; i < arguments; i++) {
    if (strcmp(words[i], "mix") == 0) mix();
    if (strcmp(words[i], "calls") == 0) calls();
    if (strcmp(words[i], "child") == 0) child();
    if (strcmp(words[i], "many") == 0) many();
    if (strcmp(words[i], "input") == 0) waits_for_input();
    if (strcmp(words[i], "joined") == 0) joined();
    if (strcmp(words[i], "two") == 0) two();
    if (strcmp(words[i], "beside") == 0) beside();
    if (strcmp(words[i], "replaced") == 0) replaced(words[i + 1]);
    if (strcmp(words[i], "forked") == 0) forked();
    if (strcmp(words[i], "naps") == 0) child_naps();
    if (strcmp(words[i], "exec") == 0) execl("/proc/self/exe", words[0], "naps", NULL);
    if (strcmp(words[i], "headless") == 0) headless();
    if (strcmp(words[i], "hidden") == 0) {
      prctl(PR_SET_DUMPABLE, 0);
      child_naps();
    }
  }
  printf("%d interrupted\n", interrupted);
  return 0;
}
