/* What a walk costs: 25 different functions, warm, and with every rule made anew. Prints; judges
 * nothing. */
#include "unwind_space.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unwind.h>

#include "check.h"

#define WARM_ROUNDS 100000
#define COLD_ROUNDS 2000

static struct unwind_space space;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *count) {
  ++*(int *)count;
  return _URC_NO_REASON;
}

static void on_signal(int signal, siginfo_t *info, void *machine) {
  uint64_t addresses[64];
  enum unwind_end end;
  uint32_t frames = own_walk(&space, machine, addresses, 64, &end);
  double begin = now_ns();
  for (int i = 0; i < WARM_ROUNDS; i++)
    own_walk(&space, machine, addresses, 64, &end);
  double warm = (now_ns() - begin) / WARM_ROUNDS;
  begin = now_ns();
  for (int i = 0; i < COLD_ROUNDS; i++) {
    space.generation++;
    own_walk(&space, machine, addresses, 64, &end);
  }
  double cold = (now_ns() - begin) / COLD_ROUNDS;
  int theirs = 0;
  begin = now_ns();
  for (int i = 0; i < COLD_ROUNDS; i++) {
    theirs = 0;
    _Unwind_Backtrace(count_frame, &theirs);
  }
  double libgcc = (now_ns() - begin) / COLD_ROUNDS;
  printf("%u frames, ends as %d: %.0f ns, %.1f a frame; all rules new: %.0f ns, %.0f a frame; "
         "libgcc, %d frames: %.0f ns\n",
         frames, end, warm, warm / frames, cold, cold / frames, theirs, libgcc);
}

/* Each keeps other registers and has another frame. */
#define FUNCTION(name, next, words)                                                                \
  KEEP static long name(long a, long b, long c) {                                                  \
    volatile long local[words];                                                                    \
    local[a % words] = b;                                                                          \
    long result = next(a + 1, b + local[0], c);                                                    \
    return words % 3 ? result + a * c : result + local[words - 1];                                 \
  }
KEEP static long innermost(long a, long b, long c) {
  raise(SIGUSR1);
  return a + b + c;
}
FUNCTION(f21, innermost, 1)
FUNCTION(f20, f21, 2)
FUNCTION(f19, f20, 13)
FUNCTION(f18, f19, 4)
FUNCTION(f17, f18, 5)
FUNCTION(f16, f17, 60)
FUNCTION(f15, f16, 7)
FUNCTION(f14, f15, 8)
FUNCTION(f13, f14, 9)
FUNCTION(f12, f13, 10)
FUNCTION(f11, f12, 110)
FUNCTION(f10, f11, 12)
FUNCTION(f9, f10, 13)
FUNCTION(f8, f9, 14)
FUNCTION(f7, f8, 15)
FUNCTION(f6, f7, 160)
FUNCTION(f5, f6, 17)
FUNCTION(f4, f5, 18)
FUNCTION(f3, f4, 19)
FUNCTION(f2, f3, 2)
FUNCTION(f1, f2, 21)

int main(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  own_space_read(&space, 4096);
  sigaction(SIGUSR1, &action, NULL);
  return f1(1, 2, 3) == 0;
}
