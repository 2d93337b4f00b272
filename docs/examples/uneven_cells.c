/* The program of docs/CLUSTER.md: cells of a bar, shared out evenly among the ranks; but some burn.
 *
 *   mpicc -O2 -g uneven_cells.c -o uneven_cells && mpirun -n 4 ./uneven_cells
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 40000, STEPS = 60 };

/* Does the cell burn? */
static int is_hot(int cell) {
  return cell >= CELLS / 2 && cell < CELLS * 5 / 8;
}

/* Its energy after a step: what burns needs small steps. */
__attribute__((noinline)) static double react(int cell, double energy) {
  int parts = is_hot(cell) ? 60 : 20;
  for (int i = 0; i < parts; i++)
    energy += exp(-energy) / parts;
  return energy;
}

int main(int count, char **arguments) {
  int rank, size;
  double sum = 0, whole = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < STEPS; step++) {
    for (int cell = CELLS * rank / size; cell < CELLS * (rank + 1) / size; cell++)
      sum += react(cell, step);
    MPI_Allreduce(&sum, &whole, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("energy %.3f\n", whole);
  MPI_Finalize();
  return 0;
}
