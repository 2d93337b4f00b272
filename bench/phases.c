/* Functions with fixed shares of each round, each of which tells what it used of its thread's own
 * CPU clock: phases ROUND_US TOTAL_MS THREADS KERNEL_PERCENT [clock], written to $TRUTH as JSON. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
enum { THREADS_MOST = 64, PAGE = 4096, ROOM = 1 << 18 };

static int zeros;
static __thread uint64_t sink;
static __thread char buffer[1 << 16];

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

#define PHASE(name)                                                                                \
  static KEEP double name(double ns) {                                                             \
    uint64_t x = sink;                                                                             \
    for (uint64_t i = 0; i < (uint64_t)ns; i++) {                                                  \
      x = x * 2862933555777941757u + 3037000493u;                                                  \
      __asm__ volatile("" : "+r"(x));                                                              \
    }                                                                                              \
    sink = x;                                                                                      \
    return ns;                                                                                     \
  }
PHASE(s50)
PHASE(s20)
PHASE(s10)
PHASE(s05)
PHASE(s01)
PHASE(rest)

/* Work in the kernel goes by steps, as long as they took before. Were it to end by the clock, what
 * ticks take would come off its work alone, and functions in user code would seem too small. */
enum { READER, GETTER, FAULTER, SLOW };
static double step_ns[SLOW];
static bool by_clock = true; /* while steps are measured, or if asked for */

struct until {
  int64_t end_ns;
  double steps;
};

static struct until until(int kind, double ns) {
  return (struct until){by_clock ? clock_ns() + (int64_t)ns : 0, by_clock ? 0 : ns / step_ns[kind]};
}

static bool goes_on(struct until *until) {
  if (until->end_ns) return ++until->steps, clock_ns() < until->end_ns;
  return --until->steps > 0;
}

/* How often one of them ran. */
static KEEP double reader(double ns) {
  struct until end = until(READER, ns);
  do
    if (read(zeros, buffer, sizeof buffer) < 0) abort();
  while (goes_on(&end));
  return end.steps;
}

static KEEP double getter(double ns) {
  struct until end = until(GETTER, ns);
  do
    for (int i = 0; i < 20; i++)
      getppid();
  while (goes_on(&end));
  return end.steps;
}

static KEEP double faulter(double ns) {
  struct until end = until(FAULTER, ns);
  do {
    char *memory = mmap(0, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    for (int i = 0; i < ROOM; i += PAGE)
      memory[i] = 1;
    munmap(memory, ROOM);
  } while (goes_on(&end));
  return end.steps;
}

static const struct {
  const char *name;
  double (*run)(double ns);
  double share; /* of what is in user code; the last three have the rest alike */
} phases[] = {{"s50", s50, 0.5},     {"s20", s20, 0.2},     {"s10", s10, 0.1},
              {"s05", s05, 0.05},    {"s01", s01, 0.01},    {"rest", rest, 0.14},
              {"reader", reader, 0}, {"getter", getter, 0}, {"faulter", faulter, 0}};
enum { PHASES = sizeof phases / sizeof *phases, IN_USER = PHASES - 3 };

static double round_ns, total_ns, kernel;
static int64_t took[THREADS_MOST][PHASES],
    looking_ns; /* a look at the clock, half of each of two */

static double run_phase(int64_t *mine, int phase, double ns) {
  int64_t before = clock_ns();
  double steps = phases[phase].run(ns);
  mine[phase] += clock_ns() - before - looking_ns;
  return steps;
}

static void measure(void) {
  looking_ns = 1000000;
  for (int i = 0; i < 100; i++) {
    int64_t before = clock_ns(), took_ns = clock_ns() - before;
    if (took_ns < looking_ns) looking_ns = took_ns;
  }
  for (int i = 0; i < SLOW && kernel > 0; i++)
    step_ns[i] = 1e6 / run_phase(took[0], IN_USER + i, 1e6);
}

/* Rounds vary, so that nothing keeps step with them. */
static KEEP void *work(void *argument) {
  int64_t *mine = argument, begun = clock_ns();
  uint32_t random = 7 + (uint32_t)(uintptr_t)mine;
  while (clock_ns() - begun < total_ns)
    for (int i = 0; i < PHASES; i++) {
      double share = i < IN_USER ? phases[i].share * (1 - kernel) : kernel / (PHASES - IN_USER);
      random = random * 1103515245u + 12345;
      if (share > 0) run_phase(mine, i, round_ns * share * (0.5 + (random >> 16 & 1023) / 1024.0));
    }
  return NULL;
}

static int write_truth(void) {
  FILE *file = fopen(getenv("TRUTH"), "w");
  if (!file) return 1;
  const char *before = "{";
  for (int i = 0; i < PHASES; i++) {
    int64_t sum = 0;
    for (int thread = 0; thread < THREADS_MOST; thread++)
      sum += took[thread][i];
    if (sum)
      before = fprintf(file, "%s\"%s\": %lld", before, phases[i].name, (long long)sum) ? ", " : "";
  }
  fputs("}\n", file);
  return fclose(file) != 0;
}

int main(int count, char **arguments) {
  if (count < 5 || !getenv("TRUTH")) return 2;
  int threads = atoi(arguments[3]);
  round_ns = atof(arguments[1]) * 1e3;
  total_ns = atof(arguments[2]) * 1e6;
  kernel = atof(arguments[4]) / 100;
  zeros = open("/dev/zero", O_RDONLY);
  measure();
  by_clock = count > 5;
  pthread_t made[THREADS_MOST];
  if (threads < 2) work(took[0]);
  for (int i = 0; i < threads && threads > 1 && threads <= THREADS_MOST; i++)
    if (pthread_create(&made[i], NULL, work, took[i])) return 1;
  for (int i = 0; i < threads && threads > 1 && threads <= THREADS_MOST; i++)
    pthread_join(made[i], NULL);
  return write_truth();
}
