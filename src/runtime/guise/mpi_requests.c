#include <pthread.h>
#include <stdlib.h>

#include "runtime/guise/mpi_library.h"

#define BUCKETS 1024u

struct noted {
  struct noted *next;
  mpi_handle handle;
  struct request request;
};

/* Requests by their handles, and what has room for more. */
static struct bucket {
  pthread_mutex_t lock;
  struct noted *noted, *spare;
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static uint32_t all; /* atomic: how many are noted */

static struct bucket *bucket_of(mpi_handle handle) {
  return &buckets[(handle * 0x9E3779B97F4A7C15ull) >> 54];
}

/* Where it is linked; what is there is null if it is not noted. Of the bucket's lock. */
static struct noted **find(struct bucket *bucket, mpi_handle handle) {
  struct noted **at = &bucket->noted;
  while (*at && (*at)->handle != handle)
    at = &(*at)->next;
  return at;
}

static void drop(struct bucket *bucket, struct noted **at) {
  struct noted *noted = *at;
  *at = noted->next;
  noted->next = bucket->spare;
  bucket->spare = noted;
  __atomic_fetch_sub(&all, 1, __ATOMIC_RELAXED);
  communicator_release(noted->request.communicator);
}

void request_note(mpi_handle handle, const struct request *request) {
  struct bucket *bucket = bucket_of(handle);
  pthread_mutex_lock(&bucket->lock);
  struct noted **at = find(bucket, handle);
  if (*at) drop(bucket, at);
  struct noted *noted = bucket->spare;
  if (noted)
    bucket->spare = noted->next;
  else
    noted = malloc(sizeof *noted);
  if (noted) {
    communicator_keep(request->communicator);
    *noted = (struct noted){bucket->noted, handle, *request};
    bucket->noted = noted;
    __atomic_fetch_add(&all, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&bucket->lock);
}

bool request_take(mpi_handle handle, bool forever, struct request *request) {
  if (!__atomic_load_n(&all, __ATOMIC_RELAXED)) return false;
  struct bucket *bucket = bucket_of(handle);
  pthread_mutex_lock(&bucket->lock);
  struct noted **at = find(bucket, handle);
  bool is_noted = *at;
  if (is_noted) {
    *request = (*at)->request;
    communicator_keep(request->communicator);
    if (forever || !request->persistent) drop(bucket, at);
  }
  pthread_mutex_unlock(&bucket->lock);
  return is_noted;
}

bool request_is_noted(mpi_handle handle) {
  if (!__atomic_load_n(&all, __ATOMIC_RELAXED)) return false;
  struct bucket *bucket = bucket_of(handle);
  pthread_mutex_lock(&bucket->lock);
  bool is_noted = *find(bucket, handle);
  pthread_mutex_unlock(&bucket->lock);
  return is_noted;
}

void request_set_active(mpi_handle handle, bool active, struct recorded_message_end *end) {
  struct bucket *bucket = bucket_of(handle);
  pthread_mutex_lock(&bucket->lock);
  struct noted **at = find(bucket, handle);
  if (*at) {
    (*at)->request.active = active;
    (*at)->request.end = end;
  }
  pthread_mutex_unlock(&bucket->lock);
}

void requests_forget(void) {
  for (unsigned i = 0; i < BUCKETS; i++)
    buckets[i] = (struct bucket){.lock = PTHREAD_MUTEX_INITIALIZER};
  all = 0;
}
