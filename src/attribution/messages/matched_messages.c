/* Which send and which receive are one message. */
#include <stdlib.h>

#include "attribution/messages/message_finding.h"
#include "recording/mpi_calls.h"

/* Messages that do not overtake each other, and one of their ends. */
struct stream_end {
  uint32_t job, instance; /* the instance: of several processes that were one rank */
  uint32_t from, to;      /* ranks, plus 1 */
  uint32_t communicator, tag;
  uint32_t end; /* of profile.message_ends; ascending as they were posted */
};

static int compare_streams(const struct stream_end *a, const struct stream_end *b) {
  const uint32_t first[] = {a->job, a->instance, a->from, a->to, a->communicator, a->tag};
  const uint32_t second[] = {b->job, b->instance, b->from, b->to, b->communicator, b->tag};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (first[i] != second[i]) return first[i] < second[i] ? -1 : 1;
  return 0;
}

static int by_stream(const void *left, const void *right) {
  const struct stream_end *a = left, *b = right;
  int order = compare_streams(a, b);
  return order ? order : (a->end > b->end) - (a->end < b->end);
}

/* Sends or receives. A receive of any that got none may get any message: which ones later receives
 * in the communicator got is then not known. */
static struct stream_end *streams_of(const struct finding *finding, bool sends, size_t *count) {
  const struct profile *profile = finding->profile;
  struct stream_end *list = memory_zeroed(profile->message_end_count + 1, sizeof *list);
  struct map unknown = {0};
  *count = 0;
  for (size_t i = 0; i < profile->message_end_count; i++) {
    const struct profile_message_end *end = &profile->message_ends[i];
    const struct member *member = &finding->members[end->process];
    uint32_t rank = profile->processes[end->process].rank_number;
    bool fits = !(end->flags & END_COLLECTIVE) && !(end->flags & END_SENDS) == !sends;
    if (!rank || !fits) continue;
    bool is_any = !end->partner || (int32_t)end->tag < 0;
    if (!sends && !end->wait_call && is_any)
      map_find_or_add(&unknown, end->process, end->communicator, 0);
    if (is_any || (!sends && map_find(&unknown, end->process, end->communicator) != NOTHING))
      continue;
    list[(*count)++] = (struct stream_end){.job = member->job,
                                           .instance = member->instance,
                                           .from = sends ? rank : end->partner,
                                           .to = sends ? end->partner : rank,
                                           .communicator = end->communicator,
                                           .tag = end->tag,
                                           .end = (uint32_t)i};
  }
  map_free(&unknown);
  if (*count) qsort(list, *count, sizeof *list, by_stream);
  return list;
}

/* Whether the two may be of one message: what is received is as long as what was sent, if that is
 * known, and comes after it. */
static bool may_be_one(const struct finding *finding, uint32_t send, uint32_t receive) {
  const struct profile_message_end *from = &finding->profile->message_ends[send];
  const struct profile_message_end *to = &finding->profile->message_ends[receive];
  if (!to->wait_call) return true;
  bool one_clock = finding->members[from->process].clock == finding->members[to->process].clock;
  bool as_long = from->bytes == to->bytes || to->flags & END_LENGTH_UNKNOWN;
  return as_long && (!one_clock || end_wait_end(to) >= from->posted);
}

/* A send and a receive that cannot be one message show that calls are missing: from there on the
 * stream is left out. */
void pairs_find(struct finding *finding) {
  size_t send_count, receive_count, i = 0, k = 0;
  struct stream_end *sends = streams_of(finding, true, &send_count);
  struct stream_end *receives = streams_of(finding, false, &receive_count);
  finding->pairs = memory_zeroed(send_count + 1, sizeof *finding->pairs);
  const struct stream_end *broken = NULL;
  while (i < send_count && k < receive_count) {
    int order = compare_streams(&sends[i], &receives[k]);
    if (order) {
      if (order < 0)
        i++;
      else
        k++;
      continue;
    }
    if (broken && compare_streams(broken, &sends[i]) != 0) broken = NULL;
    if (!broken && !may_be_one(finding, sends[i].end, receives[k].end)) broken = &sends[i];
    if (!broken && finding->profile->message_ends[receives[k].end].wait_call)
      finding->pairs[finding->pair_count++] = (struct pair){sends[i].end, receives[k].end};
    i++;
    k++;
  }
  free(sends);
  free(receives);
}

/* Messages come after they were sent. A synchronous send ends after its receive was posted. */
void pairs_relate_clocks(struct finding *finding) {
  for (size_t i = 0; i < finding->pair_count; i++) {
    const struct profile_message_end *send =
        &finding->profile->message_ends[finding->pairs[i].send];
    const struct profile_message_end *receive =
        &finding->profile->message_ends[finding->pairs[i].receive];
    uint32_t from = finding->members[send->process].clock;
    uint32_t to = finding->members[receive->process].clock;
    finding_relate(finding, from, send->posted, to, end_wait_end(receive));
    bool synchronous = send->call == MPI_CALL_Ssend || send->call == MPI_CALL_Issend;
    if (synchronous && send->wait_call)
      finding_relate(finding, to, receive->posted, from, end_wait_end(send));
  }
}

void pairs_find_parts(struct finding *finding) {
  for (size_t i = 0; i < finding->pair_count; i++) {
    const struct profile_message_end *send =
        &finding->profile->message_ends[finding->pairs[i].send];
    const struct profile_message_end *receive =
        &finding->profile->message_ends[finding->pairs[i].receive];
    finding_add_part(finding, receive, send, LATE_SENDER, true);
    finding_add_part(finding, send, receive, LATE_RECEIVER, true);
  }
}
