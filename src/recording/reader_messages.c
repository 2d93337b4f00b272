#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "recording/mpi_calls.h"
#include "recording/reader_image.h"

struct reading {
  struct process_recording *process;
  uint32_t root;      /* id of the context of the thread whose block it is */
  struct map places;  /* (context and centre, site) -> number */
  struct map entries; /* (place, call and peer) -> index in process->messages */
};

static void take(void *context, const void *row, uint64_t number) {
  struct reading *reading = context;
  struct process_recording *process = reading->process;
  const struct recorded_message *recorded = row;
  (void)number;
  if (!recorded->call || recorded->call >= MPI_CALL_NUMBERS) return;
  uint32_t id = recorded->context ? recorded->context : reading->root;
  uint32_t place = map_find_or_add(&reading->places, (uint64_t)id << 32 | recorded->centre,
                                   recorded->site, (uint32_t)reading->places.count);
  uint64_t rest = (uint64_t)recorded->peer << 32 | recorded->call;
  uint32_t fresh = next_index(process->message_count);
  uint32_t index = map_find_or_add(&reading->entries, place, rest, fresh);
  if (index == fresh) {
    ARRAY_GROW(process->messages, process->message_count);
    process->messages[process->message_count++] =
        (struct message_entry){.site = recorded->site,
                               .call = recorded->call,
                               .peer = recorded->peer,
                               .context = id,
                               .centre = recorded->centre};
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
  for (size_t i = 0; i < count; i++) {
    if (blocks[i].kind != BLOCK_MESSAGES) continue;
    reading.root = thread_root_id(image, thread_find(image, blocks[i].thread));
    block_rows(image, &blocks[i], sizeof(struct recorded_message), take, &reading);
  }
  map_free(&reading.places);
  map_free(&reading.entries);
}

void messages_resolve(struct image *image) {
  struct process_recording *process = &image->process;
  size_t kept = 0;
  for (size_t i = 0; i < process->message_count; i++) {
    struct message_entry entry = process->messages[i];
    entry.context = resolve_context(image, entry.context);
    entry.centre = entry.centre ? resolve_context(image, entry.centre) : NOTHING;
    if (entry.context == NOTHING)
      process->truncated = 1;
    else
      process->messages[kept++] = entry;
  }
  process->message_count = kept;
}

/* ---- when messages began and ended ---- */

struct reading_ends {
  struct process_recording *process;
  struct map ambiguous; /* communicators */
  uint64_t closed;      /* ends from then on do not count */
};

/* Damaged files may have any times. */
static bool is_sound(const struct recorded_message_end *end) {
  static const uint64_t LATEST = 1ull << 62;
  bool completed = end->wait_end && end->wait_call;
  return end->posted < LATEST && end->call && end->call < MPI_CALL_NUMBERS &&
         (!completed || (end->wait_call < MPI_CALL_NUMBERS && end->posted <= end->wait_begin &&
                         end->wait_begin <= end->wait_end && end->wait_end < LATEST));
}

static void add_end(struct process_recording *process, const struct recorded_message_end *end) {
  if (end->flags & END_CANCELLED || !is_sound(end)) return;
  bool completed = end->wait_end && end->wait_call;
  ARRAY_GROW(process->message_ends, process->message_end_count);
  process->message_ends[process->message_end_count++] =
      (struct message_end){.posted = end->posted,
                           .wait_begin = completed ? end->wait_begin : 0,
                           .wait_end = completed ? end->wait_end : 0,
                           .site = end->site,
                           .wait_site = completed ? end->wait_site : 0,
                           .communicator = end->communicator,
                           .peer = end->peer,
                           .tag = end->tag,
                           .bytes = end->bytes,
                           .call = end->call,
                           .wait_call = completed ? end->wait_call : 0,
                           .flags = end->flags & END_KEPT};
}

static void add_exchange(struct process_recording *process,
                         const struct recorded_message_end *both) {
  struct recorded_message_end sent = *both;
  sent.wait_begin = both->posted;
  sent.wait_site = both->site;
  add_end(process, &sent);
  if (!both->wait_end) return;
  struct recorded_message_end received = sent;
  received.peer = (uint32_t)both->wait_begin;
  received.tag = (int32_t)(both->wait_begin >> 32);
  received.bytes = (uint32_t)both->wait_site;
  received.flags &= ~(uint32_t)END_SENDS;
  add_end(process, &received);
}

static void take_end(void *context, const void *row, uint64_t number) {
  struct reading_ends *reading = context;
  const struct recorded_message_end *end = row;
  (void)number;
  if (!end->posted) return;
  if (end->flags & END_OF_ENDS) {
    if (end->posted < reading->closed) reading->closed = end->posted;
    return;
  }
  if (end->flags & END_AMBIGUOUS) {
    map_find_or_add(&reading->ambiguous, end->communicator, 0, 0);
    return;
  }
  if (end->flags & END_EXCHANGE)
    add_exchange(reading->process, end);
  else
    add_end(reading->process, end);
}

static int by_posting(const void *left, const void *right, void *ends) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t first = ((const struct message_end *)ends)[a].posted;
  uint64_t second = ((const struct message_end *)ends)[b].posted;
  if (first != second) return first < second ? -1 : 1;
  return (a > b) - (a < b);
}

/* In order, without those that do not count. */
static void order(struct reading_ends *reading) {
  struct process_recording *process = reading->process;
  struct message_end *ends = process->message_ends;
  uint32_t count = 0, *order = memory_zeroed(process->message_end_count + 1, sizeof *order);
  for (size_t i = 0; i < process->message_end_count; i++)
    if (ends[i].posted < reading->closed &&
        map_find(&reading->ambiguous, ends[i].communicator, 0) == NOTHING)
      order[count++] = (uint32_t)i;
  qsort_r(order, count, sizeof *order, by_posting, ends);
  process->message_ends = memory_zeroed((size_t)count + 1, sizeof *ends);
  process->message_end_count = count;
  for (uint32_t i = 0; i < count; i++)
    process->message_ends[i] = ends[order[i]];
  free(ends);
  free(order);
}

void messages_read_ends(struct image *image, const struct block *blocks, size_t count) {
  struct reading_ends reading = {.process = &image->process, .closed = UINT64_MAX};
  for (size_t i = 0; i < count; i++)
    if (blocks[i].kind == BLOCK_MESSAGE_ENDS)
      block_rows(image, &blocks[i], sizeof(struct recorded_message_end), take_end, &reading);
  if (reading.process->message_end_count) order(&reading);
  map_free(&reading.ambiguous);
}
