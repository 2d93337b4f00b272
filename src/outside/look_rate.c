#include "outside/look_rate.h"

#include <stdbool.h>

#define SECOND 1000000000ull
#define OWN_SHARE_MOST 30 /* our CPU time, at most this part of what passes */
#define PERIOD_MOST SECOND
#define LONG 2    /* times the usual: a look after such a time does not stand for all of it */
#define LATELY 16 /* looks that the usual is an average of */

void look_rate_start(struct look_rate *rate, uint32_t rate_hz, uint64_t now_ns, uint64_t used_ns) {
  uint64_t period_ns = SECOND / rate_hz;
  *rate = (struct look_rate){.asked_ns = period_ns,
                             .period_ns = period_ns,
                             .usual_ns = period_ns,
                             .usual_first_ns = period_ns,
                             .random = now_ns | 1,
                             .judged_ns = now_ns,
                             .used_ns = used_ns};
}

/* xorshift64 */
static uint64_t random_number(struct look_rate *rate) {
  rate->random ^= rate->random << 13;
  rate->random ^= rate->random >> 7;
  rate->random ^= rate->random << 17;
  return rate->random;
}

uint64_t look_rate_due(struct look_rate *rate, uint64_t now_ns) {
  return now_ns + rate->period_ns / 2 + random_number(rate) % rate->period_ns;
}

uint64_t look_rate_stands_for(uint64_t *usual_ns, uint64_t since_ns) {
  uint64_t before_ns = *usual_ns, most_ns = LONG * before_ns;
  bool late = since_ns > most_ns;
  *usual_ns = (before_ns * (LATELY - 1) + (late ? most_ns : since_ns)) / LATELY;
  return late ? before_ns : since_ns;
}

/* Many threads are looked at less often than was asked: their ticks weigh more. */
void look_rate_judge(struct look_rate *rate, uint64_t now_ns, uint64_t used_ns) {
  if (now_ns - rate->judged_ns < SECOND) return;
  uint64_t share_ns = (now_ns - rate->judged_ns) / OWN_SHARE_MOST, used = used_ns - rate->used_ns;
  if (used > share_ns && rate->period_ns < PERIOD_MOST)
    rate->period_ns = rate->period_ns * 3 / 2;
  else if (used < share_ns / 2 && rate->period_ns > rate->asked_ns)
    rate->period_ns = rate->period_ns * 2 / 3;
  rate->judged_ns = now_ns;
  rate->used_ns = used_ns;
}
