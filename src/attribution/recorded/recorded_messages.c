#include "attribution/recorded/recorded_messages.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/process_figures.h"
#include "recording/mpi_calls.h"

static const struct {
  const char *name;
  enum mpi_call_kind kind;
} calls[MPI_CALL_NUMBERS] = {
#define NAME_OF_CALL(name, kind) [MPI_CALL_##name] = {"MPI_" #name, MPI_CALL_##kind},
    MPI_CALLS(NAME_OF_CALL)
#undef NAME_OF_CALL
};

const char *recorded_messages_call(uint32_t call) {
  return calls[call].name;
}

/* The source that calls may have been inlined. */
static uint32_t line_of(struct places *places, uint64_t site) {
  uint32_t count;
  if (!site) return NOTHING;
  uint32_t place = places_find(places, CALLING_BYTE(site), UINT64_MAX);
  const struct place_frame *frame = places_frames(places, place, &count) + count - 1;
  return builder_line(places->builder, frame->function, frame->file, frame->line);
}

/* Sums of what a damaged recording claims stay far from overflowing. */
static uint64_t bounded(uint64_t value) {
  static const uint64_t MOST = 1ull << 53;
  return value < MOST ? value : MOST;
}

static uint64_t bounded_ns(double ns) {
  return ns > 0 && ns < 0x1p53 ? (uint64_t)ns : 0;
}

/* By what the program calls, not by addresses, which differ from run to run. */
static int in_order(const void *left, const void *right) {
  const struct profile_message *a = left, *b = right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->call != b->call) return strcmp(a->call, b->call);
  return (a->partner > b->partner) - (a->partner < b->partner);
}

static bool is_same(const struct profile_message *a, const struct profile_message *b) {
  return a->line == b->line && a->call == b->call && a->partner == b->partner;
}

static void add_to(struct profile_message *sum, const struct profile_message *part) {
  sum->calls += part->calls;
  sum->sent += part->sent;
  sum->sent_bytes += part->sent_bytes;
  sum->received += part->received;
  sum->received_bytes += part->received_bytes;
  sum->elapsed_ns += part->elapsed_ns;
  sum->least_ns = message_least(sum->least_ns, part->least_ns);
}

static void add_ends(struct places *places, const struct process_recording *process) {
  for (size_t i = 0; i < process->message_end_count; i++) {
    const struct message_end *end = &process->message_ends[i];
    uint32_t line = line_of(places, end->site);
    struct profile_message_end made = {.process = (uint32_t)places->profile->process_count - 1,
                                       .line = line,
                                       .wait_line = line,
                                       .call = end->call,
                                       .wait_call = end->wait_call,
                                       .communicator = end->communicator,
                                       .partner = end->peer,
                                       .tag = (uint32_t)end->tag,
                                       .bytes = end->bytes,
                                       .flags = end->flags,
                                       .posted = end->posted};
    if (end->wait_call) {
      if (end->wait_site != end->site) made.wait_line = line_of(places, end->wait_site);
      made.wait_after = end->wait_begin - end->posted;
      made.waited = end->wait_end - end->wait_begin;
    }
    profile_add_message_end(places->profile, made);
  }
}

/* ---- metrics ---- */

static uint64_t amount_of(enum message_metric metric, const struct profile_message *message) {
  static const enum mpi_call_kind kinds[MESSAGE_METRIC_COUNT] = {
      [MESSAGE_TRANSFER] = MPI_CALL_TRANSFER,
      [MESSAGE_WAITING] = MPI_CALL_WAIT,
      [MESSAGE_COLLECTIVE] = MPI_CALL_COLLECTIVE};
  bool between_ranks = message->kind != MPI_CALL_FILE;
  if (metric == MESSAGE_SENT) return between_ranks ? message->sent_bytes : 0;
  if (metric == MESSAGE_RECEIVED) return between_ranks ? message->received_bytes : 0;
  return metric == MESSAGE_TIME || message->kind == kinds[metric] ? message->elapsed_ns : 0;
}

/* Every call is recorded, not a sample of them: what is charged is exact, without an interval. */
static void charge(struct message_adder *adder, const struct profile_message *message,
                   struct profile_tick tick) {
  struct places *places = adder->stack_ticks->frames->places;
  for (enum message_metric metric = 0; metric < MESSAGE_METRIC_COUNT; metric++) {
    tick.amount = (struct amount){message->calls, amount_of(metric, message)};
    if (tick.amount.raw_ns) builder_tick(places->builder, adder->metrics[metric], tick);
  }
}

static void add_metrics(struct message_adder *adder, struct profile *profile) {
  for (enum message_metric metric = 0; metric < MESSAGE_METRIC_COUNT; metric++) {
    adder->metrics[metric] = metrics_add(profile, METRIC_MESSAGES, message_metric_name(metric),
                                         message_metric_unit(metric));
    profile->metrics[adder->metrics[metric]].evidence = EVIDENCE_COUNTED;
  }
}

void recorded_messages_add(struct message_adder *adder, const struct process_recording *process,
                           uint32_t first_thread) {
  struct places *places = adder->stack_ticks->frames->places;
  if (process->message_count && !adder->metrics[0]) add_metrics(adder, places->profile);
  double cycle_ns = figures_cycle_ns(&process->header);
  struct profile_message *list = memory_zeroed(process->message_count, sizeof *list);
  for (size_t i = 0; i < process->message_count; i++) {
    const struct message_entry *entry = &process->messages[i];
    list[i] =
        (struct profile_message){.process = (uint32_t)places->profile->process_count - 1,
                                 .line = line_of(places, entry->site),
                                 .call = calls[entry->call].name,
                                 .kind = calls[entry->call].kind,
                                 .partner = entry->peer,
                                 .calls = bounded(entry->calls),
                                 .sent = bounded(entry->sent),
                                 .sent_bytes = bounded(entry->sent_bytes),
                                 .received = bounded(entry->received),
                                 .received_bytes = bounded(entry->received_bytes),
                                 .elapsed_ns = bounded_ns((double)entry->cycles * cycle_ns),
                                 .least_ns = bounded_ns((double)entry->least_cycles * cycle_ns)};
    uint32_t thread = first_thread + process->contexts[entry->context].thread;
    struct profile_tick tick = stack_tick_of_call(adder->stack_ticks, thread, entry->context);
    tick.centre = recorded_centres_find(adder->centres, entry->centre, thread);
    charge(adder, &list[i], tick);
  }
  if (process->message_count) qsort(list, process->message_count, sizeof *list, in_order);
  for (size_t i = 0, kept; i < process->message_count; i = kept) {
    for (kept = i + 1; kept < process->message_count && is_same(&list[i], &list[kept]); kept++)
      add_to(&list[i], &list[kept]);
    profile_add_message(places->profile, list[i]);
  }
  free(list);
  add_ends(places, process);
}
