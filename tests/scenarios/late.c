/* Two ranks that wait for each other for times that they know: rank 0 sends late, and receives late
 * what rank 1 sends; some messages are answered at once.  Each writes when it began each call and
 * came back, by a clock that both have, to times.RANK: "CALL NS NS". */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 8, BYTES = 1 << 16, SEND_LATE_NS = 20000000, RECEIVE_LATE_NS = 10000000 };
static char data[BYTES];
static FILE *times;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void work(long ns) {
  long start = now();
  while (now() - start < ns) {
  }
}

static void tell(const char *call, long start) {
  fprintf(times, "%s %ld %ld\n", call, start, now());
}

static void give(int to, int bytes) {
  long start = now();
  MPI_Ssend(data, bytes, MPI_CHAR, to, 1, MPI_COMM_WORLD);
  tell("Ssend", start);
}

static void take(int from) {
  long start = now();
  MPI_Recv(data, BYTES, MPI_CHAR, from, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  tell("Recv", start);
}

static void exchange(int rank, int from) {
  if (rank == 0) {
    give(1, 8);
    take(1);
  } else {
    take(from);
    give(0, 8);
  }
}

int main(int count, char **arguments) {
  int rank;
  char name[32];
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "times.%d", rank);
  times = fopen(name, "w");
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++)
      exchange(rank, 0);
    if (rank == 0) {
      work(SEND_LATE_NS);
      give(1, 8);
      work(RECEIVE_LATE_NS);
      take(1);
    } else {
      take(i % 2 ? MPI_ANY_SOURCE : 0);
      give(0, BYTES);
    }
  }
  fclose(times);
  MPI_Finalize();
  return 0;
}
