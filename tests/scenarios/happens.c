/* Page faults and context switches, in numbers that are known: happens WORD NUMBER ...  "few N" and
 * "many N" touch N new pages, also in a thread ("thread_few N") and in a child ("child_few N");
 * "naps N" and "polls N" wait N times; "ask" waits for a line.  Says how many system calls a signal
 * ended.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static int interrupted;

static void touch(long pages) {
  char *memory =
      mmap(NULL, pages << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, pages << 12, MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; i++)
    *(volatile char *)(memory + (i << 12)) = 1;
  munmap(memory, pages << 12);
}

APART void few(long pages) {
  touch(pages);
}
APART void many(long pages) {
  touch(pages);
}

APART void naps(long times) {
  struct timespec time = {0, 500000};
  while (times--)
    if (nanosleep(&time, NULL)) interrupted++;
}
APART void polls(long times) {
  while (times--)
    if (poll(NULL, 0, 1) < 0) interrupted++;
}

static void *few_of(void *number) {
  few((long)number);
  return NULL;
}

static void in_thread(long number) {
  pthread_t thread;
  pthread_create(&thread, NULL, few_of, (void *)number);
  pthread_join(thread, NULL);
}

static void in_child(long number) {
  pid_t child = fork();
  if (child == 0) {
    few(number);
    exit(0);
  }
  waitpid(child, NULL, 0);
}

static void ask(void) {
  char line[10];
  puts("ready");
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) exit(1);
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    const char *word = arguments[i];
    if (strcmp(word, "ask") == 0) {
      ask();
      continue;
    }
    long number = atol(arguments[++i]);
    if (strcmp(word, "few") == 0) few(number);
    if (strcmp(word, "many") == 0) many(number);
    if (strcmp(word, "naps") == 0) naps(number);
    if (strcmp(word, "polls") == 0) polls(number);
    if (strcmp(word, "thread_few") == 0) in_thread(number);
    if (strcmp(word, "child_few") == 0) in_child(number);
  }
  printf("%d interrupted\n", interrupted);
  return 0;
}
