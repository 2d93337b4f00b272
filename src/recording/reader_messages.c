#include "base/map.h"
#include "base/memory.h"
#include "recording/mpi_calls.h"
#include "recording/reader_image.h"

struct reading {
  struct process_recording *process;
  struct map entries; /* (site, call and peer) -> index in process->messages */
};

static void take(void *context, const void *row, uint64_t number) {
  struct reading *reading = context;
  struct process_recording *process = reading->process;
  const struct recorded_message *recorded = row;
  (void)number;
  if (!recorded->call || recorded->call >= MPI_CALL_NUMBERS) return;
  uint64_t rest = (uint64_t)recorded->peer << 32 | recorded->call;
  uint32_t fresh = next_index(process->message_count);
  uint32_t index = map_find_or_add(&reading->entries, recorded->site, rest, fresh);
  if (index == fresh) {
    ARRAY_GROW(process->messages, process->message_count);
    process->messages[process->message_count++] = (struct message_entry){
        .site = recorded->site, .call = recorded->call, .peer = recorded->peer};
  }
  struct message_entry *entry = &process->messages[index];
  entry->calls += recorded->calls;
  entry->sent += recorded->sent;
  entry->sent_bytes += recorded->sent_bytes;
  entry->received += recorded->received;
  entry->received_bytes += recorded->received_bytes;
  entry->cycles += recorded->cycles;
  uint64_t least = recorded->least_cycles;
  if (least && (!entry->least_cycles || least < entry->least_cycles)) entry->least_cycles = least;
}

void messages_read(struct image *image, const struct block *blocks, size_t count) {
  struct reading reading = {.process = &image->process};
  for (size_t i = 0; i < count; i++)
    if (blocks[i].kind == BLOCK_MESSAGES)
      block_rows(image, &blocks[i], sizeof(struct recorded_message), take, &reading);
  map_free(&reading.entries);
}
