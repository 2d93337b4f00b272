/* Collective calls: who waited for whom to begin them.
 *
 * All processes of a communicator make its collective calls in the same order (MPI 3.1, section
 * 5.1), so that the n-th of each belong together. */
#include <stdlib.h>

#include "attribution/messages/message_finding.h"
#include "recording/mpi_calls.h"

#define CLOCK_PAIRS_MOST 256u /* that one call relates */

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

/* One clock in one meeting. */
struct seen {
  uint32_t clock;
  uint64_t last_begin, first_end;
};

static size_t clocks_in(const struct finding *finding, struct meeting meeting, struct seen *seen) {
  size_t count = 0;
  for (uint32_t i = 0; i < meeting.count; i++) {
    const struct profile_message_end *end = end_of(finding, meeting.first + i);
    size_t k = 0;
    while (k < count && seen[k].clock != clock_of(finding, end))
      k++;
    if (k == count) seen[count++] = (struct seen){clock_of(finding, end), 0, UINT64_MAX};
    if (end->posted > seen[k].last_begin) seen[k].last_begin = end->posted;
    if (end_wait_end(end) < seen[k].first_end) seen[k].first_end = end_wait_end(end);
  }
  return count;
}

/* No call of MPI_MEETING_OF_ALL ends before all have begun. With many clocks, a part of these calls
 * suffices. */
void meetings_relate_clocks(struct finding *finding) {
  struct seen *seen = memory_zeroed(finding->clock_count + 1, sizeof *seen);
  for (size_t i = 0; finding->clock_count > 1 && i < finding->meeting_count; i++) {
    struct meeting meeting = finding->meetings[i];
    if (mpi_meeting_of(end_of(finding, meeting.first)->call) != MPI_MEETING_OF_ALL) continue;
    size_t count = clocks_in(finding, meeting, seen);
    if (count * count > CLOCK_PAIRS_MOST && i % (count * count / CLOCK_PAIRS_MOST)) continue;
    for (size_t a = 0; a < count; a++)
      for (size_t b = 0; b < count; b++)
        finding_relate(finding, seen[a].clock, seen[a].last_begin, seen[b].clock,
                       seen[b].first_end);
  }
  free(seen);
}

/* ---- who waited ---- */

/* The process that began last, by the clock of the first one as far as it tells, or the root. */
static const struct profile_message_end *awaited(struct finding *finding, struct meeting meeting,
                                                 bool is_root) {
  const struct profile_message_end *first = end_of(finding, meeting.first), *found = NULL;
  double last = 0;
  for (uint32_t i = 0; i < meeting.count; i++) {
    const struct profile_message_end *end = end_of(finding, meeting.first + i);
    double later = 0, uncertainty;
    if (is_root && !(end->flags & END_ROOT)) continue;
    finding_later_by(finding, clock_of(finding, end), end->posted, clock_of(finding, first),
                     first->posted, &later, &uncertainty);
    if (found && later <= last) continue;
    found = end;
    last = later;
  }
  return found;
}

void meetings_find_parts(struct finding *finding) {
  for (size_t i = 0; i < finding->meeting_count; i++) {
    struct meeting meeting = finding->meetings[i];
    enum mpi_meeting kind = mpi_meeting_of(end_of(finding, meeting.first)->call);
    const struct profile_message_end *last = awaited(finding, meeting, kind == MPI_MEETING_ROOT);
    for (uint32_t k = 0; last && k < meeting.count; k++) {
      const struct profile_message_end *end = end_of(finding, meeting.first + k);
      bool waits = kind != MPI_MEETING_AT_ROOT || end->flags & END_ROOT;
      if (waits && end != last) finding_add_part(finding, end, last, LATE_IN_COLLECTIVE);
    }
  }
}
