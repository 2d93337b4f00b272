#include "runtime/ticks/host_clock.h"

#include "runtime/arch/processor.h"
#include "runtime/contexts/hosts.h"
#include "runtime/contexts/rows.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/clocks.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/tick_table.h"

#define UNIT_BYTES 64

struct counter {
  const volatile uint64_t *word; /* atomic; null: none */
  uint64_t counted;              /* atomic: what it had when it was read last */
  uint32_t unloads;              /* atomic: of process_unloads, when it was there */
};

static struct counter shared;       /* by threads without one of their own */
static __thread struct counter own; /* the thread's */
static bool has_unit;

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

static void set(struct counter *counter, const volatile uint64_t *word, const char *unit) {
  if (!host_clock_is_wanted()) return;
  struct thread_state *thread = threads_current();
  if (thread) host_clock_read(thread);
  if (word) __atomic_store_n(&counter->counted, *word, __ATOMIC_RELAXED);
  __atomic_store_n(&counter->unloads, process_unloads(), __ATOMIC_RELAXED);
  if (word && !__atomic_exchange_n(&has_unit, true, __ATOMIC_RELAXED))
    write_unit(unit && *unit ? unit : "units of the host's clock");
  __atomic_store_n(&counter->word, word, __ATOMIC_RELEASE);
}

void host_clock_set(const volatile uint64_t *word, const char *unit) {
  set(&shared, word, unit);
}

void host_clock_set_own(const volatile uint64_t *word, const char *unit) {
  set(&own, word, unit);
}

/* After a library was unloaded it is asked of the kernel whether the word is still there. */
static const volatile uint64_t *word_of(struct counter *counter) {
  const volatile uint64_t *word = __atomic_load_n(&counter->word, __ATOMIC_ACQUIRE);
  uint32_t now = process_unloads();
  if (!word || now == __atomic_load_n(&counter->unloads, __ATOMIC_RELAXED)) return word;
  uint64_t value;
  if (threads_copy(&value, (const void *)word, sizeof value) == sizeof value) {
    __atomic_store_n(&counter->unloads, now, __ATOMIC_RELAXED);
    return word;
  }
  __atomic_compare_exchange_n(&counter->word, &word, NULL, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return NULL;
}

/* How many more there are than when it was read last.  A handler or another thread may have charged
 * up to a later count meanwhile, but not up to one that the word did not have: so it is read after
 * that.  One that went back is counted from there. */
static uint64_t count_new(struct counter *counter, const volatile uint64_t *word) {
  uint64_t then = __atomic_load_n(&counter->counted, __ATOMIC_ACQUIRE), now;
  do {
    now = *word;
    if (now == then) return 0;
  } while (!__atomic_compare_exchange_n(&counter->counted, &then, now, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  if (now > then) return now - then;
  storage_note_lack(HINDRANCE_CLOCK);
  return 0;
}

void host_clock_read(struct thread_state *thread) {
  struct counter *counter = own.word ? &own : &shared;
  const volatile uint64_t *word = word_of(counter);
  uint64_t counted = word ? count_new(counter, word) : 0;
  if (!counted) return;
  if (pauses_on()) return;
  uint32_t context = hosts_context(thread);
  if (!context) context = rows_context(thread, ascribe_cell.row);
  tick_table_charge(thread, 0, context, 0, PC_RUNNING, 0, time_stamp(), counted);
  __atomic_fetch_add(&storage_header()->events_counted, counted, __ATOMIC_RELAXED);
}

static void start_counter(struct counter *counter) {
  const volatile uint64_t *word = word_of(counter);
  if (word) __atomic_store_n(&counter->counted, *word, __ATOMIC_RELAXED);
}

/* In a forked child, too: what its parent had counted until then is the parent's. */
static bool start(struct recording_header *header, const struct ticks_wanted *wanted) {
  if (!wanted->host) return false;
  header->tick_source = TICK_HOST;
  header->period_ns = 1;
  start_counter(&shared);
  start_counter(&own);
  return true;
}

const struct clock host_clock = {.start = start};
