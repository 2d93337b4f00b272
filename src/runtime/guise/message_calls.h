/* How the library that answers MPI's functions (mpi_functions.c) reaches the runtime, which is
 * another library or in the executable: by one symbol. */
#ifndef ASCRIBE_RUNTIME_MESSAGE_CALLS_H
#define ASCRIBE_RUNTIME_MESSAGE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/layout.h"

#define MESSAGE_CALLS_VERSION 3u

/* None of them touches errno. Any thread; not for signal handlers. */
struct message_calls {
  uint32_t recording;    /* atomic: MESSAGE_CALLS_VERSION; else call nothing */
  uint64_t (*now)(void); /* the time-stamp counter */
  /* Fill in the context and the centre of a call by the function whose frame begins there. */
  void (*find_context)(struct recorded_message *call, const uint64_t *frame);
  void (*add)(const struct recorded_message *more);      /* as message_rows_add */
  struct recorded_message_end *(*add_end)(uint64_t now); /* as message_ends_add */
  void (*close_ends)(uint64_t now);                      /* as message_ends_close */
};

extern struct message_calls ascribe_messages __attribute__((visibility("default")));

#endif
