/* Ranks in a ring send to their right in every way that there is, and keep books of it: "RANK
 * PARTNER SENT BYTES RECEIVED BYTES" in books.RANK.  None of the messages is as long as its room.
 */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <setjmp.h>
#include <stdio.h>

enum { RANKS = 16, MANY = 20, ROOM = 100 };
static long books[RANKS][4];
static int rank, ranks, left, right;
static double values[ROOM], room[ROOM * MANY];

static void sent(int bytes) {
  books[right][0]++;
  books[right][1] += bytes;
}
static void received(int bytes) {
  books[left][2]++;
  books[left][3] += bytes;
}
static void both(int doubles) {
  sent(8 * doubles);
  received(8 * doubles);
}

/* What MPI has only in some versions or places: `done.RANK` names it. */
static void has_done(const char *what) {
  char name[32];
  snprintf(name, sizeof name, "done.%d", rank);
  FILE *file = fopen(name, "a");
  fprintf(file, "%s\n", what);
  fclose(file);
}

static void receive(MPI_Status *status) {
  MPI_Recv(room, ROOM, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, status);
}

static void blocking(void) {
  MPI_Status status;
  for (int i = 0; i < 10; i++) {
    if (rank % 2) receive(i % 3 ? MPI_STATUS_IGNORE : &status);
    MPI_Send(values, 10 + i, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
    if (rank % 2 == 0) receive(i % 3 ? MPI_STATUS_IGNORE : &status);
    both(10 + i);
  }
  MPI_Sendrecv(values, 3, MPI_INT, right, 2, room, ROOM, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  sent(12);
  received(12);
  MPI_Send(values, 5, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD); /* to nobody */
}

/* In communicators in which ranks have other numbers, one after the other. */
static void renumbered(void) {
  for (int i = 0; i < 3; i++) {
    MPI_Comm comm;
    MPI_Request requests[2];
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &comm);
    int to = i % 2 ? right : ranks - 1 - right;
    MPI_Irecv(room, ROOM, MPI_DOUBLE, MPI_ANY_SOURCE, 4, comm, &requests[0]);
    MPI_Isend(values, 7, MPI_DOUBLE, to, 4, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    both(7);
    MPI_Comm_free(&comm);
  }
}

static void start_many(MPI_Request requests[2 * MANY]) {
  for (int i = 0; i < MANY; i++)
    MPI_Irecv(room + ROOM * i, ROOM, MPI_DOUBLE, left, 10 + i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < MANY; i++) {
    MPI_Isend(values, 1 + i % 3, MPI_DOUBLE, right, 10 + i, MPI_COMM_WORLD, &requests[MANY + i]);
    both(1 + i % 3);
  }
}

static void completed_in_all_ways(void) {
  MPI_Request requests[2 * MANY];
  MPI_Status statuses[2 * MANY];
  int number, numbers[2 * MANY], is_done = 0;
  start_many(requests);
  MPI_Waitall(2 * MANY, requests, statuses);
  start_many(requests);
  for (int i = 0; i < 2 * MANY; i++)
    MPI_Waitany(2 * MANY, requests, &number, MPI_STATUS_IGNORE);
  start_many(requests);
  for (int done = 0; done < 2 * MANY; done += number)
    MPI_Waitsome(2 * MANY, requests, &number, numbers, MPI_STATUSES_IGNORE);
  start_many(requests);
  while (!is_done)
    MPI_Testall(2 * MANY, requests, &is_done, MPI_STATUSES_IGNORE);
  start_many(requests);
  for (int i = 0; i < 2 * MANY; i++)
    for (is_done = 0; !is_done;)
      MPI_Test(&requests[i], &is_done, MPI_STATUS_IGNORE);
}

static void persistent_and_cancelled(void) {
  MPI_Request requests[2];
  MPI_Recv_init(room, ROOM, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(values, 9, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 6; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    both(9);
  }
  for (int i = 0; i < 3; i++) { /* nothing is under way */
    int is_done;
    MPI_Test(&requests[0], &is_done, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Irecv(room, ROOM, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static jmp_buf before_error;
static void leave_call(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  longjmp(before_error, 1);
}

static __attribute__((noinline)) void send_to_nowhere(void) {
  volatile char deep[4096];
  deep[0] = 0;
  MPI_Send((char *)deep, 1, MPI_CHAR, ranks, 1, MPI_COMM_WORLD);
  deep[1] = 0;
}

/* An error handler that does not return, before all other messages. */
static void error_is_left(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave_call, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (!setjmp(before_error)) send_to_nowhere();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

/* The first of two messages is longer than its room. */
static void one_of_two_fails(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Irecv(room, 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(room + ROOM, ROOM, MPI_DOUBLE, left, 8, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; i++) {
    MPI_Send(values, 4, MPI_DOUBLE, right, 7 + i, MPI_COMM_WORLD);
    sent(32);
  }
  MPI_Waitall(2, requests, statuses);
  for (int i = 0; i < 2; i++)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  received(32);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void matched(void) {
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Isend(values, 3, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[0]);
  sent(24);
  MPI_Mprobe(left, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(room, ROOM, MPI_DOUBLE, &message, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Isend(values, 2, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[0]);
  sent(16);
  MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(room, ROOM, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  received(24);
  received(16);
}

/* Rank 0's values to rank 1. What the process passes that takes no part is not significant, and not
 * valid either where MPI does not look at it. */
static void to_others_root(MPI_Comm inter, int is_first) {
  MPI_Datatype invalid = MPI_DOUBLE;
  MPI_Request request;
#ifdef MPICH
  invalid = (MPI_Datatype)0;
#endif
  if (is_first) {
    MPI_Reduce(values, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, inter);
    MPI_Ireduce(values, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, inter, &request);
  } else if (rank == 1) {
    MPI_Reduce(values, room, 1, MPI_DOUBLE, MPI_SUM, MPI_ROOT, inter);
    MPI_Ireduce(values, room, 1, MPI_DOUBLE, MPI_SUM, MPI_ROOT, inter, &request);
  } else {
    MPI_Reduce(NULL, NULL, 5, invalid, MPI_SUM, MPI_PROC_NULL, inter);
    MPI_Ireduce(NULL, NULL, 5, invalid, MPI_SUM, MPI_PROC_NULL, inter, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 and the others; what is not significant is not valid either. */
static void between_groups(void) {
  MPI_Comm own, inter;
  int is_first = rank == 0, counts[RANKS] = {1, 1}, none[RANKS] = {0}, *invalid = (int *)8;
  MPI_Comm_split(MPI_COMM_WORLD, is_first, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, is_first, 5, &inter);
  if (is_first) {
    int both_counts = 2;
    MPI_Gatherv(NULL, 0, MPI_DOUBLE, room, counts, none, MPI_DOUBLE, MPI_ROOT, inter);
    MPI_Bcast(values, 4, MPI_DOUBLE, MPI_ROOT, inter);
    MPI_Reduce_scatter(values, room, &both_counts, MPI_DOUBLE, MPI_SUM, inter);
  } else {
    MPI_Gatherv(values, 1, MPI_DOUBLE, NULL, invalid, invalid, MPI_DOUBLE, 0, inter);
    MPI_Bcast(values, 4, MPI_DOUBLE, 0, inter);
    MPI_Reduce_scatter(values, room, counts, MPI_DOUBLE, MPI_SUM, inter);
  }
  to_others_root(inter, is_first);
  MPI_Comm_disconnect(&inter);
  MPI_Comm_disconnect(&own);
}

/* An int has no room for its size. Nothing is moved. */
static void large_type(void) {
  MPI_Datatype large;
  MPI_Type_contiguous(sizeof(void *) == 8 ? 1 << 29 : 1, MPI_DOUBLE, &large);
  MPI_Type_commit(&large);
  MPI_Bcast(values, 1, large, 0, MPI_COMM_SELF);
  MPI_Type_free(&large);
}

static void collective(void) {
  int counts[RANKS], places[RANKS];
  for (int i = 0; i < ranks; i++)
    counts[i] = i + 1, places[i] = RANKS * i;
  for (int i = 0; i < 4; i++)
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(values, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(values, 3, MPI_DOUBLE, room, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(values, 1, MPI_DOUBLE, room, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, counts, places, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Igather(values, 2, MPI_DOUBLE, room, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iscan(values, room, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Both halves of an exchange in one request; where MPI has them, with counts of either kind. */
static void exchanged(void) {
#if MPI_VERSION >= 4
  MPI_Request request;
  has_done("large counts");
  MPI_Isendrecv(values, 6, MPI_DOUBLE, right, 12, room, ROOM, MPI_DOUBLE, left, 12, MPI_COMM_WORLD,
                &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sent(48);
#ifdef MPICH /* 4.0 does not tell how much */
  received(0);
#else
  received(48);
#endif
  MPI_Irecv_c(room, ROOM, MPI_DOUBLE, left, 12, MPI_COMM_WORLD, &request);
  MPI_Send_c(values, 5, MPI_DOUBLE, right, 12, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  both(5);
#endif
}

/* What one rank does to another's window, both write down. */
static void put(int bytes) {
  books[right][1] += bytes;
  books[left][3] += bytes;
}
static void fetched(int bytes) {
  books[right][3] += bytes;
  books[left][1] += bytes;
}

static void one_sided(void) {
  double *shared, zero = 0, old;
  MPI_Win window;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int status = MPI_Win_allocate(ROOM * sizeof *shared, sizeof *shared, MPI_INFO_NULL,
                                MPI_COMM_WORLD, &shared, &window);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (status != MPI_SUCCESS) return; /* some containers have no memory to share */
  has_done("one-sided");
  MPI_Win_fence(0, window);
  MPI_Put(values, 11, MPI_DOUBLE, right, 0, 11, MPI_DOUBLE, window);
  put(88);
  MPI_Put(values, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Get(room, 13, MPI_DOUBLE, right, 0, 13, MPI_DOUBLE, window);
  fetched(104);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Accumulate(values, 2, MPI_DOUBLE, right, 20, 2, MPI_DOUBLE, MPI_SUM, window);
  put(16);
  MPI_Win_flush(right, window);
  MPI_Get_accumulate(values, 3, MPI_DOUBLE, room, 3, MPI_DOUBLE, right, 30, 3, MPI_DOUBLE, MPI_SUM,
                     window);
  put(24);
  fetched(24);
  MPI_Get_accumulate(NULL, 5, MPI_DOUBLE, room, 2, MPI_DOUBLE, right, 30, 2, MPI_DOUBLE, MPI_NO_OP,
                     window); /* gives nothing */
  fetched(16);
  MPI_Fetch_and_op(&zero, &old, MPI_DOUBLE, right, 40, MPI_SUM, window);
  put(8);
  fetched(8);
  MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

/* Each writes its part, and reads what is there of the next one's. */
static void files(void) {
  MPI_File file;
  MPI_Status status;
  MPI_File_open(MPI_COMM_SELF, "not/there", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * 80, values, 10, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, (ranks - 1) * 80 + 8 * rank, room, ROOM, MPI_DOUBLE, &status);
  MPI_File_close(&file);
}

/* In a line, whose ends have one neighbour. */
static void neighbours(void) {
  MPI_Comm line;
  int period = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &line);
  MPI_Neighbor_allgather(values, 2, MPI_DOUBLE, room, 2, MPI_DOUBLE, line);
  MPI_Neighbor_alltoall(values, 3, MPI_DOUBLE, room, 3, MPI_DOUBLE, line);
  MPI_Comm_free(&line);
}

#if MPI_VERSION >= 4
#define EXTENSION(name) MPI_##name
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define EXTENSION(name) MPIX_##name
#endif
static void persistent_collective(void) {
#ifdef EXTENSION
  MPI_Request request;
  has_done("persistent collectives");
  EXTENSION(Allreduce_init)
  (values, room, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
}

static void write_books(void) {
  char name[32];
  snprintf(name, sizeof name, "books.%d", rank);
  FILE *file = fopen(name, "w");
  for (int i = 0; i < ranks; i++)
    if (books[i][0] || books[i][1] || books[i][2] || books[i][3])
      fprintf(file, "%d %d %ld %ld %ld %ld\n", rank, i, books[i][0], books[i][1], books[i][2],
              books[i][3]);
  fclose(file);
}

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (rank + 1) % ranks;
  left = (rank + ranks - 1) % ranks;
  error_is_left();
  blocking();
  renumbered();
  completed_in_all_ways();
  persistent_and_cancelled();
  matched();
  exchanged();
  one_of_two_fails();
  between_groups();
  large_type();
  collective();
  one_sided();
  files();
  neighbours();
  persistent_collective();
  write_books();
  MPI_Finalize();
  return 0;
}
