#include "runtime/ticks/host_clock.h"

#include "runtime/arch/processor.h"
#include "runtime/contexts/hosts.h"
#include "runtime/contexts/rows.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/tick_table.h"

#define UNIT_BYTES 64

static const volatile uint64_t *counter; /* atomic; null: none */
static uint64_t counted;                 /* atomic: what it had when it was read last */

bool host_clock_is_wanted(void) {
  return storage_header()->tick_source == TICK_HOST;
}

static void write_unit(const char *unit) {
  static const char key[] = "event=";
  struct block_header *block = storage_claim(BLOCK_TEXT, sizeof key + UNIT_BYTES, 0);
  if (!block) return;
  char *to = block_payload(block), *end = to + sizeof key + UNIT_BYTES - 2;
  for (const char *from = key; *from;)
    *to++ = *from++;
  for (; *unit && to < end; unit++)
    *to++ = *unit == ',' ? ';' : *unit; /* commas stand between events */
  block->used = (uint64_t)(to + 1 - (char *)block);
}

void host_clock_set(const volatile uint64_t *word, const char *unit) {
  if (!host_clock_is_wanted()) return;
  if (word) __atomic_store_n(&counted, *word, __ATOMIC_RELAXED);
  if (word && !counter) write_unit(unit && *unit ? unit : "units of the host's clock");
  __atomic_store_n(&counter, word, __ATOMIC_RELEASE);
}

void host_clock_read(struct thread_state *thread) {
  const volatile uint64_t *word = __atomic_load_n(&counter, __ATOMIC_ACQUIRE);
  if (!word) return;
  uint64_t now = *word, then = __atomic_exchange_n(&counted, now, __ATOMIC_RELAXED);
  if (now <= then || pauses_on()) return;
  uint32_t context = hosts_context(thread);
  if (!context) context = rows_context(thread, ascribe_cell.row);
  tick_table_charge(thread, 0, context, 0, PC_RUNNING, 0, time_stamp(), now - then);
  __atomic_fetch_add(&storage_header()->events_counted, now - then, __ATOMIC_RELAXED);
}

void host_clock_forget(uint64_t start, uint64_t end) {
  uint64_t word = (uint64_t)counter;
  if (word >= start && word < end) __atomic_store_n(&counter, NULL, __ATOMIC_RELEASE);
}

static bool start(struct recording_header *header, const struct ticks_wanted *wanted) {
  if (!wanted->host) return false;
  header->tick_source = TICK_HOST;
  header->period_ns = 1;
  return true;
}

static void count(struct thread_state *thread) {
  if (thread == threads_current()) host_clock_read(thread);
}

const struct clock host_clock = {.start = start, .count = count};
