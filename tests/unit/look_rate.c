/* Looks come at random around their period, and less often where they take too much. */
#include "outside/look_rate.h"

#include "check.h"

#define SECOND 1000000000ull

static void around_the_period(void) {
  enum { DRAWS = 100000 };
  struct look_rate rate;
  uint64_t sum = 0;
  look_rate_start(&rate, 100, 7 * SECOND, 0);
  for (int i = 0; i < DRAWS; i++) {
    uint64_t after = look_rate_due(&rate, 5 * SECOND) - 5 * SECOND;
    CHECK(after >= SECOND / 200 && after < SECOND / 200 * 3);
    sum += after;
  }
  CHECK(sum / DRAWS > SECOND / 101 && sum / DRAWS < SECOND / 99);
}

static void takes_no_more_than_its_share(void) {
  struct look_rate rate;
  uint64_t now = SECOND, used = 0;
  look_rate_start(&rate, 100, now, used);
  look_rate_judge(&rate, now + SECOND / 2, SECOND / 2); /* too early to judge */
  CHECK_EQUAL(rate.period_ns, SECOND / 100);
  for (int i = 0; i < 100; i++)
    look_rate_judge(&rate, now += SECOND, used += SECOND / 10);
  CHECK(rate.period_ns >= SECOND && rate.period_ns < 2 * SECOND);
  for (int i = 0; i < 100; i++)
    look_rate_judge(&rate, now += SECOND, used += SECOND / 1000);
  CHECK(rate.period_ns <= SECOND / 100 && rate.period_ns > SECOND / 200);
}

/* Not for a time that was much longer than usual, unless that has become usual. */
static void stands_for_the_usual_time(void) {
  struct look_rate rate;
  look_rate_start(&rate, 100, SECOND, 0);
  for (uint64_t since = SECOND / 200; since <= SECOND / 50; since += SECOND / 200)
    CHECK_EQUAL(look_rate_stands_for(&rate.usual_ns, since), since);
  uint64_t stands = look_rate_stands_for(&rate.usual_ns, SECOND);
  CHECK(stands > SECOND / 200 && stands < SECOND / 50);
  for (int i = 0; i < 100; i++)
    stands = look_rate_stands_for(&rate.usual_ns, SECOND);
  CHECK_EQUAL(stands, SECOND);
}

int main(void) {
  stands_for_the_usual_time();
  around_the_period();
  takes_no_more_than_its_share();
  return check_result();
}
