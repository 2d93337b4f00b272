/* How long calls of MPI take. A rank calls itself, so that it never waits.  Prints "NAME CALLS NS":
 * the calls in one round of NAME, and the least CPU time that any of many rounds took. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 100, TIMES = 1000 };
static int here, there, flag;
static MPI_Request requests[2];

static void barrier(void) {
  MPI_Barrier(MPI_COMM_SELF);
}
static void allreduce(void) {
  MPI_Allreduce(&here, &there, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void probe(void) {
  MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}
static void exchange(void) {
  MPI_Sendrecv(&here, 1, MPI_INT, 0, 1, &there, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void begin_and_wait(void) {
  MPI_Irecv(&there, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&here, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(const char *name, int calls, void (*round)(void)) {
  double least = 1e18;
  for (int i = 0; i < ROUNDS; i++) {
    double start = now();
    for (int k = 0; k < TIMES; k++)
      round();
    double took = (now() - start) / TIMES;
    if (took < least) least = took;
  }
  printf("%s %d %.1f\n", name, calls, least);
}

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  measure("MPI_Barrier", 1, barrier);
  measure("MPI_Allreduce", 1, allreduce);
  measure("MPI_Iprobe", 1, probe);
  measure("MPI_Sendrecv", 1, exchange);
  measure("MPI_Irecv,MPI_Isend,MPI_Waitall", 3, begin_and_wait);
  MPI_Finalize();
  return 0;
}
