/* Periods: random around their mean; those of events follow how often the event comes. */
#include "runtime/ticks/period.h"

#include <time.h>

#include "check.h"
#include "runtime/registry/system.h"

static struct thread_state thread = {.random = 88172645463325252u};

static void around_the_mean(void) {
  enum { MEAN = 1000000, DRAWS = 100000 };
  uint64_t sum = 0;
  period_start(0, MEAN, 1000, false);
  for (int i = 0; i < DRAWS; i++) {
    uint64_t period = period_next(&thread, 0);
    CHECK(period >= MEAN / 4 && period < MEAN / 4 * 7);
    sum += period;
  }
  CHECK(sum / DRAWS > MEAN * 0.99 && sum / DRAWS < MEAN * 1.01);
  period_follow(&thread, 0);
  CHECK_EQUAL(thread.events[0].period_mean, 0);
}

/* A moment in a stretch that began before is met by its first tick after half the mean, and more
 * for periods that vary: E(p^2) / 2 E(p). */
static void first_of_a_thread(void) {
  enum { MEAN = 1000000, DRAWS = 100000 };
  uint64_t sum = 0, early = 0;
  period_start(0, MEAN, 1000, false);
  for (int i = 0; i < DRAWS; i++) {
    uint64_t period = period_first(&thread, 0);
    CHECK(period >= 1 && period <= MEAN / 4 * 7);
    sum += period;
    early += period <= MEAN / 100;
  }
  /* Uniform from 1/4 to 7/4: variance 3/16, so (1 + 3/16) / 2. */
  CHECK(sum / DRAWS > MEAN * 0.584 && sum / DRAWS < MEAN * 0.604);
  /* As many ticks in the first hundredth of a period as in any other: one in a hundred. */
  CHECK(early > DRAWS / 100 * 0.85 && early < DRAWS / 100 * 1.15);
  period_start(0, 1, 1000, true);
  CHECK_EQUAL(period_first(&thread, 0), 1);
}

/* 16 ticks have taken so long. */
static uint64_t mean_after(uint64_t before, uint64_t took_ns) {
  thread.events[0].ticks = 16;
  thread.events[0].period_mean = before;
  thread.events[0].followed_ns = system_clock(CLOCK_MONOTONIC) - took_ns;
  period_follow(&thread, 0);
  return thread.events[0].period_mean;
}

/* Unless the machine makes us wait in between. */
static bool follows(uint64_t before, uint64_t took_ns, uint64_t mean) {
  for (int i = 0; i < 20; i++)
    if (mean_after(before, took_ns) == mean) return true;
  return false;
}

static void following(void) {
  period_start(0, 1, 1000, true);
  thread.events[0].period_mean = 0;
  CHECK_EQUAL(period_next(&thread, 0), 1); /* every event, at first */
  CHECK(follows(0, 0, 8));                 /* much too often: eight times as many, at most */
  CHECK(follows(1000, 8000000, 2000));
  CHECK(follows(1000, 16000000, 1000));
  CHECK(follows(1000, 32000000, 500));
  CHECK(follows(1000, 10000000000u, 125));
  CHECK(follows(1, 10000000000u, 1));
  thread.events[0].ticks = 17;
  thread.events[0].period_mean = 1000;
  period_follow(&thread, 0);
  CHECK_EQUAL(thread.events[0].period_mean, 1000);
}

int main(void) {
  around_the_mean();
  first_of_a_thread();
  following();
  return check_result();
}
