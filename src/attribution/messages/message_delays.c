#include "attribution/messages/message_delays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/messages/message_finding.h"
#include "attribution/recorded/recorded_messages.h"
#include "profile/builder.h"
#include "recording/mpi_calls.h"

#define JOB_ENDS_MOST (4u << 20) /* 230 MB of them */

/* ---- members of jobs ---- */

static bool is_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static uint32_t job_of(struct finding *finding, const char *name) {
  for (size_t i = 0; i < finding->job_count; i++)
    if (is_text(finding->jobs[i], name)) return (uint32_t)i;
  ARRAY_GROW(finding->jobs, finding->job_count);
  finding->jobs[finding->job_count] = name;
  return (uint32_t)finding->job_count++;
}

static uint32_t clock_of(struct finding *finding, const struct profile_process *process) {
  uint64_t lived =
      process->updated_ns > process->started_ns ? process->updated_ns - process->started_ns : 0;
  size_t i = process->clock ? 0 : finding->clock_count;
  while (i < finding->clock_count &&
         !(finding->clocks[i].name && is_text(finding->clocks[i].name, process->clock)))
    i++;
  if (i == finding->clock_count) {
    ARRAY_GROW(finding->clocks, finding->clock_count);
    finding->clocks[finding->clock_count++] = (struct job_clock){
        process->clock, process->cycle_ns, lived, process->rank_number, UINT64_MAX};
  }
  struct job_clock *clock = &finding->clocks[i];
  if (lived > clock->lived_ns || (lived == clock->lived_ns && process->rank_number < clock->rank)) {
    clock->cycle_ns = process->cycle_ns;
    clock->lived_ns = lived;
    clock->rank = process->rank_number;
  }
  return (uint32_t)i;
}

static int by_start(const void *left, const void *right, void *profile) {
  const struct profile_process *processes = ((const struct profile *)profile)->processes;
  uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
  const struct profile_process *a = &processes[first], *b = &processes[second];
  if (a->started_ns != b->started_ns) return a->started_ns < b->started_ns ? -1 : 1;
  return (first > second) - (first < second);
}

/* Makes members of the processes that have ends. */
static void find_members(struct finding *finding) {
  struct profile *profile = finding->profile;
  uint32_t count = 0, *order = memory_zeroed(profile->process_count + 1, sizeof *order);
  bool *has_ends = memory_zeroed(profile->process_count + 1, sizeof *has_ends);
  struct map instances = {0};
  finding->members = memory_zeroed(profile->process_count + 1, sizeof *finding->members);
  for (size_t i = 0; i < profile->message_end_count; i++)
    has_ends[profile->message_ends[i].process] = true;
  for (uint32_t i = 0; i < profile->process_count; i++)
    if (has_ends[i]) order[count++] = i;
  qsort_r(order, count, sizeof *order, by_start, profile);
  for (uint32_t i = 0; i < count; i++) {
    const struct profile_process *process = &profile->processes[order[i]];
    struct member *member = &finding->members[order[i]];
    member->job = job_of(finding, process->job);
    member->clock = clock_of(finding, process);
    while (map_find_or_add(&instances, (uint64_t)member->job << 32 | process->rank_number,
                           member->instance, order[i]) != order[i])
      member->instance++;
  }
  for (size_t i = 0; i < profile->message_end_count; i++) {
    const struct profile_message_end *end = &profile->message_ends[i];
    struct job_clock *clock = &finding->clocks[finding->members[end->process].clock];
    if (end->posted < clock->zero) clock->zero = end->posted;
  }
  map_free(&instances);
  free(order);
  free(has_ends);
}

/* ---- who waited for whom ---- */

static bool is_wait(uint32_t call) {
  return call != MPI_CALL_Test && call != MPI_CALL_Testall && call != MPI_CALL_Testany &&
         call != MPI_CALL_Testsome;
}

void finding_add_part(struct finding *finding, const struct profile_message_end *own,
                      const struct profile_message_end *partner, enum late_end late_end,
                      bool is_known) {
  uint32_t clock = finding->members[own->process].clock;
  uint32_t other = finding->members[partner->process].clock;
  double later, waited = (double)own->waited * finding->clocks[clock].cycle_ns;
  if (!own->wait_call || own->flags & END_PAUSED) return;
  struct part part = {.process = own->process,
                      .line = own->wait_line,
                      .partner_line = partner->line,
                      .call = own->wait_call,
                      .partner_call = partner->call,
                      .partner = finding->profile->processes[partner->process].rank_number,
                      .late_end = late_end,
                      .begin = end_wait_begin(own)};
  part.unrelated = !is_known || !finding_later_by(finding, other, partner->posted, clock,
                                                  part.begin, &later, &part.clock_uncertainty);
  bool blocked = late_end == LATE_SENDER || later - part.clock_uncertainty < waited;
  if (!part.unrelated && is_wait(own->wait_call) && blocked && later > part.clock_uncertainty) {
    part.late = fmin(later, waited);
    part.uncertainty = fmin(part.clock_uncertainty, part.late);
  }
  ARRAY_GROW(finding->parts, finding->part_count);
  finding->parts[finding->part_count++] = part;
}

/* Keeps the parts of one call together, the longest wait first. */
static int by_call(const void *left, const void *right) {
  const struct part *a = left, *b = right;
  COMPARE(a->process, b->process);
  COMPARE(a->begin, b->begin);
  COMPARE(b->late, a->late);
  COMPARE(a->partner, b->partner);
  COMPARE(a->late_end, b->late_end);
  COMPARE(a->line, b->line);
  COMPARE(a->partner_line, b->partner_line);
  COMPARE(a->partner_call, b->partner_call);
  return 0;
}

static int compare_rows(const struct part *a, const struct part *b) {
  COMPARE(a->process, b->process);
  COMPARE(a->line, b->line);
  COMPARE(a->call, b->call);
  COMPARE(a->partner, b->partner);
  COMPARE(a->partner_line, b->partner_line);
  COMPARE(a->partner_call, b->partner_call);
  COMPARE(a->late_end, b->late_end);
  return 0;
}

static int by_row(const void *left, const void *right) {
  const struct part *a = left, *b = right;
  int order = compare_rows(a, b);
  if (order) return order;
  COMPARE(a->begin, b->begin);
  COMPARE(a->late, b->late);
  return 0;
}

static void find_parts(struct finding *finding) {
  pairs_find_parts(finding);
  meetings_find_parts(finding);
  if (finding->part_count)
    qsort(finding->parts, finding->part_count, sizeof *finding->parts, by_call);
  for (size_t i = 1; i < finding->part_count; i++) {
    struct part *part = &finding->parts[i];
    if (part->process != part[-1].process || part->begin != part[-1].begin) continue;
    part->late = part->uncertainty = 0;
  }
}

static uint64_t whole(double ns) {
  return ns > 0 && ns < 0x1p53 ? (uint64_t)llround(ns) : 0;
}

static void add_row(struct finding *finding, const struct part *parts, size_t count) {
  struct profile_message_delay delay = {.process = parts->process,
                                        .line = parts->line,
                                        .partner_line = parts->partner_line,
                                        .call = recorded_messages_call(parts->call),
                                        .partner_call = recorded_messages_call(parts->partner_call),
                                        .partner = parts->partner,
                                        .late_end = parts->late_end,
                                        .messages = count};
  double late = 0, uncertainty = 0, most = 0, clocks = 0;
  for (size_t i = 0; i < count; i++) {
    delay.unrelated += parts[i].unrelated;
    delay.late += parts[i].late > 0;
    late += parts[i].late;
    uncertainty += parts[i].uncertainty;
    most = fmax(most, parts[i].late);
    if (!parts[i].unrelated) clocks = fmax(clocks, parts[i].clock_uncertainty);
  }
  delay.late_ns = whole(late);
  delay.late_uncertainty_ns = whole(uncertainty);
  delay.most_ns = whole(most);
  delay.clock_uncertainty_ns = whole(clocks);
  profile_add_message_delay(finding->profile, delay);
}

static void add_rows(struct finding *finding) {
  if (finding->part_count)
    qsort(finding->parts, finding->part_count, sizeof *finding->parts, by_row);
  for (size_t i = 0, next; i < finding->part_count; i = next) {
    for (next = i + 1; next < finding->part_count &&
                       compare_rows(&finding->parts[i], &finding->parts[next]) == 0;)
      next++;
    add_row(finding, &finding->parts[i], next - i);
  }
}

/* ---- what is kept ---- */

static bool is_whole(const struct profile *profile, const char *job) {
  uint32_t ranks = 0, found = 0;
  for (size_t i = 0; i < profile->process_count; i++)
    if (is_text(profile->processes[i].job, job) && profile->processes[i].ranks > ranks)
      ranks = profile->processes[i].ranks;
  struct map seen = {0};
  for (size_t i = 0; i < profile->process_count; i++) {
    uint32_t rank = profile->processes[i].rank_number;
    if (rank && rank <= ranks && is_text(profile->processes[i].job, job))
      found += map_find_or_add(&seen, rank, 0, found) == found;
  }
  map_free(&seen);
  return ranks && found == ranks;
}

static void forget_ends(struct finding *finding) {
  struct profile *profile = finding->profile;
  bool *whole_jobs = memory_zeroed(finding->job_count + 1, sizeof *whole_jobs);
  size_t kept = 0;
  for (size_t i = 0; i < finding->job_count; i++)
    whole_jobs[i] = is_whole(profile, finding->jobs[i]);
  for (size_t i = 0; i < profile->message_end_count; i++)
    if (!whole_jobs[finding->members[profile->message_ends[i].process].job])
      profile->message_ends[kept++] = profile->message_ends[i];
  profile->message_end_count = kept;
  free(whole_jobs);
}

void message_delays_find(struct profile *profile) {
  struct finding finding = {.profile = profile};
  if (!profile->message_end_count) return;
  find_members(&finding);
  pairs_find(&finding);
  meetings_find(&finding);
  pairs_relate_clocks(&finding);
  meetings_relate_clocks(&finding);
  finding_compare_clocks(&finding);
  find_parts(&finding);
  add_rows(&finding);
  forget_ends(&finding);
  for (size_t i = 0; i < finding.relation_count; i++)
    clock_relation_free(&finding.relations[i].relation);
  map_free(&finding.relation_ids);
  free(finding.relations);
  free(finding.members);
  free(finding.jobs);
  free(finding.clocks);
  free(finding.pairs);
  free(finding.collective);
  free(finding.meetings);
  free(finding.parts);
}

void message_delays_bound(struct profile *profile) {
  size_t kept = 0, process = NOTHING, count = 0;
  for (size_t i = 0; i < profile->message_end_count; i++) {
    struct profile_message_end *end = &profile->message_ends[i];
    uint32_t ranks = profile->processes[end->process].ranks;
    count = end->process == process ? count + 1 : 1;
    process = end->process;
    if (!ranks || count <= JOB_ENDS_MOST / ranks) profile->message_ends[kept++] = *end;
  }
  profile->message_end_count = kept;
}
