/* A parent that goes on at once, in contexts that are new, while its child has not begun: what the
 * child then finds in the parent's recording is newer than the child itself.
 * EXPECT levels -O2
 * EXPECT compile -D_GNU_SOURCE
 * EXPECT output child: 0
 * EXPECT processes 2
 * EXPECT uncounted the machine of contexts is never interrupted
 */
#include "parts/maze.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
enum { WALKS = 400, FENCES = 100, FENCE = 64 << 10 };

static volatile int *has_grown;

static QUIET void wait_for_parent(void) {
  while (!*has_grown)
    sched_yield();
}

/* Before the runtime is told of forks. */
static QUIET void prepare(void) {
  has_grown =
      mmap(NULL, sizeof *has_grown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_atfork(NULL, NULL, wait_for_parent);
}
__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = prepare;

/* Fills the gaps in the address space, so that the next mapping has unreadable memory behind it. */
static void fence(void) {
  for (int i = 0; i < FENCES; i++)
    mmap(NULL, FENCE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void) {
  fence();
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  for (unsigned walk = 0; walk < WALKS; walk++)
    maze[walk & 31](16, walk * 2654435761u);
  *has_grown = 1;
  int status = 1;
  waitpid(pid, &status, 0);
  printf("child: %d\n", status);
  return 0;
}
