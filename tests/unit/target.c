/* Threads with events of their own that have inherited others as well: on each CPU one is enough.
 */
#include "outside/target.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { MAKER = 10, MADE = 20 };

/* In place of events: descriptors that are open or closed. */
static void add(struct target *target, uint32_t tid, int cpu, uint64_t id) {
  target->events = realloc(target->events, (target->count + 1) * sizeof *target->events);
  target->events[target->count] = (struct target_event){
      .descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), .cpu = cpu, .tid = tid, .id = id};
  hash_index_add(&target->by_id, hash_mix(id), (uint32_t)target->count);
  target->count++;
}

static bool is_open(const struct target *target, size_t event) {
  return target->events[event].descriptor >= 0;
}

int main(void) {
  struct target target = {0};
  add(&target, MAKER, 0, 100);
  add(&target, MAKER, 1, 101);
  add(&target, MADE, 0, 200);
  add(&target, MADE, 1, 201);
  target_note(&target, MADE, 2, 200); /* its own */
  target_note(&target, MADE, 2, 999); /* nobody's */
  CHECK(is_open(&target, 2) && is_open(&target, 3));
  target_note(&target, MADE, 2, 101); /* made when its maker had one on the second CPU only */
  CHECK(is_open(&target, 2) && !is_open(&target, 3));
  target_note(&target, MADE, 2, 101);
  target_note(&target, MADE, 2, 200);
  CHECK(is_open(&target, 0) && is_open(&target, 1) && is_open(&target, 2));
  target_close(&target);
  CHECK_EQUAL(target.count, 0);
  return check_result();
}
