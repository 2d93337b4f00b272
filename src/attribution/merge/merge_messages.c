/* Calls of MPI: those of each process stay its own. */
#include "attribution/merge/merge_parts.h"

void merge_messages(struct merge *merge, const struct merge_ids *ids) {
  for (size_t i = 0; i < ids->from->message_count; i++) {
    struct profile_message message = ids->from->messages[i];
    message.process += ids->first_process;
    message.line = merged_id(ids->lines, message.line);
    profile_add_message(merge->profile, message);
  }
}
