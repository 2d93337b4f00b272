/* Calls of MPI: those of each process stay its own. Who came late follows from the ends of messages
 * where they are kept, and is found again when all are there. */
#include <stdlib.h>

#include "attribution/merge/merge_parts.h"

static void add_delays(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from;
  bool *has_ends = memory_zeroed(from->process_count + 1, sizeof *has_ends);
  for (size_t i = 0; i < from->message_end_count; i++)
    has_ends[from->message_ends[i].process] = true;
  for (size_t i = 0; i < from->message_delay_count; i++) {
    struct profile_message_delay delay = from->message_delays[i];
    if (has_ends[delay.process]) continue;
    delay.process += ids->first_process;
    delay.line = merged_id(ids->lines, delay.line);
    delay.partner_line = merged_id(ids->lines, delay.partner_line);
    profile_add_message_delay(merge->profile, delay);
  }
  free(has_ends);
}

void merge_messages(struct merge *merge, const struct merge_ids *ids) {
  for (size_t i = 0; i < ids->from->message_count; i++) {
    struct profile_message message = ids->from->messages[i];
    message.process += ids->first_process;
    message.line = merged_id(ids->lines, message.line);
    profile_add_message(merge->profile, message);
  }
  for (size_t i = 0; i < ids->from->message_end_count; i++) {
    struct profile_message_end end = ids->from->message_ends[i];
    end.process += ids->first_process;
    end.line = merged_id(ids->lines, end.line);
    end.wait_line = merged_id(ids->lines, end.wait_line);
    profile_add_message_end(merge->profile, end);
  }
  add_delays(merge, ids);
}
