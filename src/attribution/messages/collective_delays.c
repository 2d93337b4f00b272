/* Collective calls: who waited for whom to begin them.
 *
 * All processes of a communicator make its collective calls in the same order (MPI 3.1, section
 * 5.1), so that the n-th of each belong together. */
#include <stdlib.h>

#include "attribution/messages/message_finding.h"
#include "recording/mpi_calls.h"

#define CLOCK_PARTS_MOST (1u << 20) /* about: in collective calls that relate clocks */

struct member_end {
  uint32_t job, instance, communicator;
  uint32_t ordinal; /* of the process's calls there */
  uint32_t end;     /* of profile.message_ends */
};

static int compare_calls(const struct member_end *a, const struct member_end *b) {
  COMPARE(a->job, b->job);
  COMPARE(a->instance, b->instance);
  COMPARE(a->communicator, b->communicator);
  COMPARE(a->ordinal, b->ordinal);
  return 0;
}

static int by_call(const void *left, const void *right) {
  const struct member_end *a = left, *b = right;
  int order = compare_calls(a, b);
  return order ? order : (a->end > b->end) - (a->end < b->end);
}

static struct member_end *members_of(const struct finding *finding, size_t *count) {
  const struct profile *profile = finding->profile;
  struct member_end *list = memory_zeroed(profile->message_end_count + 1, sizeof *list);
  uint32_t *calls = memory_zeroed(profile->message_end_count + 1, sizeof *calls), known = 0;
  struct map numbers = {0}; /* (process, communicator) -> index in calls */
  *count = 0;
  for (size_t i = 0; i < profile->message_end_count; i++) {
    const struct profile_message_end *end = &profile->message_ends[i];
    if (!(end->flags & END_COLLECTIVE) || !profile->processes[end->process].rank_number) continue;
    uint32_t number = map_find_or_add(&numbers, end->process, end->communicator, known);
    known += number == known;
    const struct member *member = &finding->members[end->process];
    list[(*count)++] = (struct member_end){member->job, member->instance, end->communicator,
                                           calls[number]++, (uint32_t)i};
  }
  map_free(&numbers);
  free(calls);
  if (*count) qsort(list, *count, sizeof *list, by_call);
  return list;
}

static const struct profile_message_end *end_of(const struct finding *finding, size_t number) {
  return &finding->profile->message_ends[finding->collective[number]];
}

/* Whether all processes of the communicator are there, in the same call. */
static bool is_whole(const struct finding *finding, struct meeting meeting) {
  const struct profile_message_end *first = end_of(finding, meeting.first);
  if (meeting.count != first->bytes) return false;
  for (uint32_t i = 0; i < meeting.count; i++) {
    const struct profile_message_end *end = end_of(finding, meeting.first + i);
    if (end->call != first->call || !end->wait_call) return false;
  }
  return true;
}

void meetings_find(struct finding *finding) {
  size_t count;
  struct member_end *list = members_of(finding, &count);
  finding->collective = memory_zeroed(count + 1, sizeof *finding->collective);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i; next < count && compare_calls(&list[i], &list[next]) == 0; next++)
      finding->collective[next] = list[next].end;
    struct meeting meeting = {(uint32_t)i, (uint32_t)(next - i)};
    if (!is_whole(finding, meeting)) continue;
    ARRAY_GROW(finding->meetings, finding->meeting_count);
    finding->meetings[finding->meeting_count++] = meeting;
  }
  free(list);
}

static uint32_t clock_of(const struct finding *finding, const struct profile_message_end *end) {
  return finding->members[end->process].clock;
}

/* ---- clocks ---- */

/* Whether the call cannot end anywhere before all have begun it. Others with results for all need
 * not wait if they move nothing, or nothing to or from one process. */
static bool synchronizes(const struct finding *finding, struct meeting meeting) {
  const struct profile_message_end *end = end_of(finding, meeting.first);
  switch (end->call) {
  case MPI_CALL_Barrier:
    return true;
  case MPI_CALL_Allreduce: /* these move equally much for all */
  case MPI_CALL_Allgather:
  case MPI_CALL_Alltoall:
  case MPI_CALL_Reduce_scatter_block:
    return end->flags & END_WITH_BYTES;
  default:
    return false;
  }
}

static bool is_of_same_communicator(const struct finding *finding, struct meeting a,
                                    struct meeting b) {
  const struct profile_message_end *first = end_of(finding, a.first);
  const struct profile_message_end *second = end_of(finding, b.first);
  const struct member *one = &finding->members[first->process];
  const struct member *other = &finding->members[second->process];
  return first->communicator == second->communicator && one->job == other->job &&
         one->instance == other->instance;
}

/* One clock in one meeting. */
struct seen {
  bool present;
  uint64_t last_begin, first_end;
};

/* Relates all clocks of the meeting to the one with the lowest number. `seen`: by clock, all zeros
 * before and afterwards; `clocks` has room for all. */
static void relate_clocks_of(struct finding *finding, struct meeting meeting, struct seen *seen,
                             uint32_t *clocks) {
  uint32_t count = 0, reference = UINT32_MAX;
  for (uint32_t i = 0; i < meeting.count; i++) {
    const struct profile_message_end *end = end_of(finding, meeting.first + i);
    uint32_t clock = clock_of(finding, end);
    if (!seen[clock].present) {
      seen[clock] = (struct seen){true, 0, UINT64_MAX};
      clocks[count++] = clock;
    }
    if (end->posted > seen[clock].last_begin) seen[clock].last_begin = end->posted;
    if (end_wait_end(end) < seen[clock].first_end) seen[clock].first_end = end_wait_end(end);
    if (clock < reference) reference = clock;
  }
  struct seen at_reference = seen[reference];
  for (uint32_t i = 0; i < count; i++) {
    struct seen other = seen[clocks[i]];
    finding_relate(finding, reference, at_reference.last_begin, clocks[i], other.first_end);
    finding_relate(finding, clocks[i], other.last_begin, reference, at_reference.first_end);
    seen[clocks[i]] = (struct seen){0};
  }
}

/* In large jobs a part of the calls suffices: of each communicator every so many, so that they are
 * spread over the run. */
void meetings_relate_clocks(struct finding *finding) {
  if (finding->clock_count < 2) return;
  struct seen *seen = memory_zeroed(finding->clock_count, sizeof *seen);
  uint32_t *clocks = memory_zeroed(finding->clock_count, sizeof *clocks);
  const struct meeting *before = NULL;
  size_t parts = 0, number = 0;
  for (size_t i = 0; i < finding->meeting_count; i++)
    if (synchronizes(finding, finding->meetings[i])) parts += finding->meetings[i].count;
  size_t step = parts / CLOCK_PARTS_MOST + 1;
  for (size_t i = 0; i < finding->meeting_count; i++) {
    const struct meeting *meeting = &finding->meetings[i];
    if (!synchronizes(finding, *meeting)) continue;
    if (!before || !is_of_same_communicator(finding, *before, *meeting)) number = 0;
    if (number++ % step == 0) relate_clocks_of(finding, *meeting, seen, clocks);
    before = meeting;
  }
  free(seen);
  free(clocks);
}

/* ---- who waited ---- */

/* The process that began last, by the clock of the first one, or the root. `is_known`: false if
 * clocks cannot be compared, so that another one may have been the last. */
static const struct profile_message_end *
awaited(const struct finding *finding, struct meeting meeting, bool is_root, bool *is_known) {
  const struct profile_message_end *first = end_of(finding, meeting.first), *found = NULL;
  double last = 0;
  *is_known = true;
  for (uint32_t i = 0; i < meeting.count; i++) {
    const struct profile_message_end *end = end_of(finding, meeting.first + i);
    double later, uncertainty;
    if (is_root) {
      if (end->flags & END_ROOT) return end;
      continue;
    }
    if (!finding_later_by(finding, clock_of(finding, end), end->posted, clock_of(finding, first),
                          first->posted, &later, &uncertainty)) {
      *is_known = false;
      continue;
    }
    if (found && later <= last) continue;
    found = end;
    last = later;
  }
  return found;
}

/* A call that had ended when the last one began did not wait for it: finding_add_part. */
void meetings_find_parts(struct finding *finding) {
  for (size_t i = 0; i < finding->meeting_count; i++) {
    struct meeting meeting = finding->meetings[i];
    bool is_known;
    enum mpi_meeting kind = mpi_meeting_of(end_of(finding, meeting.first)->call);
    const struct profile_message_end *last =
        awaited(finding, meeting, kind == MPI_MEETING_ROOT, &is_known);
    for (uint32_t k = 0; last && k < meeting.count; k++) {
      const struct profile_message_end *end = end_of(finding, meeting.first + k);
      bool waits = kind != MPI_MEETING_AT_ROOT || end->flags & END_ROOT;
      if (waits && end != last) finding_add_part(finding, end, last, LATE_IN_COLLECTIVE, is_known);
    }
  }
}
