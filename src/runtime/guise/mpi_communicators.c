#include <pthread.h>
#include <stdlib.h>

#include "runtime/guise/message_calls.h"
#include "runtime/guise/mpi_library.h"

#pragma weak ascribe_messages

struct communicator {
  struct communicator *next;
  mpi_handle handle;
  uint32_t uses; /* atomic: 1 while it is in the list, and 1 for each that keeps it */
  uint32_t id;   /* as communicator_id */
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

/* Where in MPI_COMM_WORLD the ranks of a group are: plus 1; 0: not there. */
static void find_peers(mpi_handle group, int size, uint32_t *peers) {
  mpi_handle world;
  int *ranks = calloc((size_t)size * 2 + 1, sizeof *ranks);
  if (!ranks || mpi.comm_group(mpi.world, &world)) {
    free(ranks);
    return;
  }
  for (int i = 0; i < size; i++)
    ranks[i] = i;
  if (mpi.group_translate_ranks(group, size, ranks, world, ranks + size) == 0)
    for (int i = 0; i < size; i++)
      if (ranks[size + i] >= 0) peers[i] = (uint32_t)ranks[size + i] + 1;
  mpi.group_free(&world);
  free(ranks);
}

/* ---- numbers that all ranks have for it ---- */

/* Groups of which there were communicators. Ranks of a group make communicators of it in the same
 * order, since these are collective calls. But those that were not seen to be made are met at their
 * first use, of which the order may differ. */
static struct group {
  struct group *next;
  uint64_t hash;
  uint32_t made, met;
} * groups;

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
  return hash ^ hash >> 29;
}

/* 0: some of its ranks are not known. */
static uint64_t hash_of(const uint32_t *peers, int size) {
  uint64_t hash = (uint64_t)size;
  for (int i = 0; i < size; i++) {
    if (!peers[i]) return 0;
    hash = mixed(hash, peers[i]);
  }
  return hash ? hash : 1;
}

static uint64_t hash_of_local(mpi_handle handle) {
  mpi_handle group;
  int size = 0;
  uint64_t hash = 0;
  if (mpi.comm_group(handle, &group)) return 0;
  if (mpi.group_size(group, &size) == 0 && size > 0) {
    uint32_t *peers = calloc((size_t)size, sizeof *peers);
    if (peers) {
      find_peers(group, size, peers);
      hash = hash_of(peers, size);
    }
    free(peers);
  }
  mpi.group_free(&group);
  return hash;
}

static struct group *group_of(uint64_t hash) {
  struct group *group = groups;
  while (group && group->hash != hash)
    group = group->next;
  if (!group && (group = calloc(1, sizeof *group))) {
    *group = (struct group){groups, hash, 0, 0};
    groups = group;
  }
  return group;
}

static uint32_t number_of(uint64_t hash, uint32_t ordinal, bool seen) {
  uint32_t number = (uint32_t)(mixed(mixed(hash, ordinal), seen) >> 16);
  return number ? number : 1;
}

/* Which of two was met first, the other ranks may see otherwise: neither has a number. */
static void tell_ambiguous(uint32_t id) {
  struct recorded_message_end *end = ascribe_messages.add_end(ascribe_messages.now());
  if (!end) return;
  end->communicator = id;
  end->flags |= END_AMBIGUOUS;
  __atomic_store_n(&end->posted, ascribe_messages.now(), __ATOMIC_RELEASE);
}

static uint32_t find_id(const struct communicator *made, bool seen) {
  uint64_t hash = hash_of(made->peers, made->size);
  if (made->is_inter && hash) {
    uint64_t local = hash_of_local(made->handle);
    hash = local ? hash + local : 0; /* the other side has them the other way round */
  }
  if (!hash) return 0;
  if (made->handle == mpi.world) return number_of(hash, 0, true);
  struct group *group = group_of(hash);
  if (!group) return 0;
  if (seen) return number_of(hash, ++group->made, true);
  bool is_own = made->size == 1 && !made->is_inter; /* both ends of its messages are here */
  if (++group->met == 2 && !is_own) tell_ambiguous(number_of(hash, 1, false));
  return group->met == 1 || is_own ? number_of(hash, group->met, false) : 0;
}

/* How a handle became known: MET, a communicator that a call was given; MADE, a communicator that a
 * call returned; WINDOW, a window. */
enum origin { MET, MADE, WINDOW };

static struct communicator *make(mpi_handle handle, enum origin origin) {
  mpi_handle group;
  int inter = 0, size = 0;
  struct communicator *made = NULL;
  if (origin != WINDOW && mpi.comm_test_inter(handle, &inter)) return NULL;
  if ((origin == WINDOW ? mpi.win_get_group
       : inter          ? mpi.comm_remote_group
                        : mpi.comm_group)(handle, &group))
    return NULL;
  if (mpi.group_size(group, &size) == 0 && size >= 0)
    made = calloc(1, sizeof *made + (size_t)size * sizeof *made->peers);
  if (made) {
    made->handle = handle;
    made->uses = 1;
    made->is_inter = inter;
    made->size = size;
    find_peers(group, size, made->peers);
    if (origin != WINDOW) {
      mpi.comm_rank(handle, &made->rank);
      made->id = find_id(made, origin == MADE);
    }
  }
  mpi.group_free(&group);
  return made;
}

static struct communicator *look(mpi_handle handle, enum origin origin) {
  pthread_mutex_lock(&lock);
  struct communicator *found = all;
  while (found && found->handle != handle)
    found = found->next;
  if (!found && (found = make(handle, origin))) {
    found->next = all;
    all = found;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static const struct communicator *find(mpi_handle handle, enum origin origin) {
  uint32_t now = __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE);
  handle = handle_of(handle);
  if (last.communicator && last.handle == handle && last.forgotten == now) return last.communicator;
  last.communicator = look(handle, origin);
  last.handle = handle;
  last.forgotten = now;
  return last.communicator;
}

const struct communicator *communicator_of(mpi_handle handle) {
  return find(handle, MET);
}

const struct communicator *communicator_of_window(mpi_handle window) {
  return mpi.win_get_group ? find(window, WINDOW) : NULL;
}

void communicator_made(mpi_handle handle) {
  handle = handle_of(handle);
  if (handle == mpi.comm_null) return;
  communicator_forget(handle); /* another one may have had its handle */
  look(handle, MADE);
}

uint32_t communicator_id(const struct communicator *communicator) {
  return communicator ? communicator->id : 0;
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
