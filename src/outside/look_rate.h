/* How often threads are looked at while they wait: at random between a half and one and a half of a
 * period after the last time, and less often where the looks would take too much of the machine. */
#ifndef ASCRIBE_OUTSIDE_LOOK_RATE_H
#define ASCRIBE_OUTSIDE_LOOK_RATE_H

#include <stdint.h>

struct look_rate {
  uint64_t asked_ns, period_ns;
  uint64_t random;
  uint64_t usual_ns;           /* between two looks at a thread, of late */
  uint64_t usual_first_ns;     /* from the begin of a thread to the first look at it */
  uint64_t judged_ns, used_ns; /* when the CPU time of looks was judged, and what it was */
};

/* `used_ns`, here and below: CPU time that looks have taken so far. */
void look_rate_start(struct look_rate *rate, uint32_t rate_hz, uint64_t now_ns, uint64_t used_ns);

/* When a thread that was looked at now is due again. */
uint64_t look_rate_due(struct look_rate *rate, uint64_t now_ns);

/* How much of the time since the last look, or since the thread began, a look stands for: all,
 * unless that is much more than is usual, because we were stopped or got no processor. Of what the
 * thread did then it knows little. `usual_ns`: one of the two above. */
uint64_t look_rate_stands_for(uint64_t *usual_ns, uint64_t since_ns);

/* Once a second it does something. */
void look_rate_judge(struct look_rate *rate, uint64_t now_ns, uint64_t used_ns);

#endif
