/* Does what it is told, line by line, and says when it is done: "on 0.3" spends 0.3 s of CPU time
 * in the function on(), "off 0.3" in off(), "settle 0.3" in settle(); "call_on 1000" and "call_off
 * 1000" make so many calls of called_on() and called_off(); "fork" goes on in a child; "exec"
 * starts the program anew; "thread on 0.3" does it in a thread, which stays until the next
 * "thread". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

volatile unsigned long work;

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

#define SPINNER(name)                                                                              \
  APART void name(double seconds) {                                                                \
    for (double end = cpu_seconds() + seconds; cpu_seconds() < end;)                               \
      for (int i = 0; i < 20000; i++)                                                              \
        work += i;                                                                                 \
  }
SPINNER(on)
SPINNER(off)
SPINNER(settle)

APART void called_on(void) {
  work++;
}
APART void called_off(void) {
  work++;
}

static void command(const char *word, double number) {
  if (strcmp(word, "on") == 0) on(number);
  if (strcmp(word, "off") == 0) off(number);
  if (strcmp(word, "settle") == 0) settle(number);
  for (long i = 0; i < number && strcmp(word, "call_on") == 0; i++)
    called_on();
  for (long i = 0; i < number && strcmp(word, "call_off") == 0; i++)
    called_off();
}

/* ---- a thread that takes commands too ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char thread_line[100];

static void *worker(void *unused) {
  char word[32];
  double number;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!thread_line[0])
      pthread_cond_wait(&changed, &lock);
    if (sscanf(thread_line, "%31s %lf", word, &number) == 2) command(word, number);
    thread_line[0] = 0;
    pthread_cond_broadcast(&changed);
  }
  return unused;
}

static void tell_thread(const char *line) {
  static pthread_t thread;
  if (!thread) pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&lock);
  strcpy(thread_line, line);
  pthread_cond_broadcast(&changed);
  while (thread_line[0])
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

/* ---- */

static void go_on_in_child(void) {
  int status;
  pid_t child = fork();
  if (child == 0) return;
  waitpid(child, &status, 0);
  exit(WEXITSTATUS(status));
}

int main(int count, char **arguments) {
  char line[100], word[32];
  double number;
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "thread ", 7) == 0)
      tell_thread(line + 7);
    else if (sscanf(line, "%31s %lf", word, &number) == 2)
      command(word, number);
    else if (strncmp(line, "fork", 4) == 0)
      go_on_in_child();
    else if (strncmp(line, "exec", 4) == 0)
      execv("/proc/self/exe", arguments);
    printf("done\n");
    fflush(stdout);
  }
  return count - 1;
}
