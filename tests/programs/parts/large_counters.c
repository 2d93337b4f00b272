/* What a library with more counters than there is room for looks like to the runtime: its only
 * function counts as the compiler plugin's code does. */
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS = 1 << 20 };

/* Inert ones, as the plugin emits them: the program's own come first where it has some. */
__attribute__((weak, tls_model("initial-exec"))) __thread uint64_t counts __asm__("ascribe.counts");
__attribute__((weak, no_instrument_function)) void
ascribe_counts_loaded(uint64_t *first, uint64_t *end, uint64_t *from, uint64_t *to,
                      const void *code);
__attribute__((weak, no_instrument_function)) void
ascribe_counts_loaded(uint64_t *first, uint64_t *end, uint64_t *from, uint64_t *to,
                      const void *code) {}

static uint64_t counters[COUNTERS];
static uint64_t unit[1];

__attribute__((no_instrument_function)) void large_work(void);
void large_work(void) {
  uint64_t *here = (uint64_t *)(unit[0] + counts);
  here[COUNTERS - 1]++;
}

__attribute__((constructor(101), no_instrument_function)) static void loaded(void) {
  unit[0] = (uint64_t)counters;
  ascribe_counts_loaded(unit, unit + 1, counters, counters + COUNTERS, (const void *)large_work);
}
