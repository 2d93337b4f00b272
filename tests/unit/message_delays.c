/* Clocks that are compared by messages; which sends and receives are one message, and who waited.
 */
#include "attribution/messages/message_delays.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/messages/clock_relation.h"
#include "check.h"
#include "profile/builder.h"
#include "recording/mpi_calls.h"

/* ---- clocks ---- */

static uint32_t state = 1;

static double chance(void) {
  state = state * 1664525 + 1013904223;
  return state / 4294967296.0;
}

/* How far the second clock is ahead: apart by more than any message takes, and drifting. */
static double truth(double at) {
  return 5e6 + 3e-5 * at;
}

static void clocks_are_found_within_their_uncertainty(void) {
  struct clock_relation relation = {0};
  double ahead, uncertainty, fastest = INFINITY;
  CHECK(!clock_relation_at(&relation, 0, &ahead, &uncertainty));
  for (int i = 0; i < 2000; i++) {
    double at = 1e9 * chance(), takes = 1000 - 20000 * log(1 - chance());
    clock_relation_add(&relation, (struct clock_bound){at, truth(at) + takes}, true);
    if (takes < fastest) fastest = takes;
  }
  clock_relation_find(&relation);
  CHECK(!clock_relation_at(&relation, 0, &ahead, &uncertainty)); /* in one direction only */
  for (int i = 0; i < 2000; i++) {
    double at = 1e9 * chance(), takes = 1000 - 20000 * log(1 - chance());
    clock_relation_add(&relation, (struct clock_bound){at, truth(at) - takes}, false);
  }
  relation.span_count = 0;
  clock_relation_find(&relation);
  for (double at = -1e8; at < 1.1e9; at += 1e7) {
    CHECK(clock_relation_at(&relation, at, &ahead, &uncertainty));
    CHECK(fabs(ahead - truth(at)) <= uncertainty + 1e-3);
    if (at >= 0 && at < 1e9) CHECK(uncertainty > fastest / 2 && uncertainty < 4000);
  }
  clock_relation_free(&relation);
}

/* A rate that changes much is that of no line: then time is divided. */
static void clocks_may_change_their_rate(void) {
  struct clock_relation relation = {0};
  double ahead, uncertainty;
  for (int i = 0; i < 4000; i++) {
    double at = 1e9 * chance(), turn = at < 6e8 ? 0 : 1e-4 * (at - 6e8),
           takes = 1000 + 100 * chance();
    struct clock_bound bound = {at, turn + (i % 2 ? takes : -takes)};
    clock_relation_add(&relation, bound, i % 2);
  }
  clock_relation_find(&relation);
  CHECK(relation.span_count > 1);
  for (double at = 0; at < 1e9; at += 1e7) {
    CHECK(clock_relation_at(&relation, at, &ahead, &uncertainty));
    CHECK(fabs(ahead - (at < 6e8 ? 0 : 1e-4 * (at - 6e8))) <= 1500);
  }
  clock_relation_free(&relation);
}

/* Between -0.2 and 0.2 at both ends: lines may turn by 0.4 in 1000. */
static void uncertainty_is_that_of_the_outermost_lines(void) {
  struct clock_relation relation = {0};
  double ahead, uncertainty;
  for (int at = 0; at <= 1000; at += 1000) {
    clock_relation_add(&relation, (struct clock_bound){at, 0.2}, true);
    clock_relation_add(&relation, (struct clock_bound){at, -0.2}, false);
  }
  clock_relation_find(&relation);
  CHECK(clock_relation_at(&relation, 250, &ahead, &uncertainty));
  CHECK(fabs(ahead) < 1e-9 && fabs(uncertainty - 0.2) < 1e-9);
  CHECK(clock_relation_at(&relation, 1100, &ahead, &uncertainty));
  CHECK(fabs(ahead) < 1e-9 && fabs(uncertainty - 0.24) < 1e-9);
  clock_relation_free(&relation);
}

/* By a ns, which the mean of the two nearest lines rounds away. */
static void bounds_that_contradict_each_other_leave_no_line(void) {
  struct clock_relation relation = {0};
  double ahead, uncertainty;
  clock_relation_add(&relation, (struct clock_bound){0, 9e15 + 7}, true);
  clock_relation_add(&relation, (struct clock_bound){4000, 9e15 + 8}, true);
  clock_relation_add(&relation, (struct clock_bound){4000, 9e15 + 9}, false);
  clock_relation_find(&relation);
  CHECK(!clock_relation_at(&relation, 4000, &ahead, &uncertainty));
  clock_relation_free(&relation);
}

/* ---- messages ---- */

/* Ranks of one job, on one machine, where a cycle takes 2 ns. */
static struct profile *job_of(uint32_t ranks, uint32_t here) {
  struct profile *profile = profile_create();
  for (uint32_t i = 0; i < here; i++)
    profile_add_process(profile, (struct profile_process){.executable = "",
                                                          .command = "",
                                                          .directory = "",
                                                          .host = "",
                                                          .rank_number = i + 1,
                                                          .ranks = ranks,
                                                          .job = "j",
                                                          .clock = "c",
                                                          .cycle_ns = 2});
  return profile;
}

/* Ranks are from 1 on, times absolute; `end` 0: not completed. */
static void add(struct profile *profile, uint32_t rank, uint32_t flags, uint32_t partner,
                uint32_t tag, uint64_t posted, uint64_t begin, uint64_t end, uint32_t line) {
  profile_add_message_end(profile, (struct profile_message_end){
                                       .process = rank - 1,
                                       .line = line,
                                       .wait_line = line,
                                       .call = flags & END_SENDS ? MPI_CALL_Send : MPI_CALL_Irecv,
                                       .wait_call = end ? MPI_CALL_Waitall : 0,
                                       .communicator = 7,
                                       .partner = partner,
                                       .tag = tag,
                                       .bytes = 8 * tag,
                                       .flags = flags,
                                       .posted = posted,
                                       .wait_after = end ? begin - posted : 0,
                                       .waited = end ? end - begin : 0});
}

static struct profile_message_delay sum_of(const struct profile *profile, uint32_t rank,
                                           uint32_t partner, enum late_end late_end) {
  struct profile_message_delay sum = {0};
  for (size_t i = 0; i < profile->message_delay_count; i++) {
    const struct profile_message_delay *delay = &profile->message_delays[i];
    if (delay->process != rank - 1 || delay->partner != partner || delay->late_end != late_end)
      continue;
    sum.messages += delay->messages;
    sum.late += delay->late;
    sum.late_ns += delay->late_ns;
    sum.unrelated += delay->unrelated;
  }
  return sum;
}

/* Rank 1 waits at 100 for messages that ranks 2 and 3 send at 150 and 180: for 80 cycles. */
static void the_latest_of_a_call_counts(void) {
  struct profile *profile = job_of(3, 3);
  add(profile, 1, 0, 2, 5, 90, 100, 200, 1);
  add(profile, 1, 0, 3, 5, 91, 100, 200, 1);
  add(profile, 2, END_SENDS, 1, 5, 150, 150, 151, 2);
  add(profile, 3, END_SENDS, 1, 5, 180, 180, 181, 3);
  message_delays_find(profile);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).messages, 1);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).late, 0);
  CHECK_EQUAL(sum_of(profile, 1, 3, LATE_SENDER).late_ns, 160);
  CHECK_EQUAL(sum_of(profile, 3, 1, LATE_RECEIVER).late_ns, 0);
  CHECK_EQUAL(profile->message_end_count, 0);
  profile_free(profile);
}

/* The first receive that was posted gets the first message, whichever is completed first. The send
 * at 300 waits until 340, when its receive is posted; the one at 10 is done before. */
static void messages_do_not_overtake(void) {
  struct profile *profile = job_of(3, 2);
  add(profile, 1, 0, 2, 5, 90, 160, 170, 1);
  add(profile, 1, 0, 2, 5, 95, 100, 150, 1);
  add(profile, 1, 0, 2, 5, 340, 340, 350, 1);
  add(profile, 2, END_SENDS, 1, 5, 10, 10, 11, 2);
  add(profile, 2, END_SENDS, 1, 5, 130, 130, 131, 2);
  add(profile, 2, END_SENDS, 1, 5, 300, 300, 345, 2);
  message_delays_find(profile);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).messages, 3);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).late_ns, 60);
  CHECK_EQUAL(sum_of(profile, 2, 1, LATE_RECEIVER).late, 1);
  CHECK_EQUAL(sum_of(profile, 2, 1, LATE_RECEIVER).late_ns, 80);
  CHECK_EQUAL(profile->message_end_count, 6); /* rank 3 is not here */
  profile_free(profile);
}

/* A receive of any that got no message may have got the first; what is posted in a pause keeps the
 * order; a message of another length belongs to another receive. */
static void what_is_not_known_does_not_count(void) {
  struct profile *profile = job_of(2, 2);
  add(profile, 1, 0, 2, 5, 90, 100, 200, 1);
  add(profile, 1, 0, 0, 5, 210, 0, 0, 1);
  add(profile, 1, 0, 2, 5, 220, 230, 240, 1);
  add(profile, 2, END_SENDS, 1, 5, 150, 150, 151, 2);
  add(profile, 2, END_SENDS, 1, 5, 235, 235, 236, 2);
  add(profile, 2, END_PAUSED, 1, 6, 300, 300, 400, 2);
  add(profile, 2, 0, 1, 6, 410, 410, 450, 2);
  add(profile, 2, 0, 1, 6, 460, 460, 500, 2);
  add(profile, 1, END_SENDS, 2, 6, 350, 350, 351, 3);
  add(profile, 1, END_SENDS, 2, 6, 440, 440, 441, 3);
  add(profile, 1, END_SENDS, 2, 6, 470, 470, 471, 3);
  profile->message_ends[profile->message_end_count - 1].bytes = 1;
  message_delays_find(profile);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).messages, 1);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).late_ns, 100);
  CHECK_EQUAL(sum_of(profile, 2, 1, LATE_SENDER).messages, 1);
  CHECK_EQUAL(sum_of(profile, 2, 1, LATE_SENDER).late_ns, 60);
  profile_free(profile);
}

/* Of a rank that is elsewhere, in one direction. */
static void other_clocks_are_not_guessed(void) {
  struct profile *profile = job_of(2, 2);
  profile->processes[1].clock = "d";
  add(profile, 1, 0, 2, 5, 90, 100, 200, 1);
  add(profile, 2, END_SENDS, 1, 5, 5000, 5000, 5001, 2);
  message_delays_find(profile);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).messages, 1);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).unrelated, 1);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_SENDER).late, 0);
  profile_free(profile);
}

/* A part in a collective call of as many ranks. */
static void add_part(struct profile *profile, uint32_t rank, uint32_t flags, uint32_t call,
                     uint32_t ranks, uint64_t posted, uint64_t end) {
  profile_add_message_end(profile, (struct profile_message_end){.process = rank - 1,
                                                                .line = rank,
                                                                .wait_line = rank,
                                                                .call = call,
                                                                .wait_call = call,
                                                                .communicator = 7,
                                                                .bytes = ranks,
                                                                .flags = END_COLLECTIVE | flags,
                                                                .posted = posted,
                                                                .waited = end - posted});
}

/* All wait for rank 3 in a barrier, all for rank 2 as the root of a broadcast, and it for rank 3 as
 * that of a reduction. Rank 3 takes no part in the last barrier: whom it was for is not known. */
static void collective_calls_wait_for_the_last(void) {
  static const uint64_t begins[] = {10, 40, 100};
  struct profile *profile = job_of(3, 3);
  for (uint32_t rank = 1; rank <= 3; rank++) {
    uint64_t begin = begins[rank - 1];
    uint32_t root = rank == 2 ? END_ROOT : 0;
    add_part(profile, rank, 0, MPI_CALL_Barrier, 3, begin, 105);
    add_part(profile, rank, root, MPI_CALL_Bcast, 3, 1000 + begin, 1105);
    add_part(profile, rank, root, MPI_CALL_Reduce, 3, 2000 + begin, 2105);
    if (rank < 3) add_part(profile, rank, 0, MPI_CALL_Barrier, 3, 3000 + begin, 3105);
  }
  message_delays_find(profile);
  CHECK_EQUAL(sum_of(profile, 1, 3, LATE_IN_COLLECTIVE).late_ns, 180);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_IN_COLLECTIVE).late_ns, 60);
  CHECK_EQUAL(sum_of(profile, 2, 3, LATE_IN_COLLECTIVE).late_ns, 240);
  CHECK_EQUAL(sum_of(profile, 2, 3, LATE_IN_COLLECTIVE).messages, 2);
  CHECK_EQUAL(sum_of(profile, 3, 2, LATE_IN_COLLECTIVE).messages, 1);
  CHECK_EQUAL(sum_of(profile, 3, 2, LATE_IN_COLLECTIVE).late, 0);
  CHECK_EQUAL(profile->message_delay_count, 5);
  profile_free(profile);
}

/* Nothing moves in these: rank 1 is done before rank 2 begins, and did not wait. Nor do they say
 * anything of clocks, as those with bytes do. */
static void empty_calls_do_not_wait(void) {
  for (int machines = 1; machines <= 2; machines++) {
    struct profile *profile = job_of(2, 2);
    if (machines == 2) profile->processes[1].clock = "d";
    for (uint64_t i = 1; i <= 3; i++) {
      add_part(profile, 1, 0, MPI_CALL_Allreduce, 2, 1000 * i, 1000 * i + 5);
      add_part(profile, 2, 0, MPI_CALL_Allreduce, 2, 1000 * i + 500, 1000 * i + 505);
    }
    message_delays_find(profile);
    struct profile_message_delay sum = sum_of(profile, 1, 2, LATE_IN_COLLECTIVE);
    CHECK_EQUAL(sum.messages, machines == 1 ? 3 : 0); /* else the last one is not known */
    CHECK_EQUAL(sum.late, 0);
    for (size_t i = 0; machines == 2 && i < profile->message_delay_count; i++)
      CHECK_EQUAL(profile->message_delays[i].unrelated, profile->message_delays[i].messages);
    profile_free(profile);
  }
  struct profile *profile = job_of(2, 2);
  profile->processes[1].clock = "d";
  for (uint64_t i = 1; i <= 3; i++) {
    add_part(profile, 1, END_WITH_BYTES, MPI_CALL_Allreduce, 2, 1000 * i, 1000 * i + 510);
    add_part(profile, 2, END_WITH_BYTES, MPI_CALL_Allreduce, 2, 1000 * i + 500, 1000 * i + 510);
  }
  message_delays_find(profile);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_IN_COLLECTIVE).messages, 3);
  CHECK_EQUAL(sum_of(profile, 1, 2, LATE_IN_COLLECTIVE).unrelated, 0);
  profile_free(profile);
}

/* Each rank on a machine of its own, whose clock began at another time: broadcasts and barriers in
 * turn. The last rank comes 400 cycles late to every other barrier, all others to the rest. */
static void barriers_relate_many_clocks(void) {
  enum { RANKS = 40, TURNS = 20, LATE = 400 };
  struct profile *profile = job_of(RANKS, RANKS);
  char names[RANKS][8];
  struct profile_message_delay sum = {0};
  for (uint32_t rank = 1; rank <= RANKS; rank++) {
    snprintf(names[rank - 1], sizeof *names, "%u", rank);
    profile->processes[rank - 1].clock = names[rank - 1];
    for (uint64_t i = 0; i < TURNS; i++) {
      uint64_t begin = 100000 * rank + 2000 * i, late = (rank == RANKS) == i % 2 ? LATE : 0;
      add_part(profile, rank, rank == 1 ? END_ROOT : 0, MPI_CALL_Bcast, RANKS, begin, begin + 5);
      begin += 1000;
      add_part(profile, rank, 0, MPI_CALL_Barrier, RANKS, begin + late, begin + LATE + 5);
    }
  }
  message_delays_find(profile);
  for (size_t i = 0; i < profile->message_delay_count; i++) {
    const struct profile_message_delay *delay = &profile->message_delays[i];
    CHECK_EQUAL(delay->unrelated, 0);
    CHECK(delay->clock_uncertainty_ns <= 50);
    if (delay->partner != RANKS) continue;
    sum.late += delay->late;
    sum.late_ns += delay->late_ns;
  }
  CHECK_EQUAL(sum.late, (RANKS - 1) * TURNS / 2);
  CHECK(fabs((double)sum.late_ns - 2.0 * LATE * sum.late) <= 50.0 * sum.late);
  profile_free(profile);
}

int main(void) {
  clocks_are_found_within_their_uncertainty();
  clocks_may_change_their_rate();
  uncertainty_is_that_of_the_outermost_lines();
  bounds_that_contradict_each_other_leave_no_line();
  the_latest_of_a_call_counts();
  messages_do_not_overtake();
  what_is_not_known_does_not_count();
  other_clocks_are_not_guessed();
  collective_calls_wait_for_the_last();
  empty_calls_do_not_wait();
  barriers_relate_many_clocks();
  return check_result();
}
