#include <pthread.h>
#include <stdlib.h>

#include "runtime/guise/mpi_library.h"

struct communicator {
  struct communicator *next;
  mpi_handle handle;
  uint32_t uses; /* atomic: 1 while it is in the list, and 1 for each that keeps it */
  bool is_inter;
  int rank, size;
  uint32_t peers[]; /* as communicator_peer */
};

static struct communicator *all; /* of the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t forgotten; /* atomic: how often one was */

/* The last one that the thread asked for. */
static __thread struct {
  mpi_handle handle;
  const struct communicator *communicator; /* null: none */
  uint32_t forgotten;
} last;

/* Where in MPI_COMM_WORLD the ranks of a group are. */
static void find_peers(struct communicator *made, mpi_handle group) {
  mpi_handle world;
  int *ranks = calloc((size_t)made->size * 2 + 1, sizeof *ranks);
  if (!ranks || mpi.comm_group(mpi.world, &world)) {
    free(ranks);
    return;
  }
  for (int i = 0; i < made->size; i++)
    ranks[i] = i;
  if (mpi.group_translate_ranks(group, made->size, ranks, world, ranks + made->size) == 0)
    for (int i = 0; i < made->size; i++)
      if (ranks[made->size + i] >= 0) made->peers[i] = (uint32_t)ranks[made->size + i] + 1;
  mpi.group_free(&world);
  free(ranks);
}

static struct communicator *make(mpi_handle handle) {
  mpi_handle group;
  int inter = 0, size = 0;
  struct communicator *made = NULL;
  if (mpi.comm_test_inter(handle, &inter) ||
      (inter ? mpi.comm_remote_group : mpi.comm_group)(handle, &group))
    return NULL;
  if (mpi.group_size(group, &size) == 0 && size >= 0)
    made = calloc(1, sizeof *made + (size_t)size * sizeof *made->peers);
  if (made) {
    made->handle = handle;
    made->uses = 1;
    made->is_inter = inter;
    made->size = size;
    mpi.comm_rank(handle, &made->rank);
    find_peers(made, group);
  }
  mpi.group_free(&group);
  return made;
}

static struct communicator *look(mpi_handle handle) {
  pthread_mutex_lock(&lock);
  struct communicator *found = all;
  while (found && found->handle != handle)
    found = found->next;
  if (!found && (found = make(handle))) {
    found->next = all;
    all = found;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

const struct communicator *communicator_of(mpi_handle handle) {
  uint32_t now = __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE);
  handle = handle_of(handle);
  if (last.communicator && last.handle == handle && last.forgotten == now) return last.communicator;
  last.communicator = look(handle);
  last.handle = handle;
  last.forgotten = now;
  return last.communicator;
}

void communicator_forget(mpi_handle handle) {
  struct communicator *found = NULL;
  pthread_mutex_lock(&lock);
  struct communicator **at = &all;
  while (*at && (*at)->handle != handle_of(handle))
    at = &(*at)->next;
  if (*at) {
    found = *at;
    *at = found->next;
  }
  __atomic_fetch_add(&forgotten, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  if (found) communicator_release(found);
}

void communicator_keep(const struct communicator *communicator) {
  if (communicator)
    __atomic_fetch_add(&((struct communicator *)communicator)->uses, 1, __ATOMIC_RELAXED);
}

void communicator_release(const struct communicator *communicator) {
  if (!communicator) return;
  struct communicator *own = (struct communicator *)communicator;
  if (__atomic_sub_fetch(&own->uses, 1, __ATOMIC_ACQ_REL) == 0) free(own);
}

uint32_t communicator_peer(const struct communicator *communicator, int rank) {
  return communicator && rank >= 0 && rank < communicator->size ? communicator->peers[rank] : 0;
}

int communicator_rank(const struct communicator *communicator) {
  return communicator ? communicator->rank : -1;
}

bool communicator_is_intra(const struct communicator *communicator) {
  return communicator && !communicator->is_inter;
}

int communicator_size(const struct communicator *communicator) {
  return communicator ? communicator->size : 0;
}
