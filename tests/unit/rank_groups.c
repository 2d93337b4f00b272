/* Ranks that spend their time alike are one group; others are not, and are told by what differs. */
#include "attribution/rank_groups.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "profile/builder.h"

enum { RANKS = 16, FUNCTIONS = 12, TICKS = 400, TRIALS = 400 };

/* Which function a tick falls into: each half as often as the one before; `moved` of the first
 * one's fall into the last one instead. */
static uint32_t function_met(double moved) {
  double at = (random() + 0.5) / (RAND_MAX + 1.0), share = 0.5;
  for (uint32_t i = 0; i + 1 < FUNCTIONS; i++, share /= 2) {
    if (at < share) return i == 0 && at < moved ? FUNCTIONS - 1 : i;
    at -= share;
  }
  return FUNCTIONS - 1;
}

/* Ranks 3 and 8 differ from the others by `moved`. */
static struct profile *random_job(double moved) {
  struct profile *profile = profile_create();
  for (uint32_t i = 0; i < FUNCTIONS; i++)
    profile_add_function(profile, (struct profile_function){.name = "f"});
  for (uint32_t rank = 0; rank < RANKS; rank++) {
    uint32_t met[FUNCTIONS] = {0};
    profile_add_run(profile,
                    (struct profile_run){.ticks = TICKS, .sampled_ns = TICKS * 1000000ull});
    for (int i = 0; i < TICKS; i++)
      met[function_met(rank == 3 || rank == 8 ? moved : 0)]++;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
      if (met[i])
        profile_add_run_cost(
            profile,
            (struct profile_run_cost){.run = rank, .function = i, .self_ns = met[i] * 1000000ull});
  }
  return profile;
}

static bool only_3_and_8(const struct rank_groups *groups) {
  bool so = groups->count == 2 && !groups->differ_within;
  for (uint32_t rank = 0; rank < RANKS && so; rank++)
    so = groups->of_run[rank] == (rank == 3 || rank == 8);
  return so;
}

static void test_equal_ranks(void) {
  int divided = 0;
  for (int i = 0; i < TRIALS; i++) {
    struct profile *profile = random_job(0);
    struct rank_groups groups;
    rank_groups_make(profile, &groups);
    divided += groups.count != 1;
    rank_groups_free(&groups);
    profile_free(profile);
  }
  printf("%d of %d jobs of equal ranks are divided\n", divided, TRIALS);
  CHECK(divided <= TRIALS * 0.01 + 5 * sqrt(TRIALS * 0.01));
}

static void test_two_kinds(void) {
  int found = 0;
  for (int i = 0; i < TRIALS; i++) {
    struct profile *profile = random_job(0.2);
    struct rank_groups groups;
    rank_groups_make(profile, &groups);
    if (only_3_and_8(&groups)) {
      found++;
      CHECK_EQUAL(groups.groups[0].runs, RANKS - 2);
      CHECK_EQUAL(groups.groups[0].mean_ns, TICKS * 1000000ull);
      CHECK(groups.groups[1].function == 0 || groups.groups[1].function == FUNCTIONS - 1);
      CHECK(fabs(groups.groups[1].share - groups.groups[1].share_elsewhere) > 0.1);
    }
    rank_groups_free(&groups);
    profile_free(profile);
  }
  printf("%d of %d jobs of two kinds of ranks are divided as they are\n", found, TRIALS);
  CHECK(found >= TRIALS * 0.95);
}

static void test_without_ticks(void) {
  struct profile *profile = random_job(0);
  struct rank_groups groups;
  for (size_t i = 0; i < RANKS; i++)
    profile->runs[i].ticks = 0;
  rank_groups_make(profile, &groups);
  CHECK_EQUAL(groups.count, 0);
  rank_groups_free(&groups);
  profile->runs[5].ticks = profile->runs[9].ticks = TICKS;
  rank_groups_make(profile, &groups);
  CHECK(groups.count >= 1 && groups.of_run[0] == NO_RANK_GROUP && groups.of_run[9] < groups.count);
  rank_groups_free(&groups);
  profile_free(profile);
}

int main(void) {
  srandom(7);
  test_equal_ranks();
  test_two_kinds();
  test_without_ticks();
  return check_result();
}
