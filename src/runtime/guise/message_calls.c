#include "runtime/guise/message_calls.h"

#include "runtime/arch/processor.h"
#include "runtime/guise/message_entry.h"
#include "runtime/life/thread_life.h"
#include "runtime/messages/message_ends.h"
#include "runtime/messages/message_rows.h"
#include "runtime/registry/cell.h"

static bool walks; /* stacks can be walked */

static uint64_t now(void) {
  return time_stamp();
}

static void find_context(struct recorded_message *call, const uint64_t *frame) {
  struct stack_caller caller = stack_caller_of(frame);
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (!thread) return;
  call->centre = ascribe_centre;
  if (walks) call->context = message_rows_context(thread, &caller);
}

static void add(const struct recorded_message *more) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) message_rows_add(thread, more);
}

static struct recorded_message_end *add_end(uint64_t when) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) return message_ends_add(thread, when);
  message_ends_close(when);
  return NULL;
}

struct message_calls ascribe_messages = {.now = now,
                                         .find_context = find_context,
                                         .add = add,
                                         .add_end = add_end,
                                         .close_ends = message_ends_close};

void message_calls_begin(bool with_stacks) {
  walks = with_stacks;
  /* Release pairs with the acquire in mpi_wrappers.h: all that it calls is ready. */
  __atomic_store_n(&ascribe_messages.recording, MESSAGE_CALLS_VERSION, __ATOMIC_RELEASE);
}
