/* Many threads wait, and the program opens as many files as its limit allows: it gets all of them,
 * and the lowest numbers.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output all of them, in order
 * EXPECT threads 61
 */
#include "program.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 60, LIMIT = 200 };

static pthread_barrier_t end;
static atomic_int begun;

static void *waits(void *unused) {
  begun++;
  pthread_barrier_wait(&end);
  return unused;
}

/* How many threads sleep, by /proc/self/task/ID/stat: "ID (NAME) STATE ...". */
static int sleeping(void) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) abort();
  int count = 0;
  for (struct dirent *task; (task = readdir(tasks));) {
    char path[300], text[100] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
    int file = open(path, O_RDONLY);
    if (file < 0) continue; /* . and .. */
    if (read(file, text, sizeof text - 1) < 0) abort();
    close(file);
    const char *name_end = strrchr(text, ')');
    count += name_end && strncmp(name_end, ") S", 3) == 0;
  }
  closedir(tasks);
  return count;
}

/* Whether the files get each number up to the limit. */
KEEP int opens_all(void) {
  for (int wanted = 3; wanted < LIMIT; wanted++)
    if (open("/dev/null", O_RDONLY) != wanted) return 0;
  return open("/dev/null", O_RDONLY) < 0;
}

int main(void) {
  pthread_t threads[THREADS];
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = LIMIT;
  setrlimit(RLIMIT_NOFILE, &limit);
  pthread_barrier_init(&end, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, waits, NULL);
  /* A thread that runs may arm its clock just now, which takes a descriptor for some microseconds
   * (docs/LIMITS.md): wait until all wait. */
  while (begun < THREADS || sleeping() < THREADS)
    usleep(1000);
  for (int file = 3; file < LIMIT; file++)
    close(file);
  int all = opens_all();
  for (int file = 3; file < LIMIT; file++)
    close(file);
  pthread_barrier_wait(&end);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  getrlimit(RLIMIT_NOFILE, &limit);
  puts(all && limit.rlim_cur == LIMIT ? "all of them, in order" : "not all");
  return 0;
}
