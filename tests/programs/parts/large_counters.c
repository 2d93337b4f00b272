/* What a library with more counters than there is room for looks like to the runtime: its only
 * function counts as the compiler plugin's code does. */
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS = 1 << 20 };

struct unit {
  uint64_t counters, mask;
};
struct counting {
  uint64_t word, gate, enter_slow, unloaded;
};

__attribute__((weak, no_instrument_function)) void
ascribe_counts_loaded(struct unit *first, struct unit *end, uint64_t *from, uint64_t *to,
                      const void *code, struct counting *counting);

static uint64_t counters[COUNTERS];
static struct unit unit;
static struct counting counting;

__attribute__((no_instrument_function)) void large_work(void);
void large_work(void) {
  uint64_t word = *(uint64_t *)((uint64_t)__builtin_thread_pointer() + counting.word);
  uint64_t *here = (uint64_t *)(unit.counters + (word & unit.mask));
  here[COUNTERS - 1]++;
}

__attribute__((constructor(101), no_instrument_function)) static void loaded(void) {
  unit.counters = (uint64_t)counters;
  if (!ascribe_counts_loaded) return;
  ascribe_counts_loaded(&unit, &unit + 1, counters, counters + COUNTERS, (const void *)large_work,
                        &counting);
}
