#include "runtime/contexts/hosts.h"

#include <stddef.h>

#include "runtime/contexts/definitions.h"
#include "runtime/contexts/machine.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

#define WORLDS 60u
#define PER_PIECE (1u << 12)
#define RANGES 16u
#define KEYS (1ull << WORLD_SHIFT)
#define FORGOTTEN (1u << 31)
static_assert(POINTS_MOST <= FORGOTTEN, "keys of functions leave it free");

#define AT(member, slot_member)                                                                    \
  (offsetof(struct ascribe_host_slot, member) == offsetof(struct ascribe_slot, slot_member))
static_assert(AT(from, from) && AT(to, to) && AT(callee, callee) && AT(site, site) &&
                  AT(count, count) &&
                  sizeof(struct ascribe_host_slot) == sizeof(struct ascribe_slot) &&
                  ASCRIBE_HASH_CONTEXT == 8 && ASCRIBE_HASH_SITE == 0x1E3779B1u,
              "hosts count in the table of transitions");

struct world {
  struct definitions definitions;
  const struct recorded_definition *record; /* atomic; null: there is no such world */
  bool has_keys; /* atomic: some keys of POINTS_MOST or more are the host's own */
};

/* Code of the host's own: [start, end), or none while `end` is 0. */
#define CODE_CLAIMED 1ull /* `end` of one that is being written: nothing is below it */
struct code {
  uint64_t start, end;
};

static struct {
  struct world worlds[WORLDS];                  /* number 1 first */
  uint32_t files, points;                       /* atomic: keys so far, of all worlds */
  uint32_t *functions[POINTS_MOST / PER_PIECE]; /* key of the function that a point is in; and
                                                 * FORGOTTEN */
  struct code code[RANGES];
  bool code_outside;             /* and what is in no object */
  const volatile uint64_t *word; /* of the runtime's own */
} hosts;

void hosts_start_child(void) {
  for (uint32_t i = 0; i < WORLDS; i++)
    hosts.worlds[i].definitions.block = NULL;
}

/* ---- definitions ---- */

/* The world of this number; null: there is none. */
static struct world *world_of(uint64_t number) {
  if (number - 1 >= WORLDS) return NULL;
  struct world *world = &hosts.worlds[number - 1];
  return __atomic_load_n(&world->record, __ATOMIC_ACQUIRE) ? world : NULL;
}

static bool is_same_text(const char *kept, const char *text) {
  uint32_t bytes = definition_text_bytes(text);
  for (uint32_t i = 0; i < bytes; i++)
    if (kept[i] != text[i]) return false;
  return !kept[bytes];
}

uint32_t hosts_world(const char *name) {
  for (uint32_t number = 1; number <= WORLDS; number++) {
    struct world *world = &hosts.worlds[number - 1];
    const struct recorded_definition *known = __atomic_load_n(&world->record, __ATOMIC_ACQUIRE);
    if (!known) {
      world->definitions.world = number;
      struct recorded_definition *own = definition_write(&world->definitions, &name, 1);
      if (!own) break;
      if (__atomic_compare_exchange_n(&world->record, &known, own, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&own->kind, DEFINED_WORLD, __ATOMIC_RELEASE);
        return number;
      }
    }
    if (is_same_text(known->text, name)) return number;
  }
  storage_count_drop(DROP_OBJECTS);
  return 0;
}

uint32_t hosts_file(uint32_t number, const char *path) {
  struct world *world = world_of(number);
  struct recorded_definition *record =
      world ? definition_write(&world->definitions, &path, 1) : NULL;
  if (!record) {
    storage_count_drop(DROP_FUNCTIONS);
    return 0;
  }
  record->key = __atomic_add_fetch(&hosts.files, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&record->kind, DEFINED_FILE, __ATOMIC_RELEASE);
  return (uint32_t)record->key;
}

/* Where the function of a point stands; null: there is no room. */
static uint32_t *function_place(uint64_t key) {
  uint32_t **piece = &hosts.functions[key / PER_PIECE], *none = NULL;
  uint32_t *known = __atomic_load_n(piece, __ATOMIC_ACQUIRE);
  if (!known) {
    known = system_memory(PER_PIECE * sizeof *known);
    if (!known) return NULL;
    if (!__atomic_compare_exchange_n(piece, &none, known, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      known = none; /* what we have is lost: seldom */
  }
  return &known[key % PER_PIECE];
}

/* What stands there of a key; 0: it was not given out. */
static uint32_t function_at(uint64_t key) {
  const uint32_t *piece = key < POINTS_MOST
                              ? __atomic_load_n(&hosts.functions[key / PER_PIECE], __ATOMIC_ACQUIRE)
                              : NULL;
  return piece ? __atomic_load_n(&piece[key % PER_PIECE], __ATOMIC_RELAXED) : 0;
}

/* Of worlds whose keys are not ours, each point is a function. */
static uint64_t function_of(uint64_t point) {
  uint64_t key = point % KEYS, function = function_at(key) & ~FORGOTTEN;
  return function ? point - key + function : point;
}

/* Also of those that were forgotten. */
static bool was_defined(uint64_t point) {
  uint64_t key = point % KEYS;
  if (point >> WORLD_SHIFT <= IN_WORLD >> WORLD_SHIFT || !key) return false;
  const struct world *world = world_of((point ^ IN_WORLD) >> WORLD_SHIFT);
  if (!world) return false;
  return key < POINTS_MOST ? function_at(key) : __atomic_load_n(&world->has_keys, __ATOMIC_ACQUIRE);
}

static bool is_forgotten(uint64_t point) {
  uint32_t function = function_at(point % KEYS);
  return (function | function_at(function & ~FORGOTTEN)) & FORGOTTEN;
}

bool hosts_take_point(uint64_t point) {
  if (was_defined(point) && !is_forgotten(point)) return true;
  storage_count_drop(DROP_POINTS);
  return false;
}

/* `what` has all but the text; a key of 0: the next one of ours. */
static ascribe_point define(uint32_t number, const char *name,
                            const struct recorded_definition *what) {
  struct world *world = world_of(number);
  uint64_t key = what->key;
  if (!key && world && __atomic_load_n(&hosts.points, __ATOMIC_RELAXED) < POINTS_MOST - 1)
    key = __atomic_add_fetch(&hosts.points, 1, __ATOMIC_RELAXED);
  bool is_ours = key < POINTS_MOST;
  uint32_t *function = key && is_ours ? function_place(key) : NULL;
  struct recorded_definition *record =
      world && (function || !is_ours) ? definition_write(&world->definitions, &name, 1) : NULL;
  if (!record) {
    storage_count_drop(DROP_FUNCTIONS);
    return 0;
  }
  record->key = key;
  record->within = what->within;
  record->file = what->file;
  record->line = what->line;
  record->column = what->column;
  record->end_line = what->end_line;
  record->end_column = what->end_column;
  record->place = what->place;
  __atomic_store_n(&record->kind, what->kind, __ATOMIC_RELEASE);
  uint64_t parent = WORLD_ADDRESS(number, what->within);
  if (function)
    __atomic_store_n(function, (uint32_t)(what->within ? function_of(parent) % KEYS : key),
                     __ATOMIC_RELEASE);
  return WORLD_ADDRESS(number, key);
}

/* An end before the beginning is none. */
static struct recorded_definition definition_at(enum definition_kind kind,
                                                struct ascribe_range range) {
  struct recorded_definition definition = {
      .kind = kind, .line = range.line, .column = range.column};
  bool is_behind = range.end_line > range.line ||
                   (range.end_line == range.line && range.end_column > range.column);
  if (range.line && is_behind) {
    definition.end_line = range.end_line;
    definition.end_column = range.end_column;
  }
  return definition;
}

ascribe_point hosts_function(uint32_t world, const char *name, uint32_t file,
                             struct ascribe_range range) {
  struct recorded_definition definition = definition_at(DEFINED_FUNCTION, range);
  definition.file = file;
  return define(world, name, &definition);
}

ascribe_point hosts_function_at(uint32_t world, uint64_t key, const char *name, uint32_t file,
                                uint32_t line) {
  if (world_of(world)) __atomic_store_n(&world_of(world)->has_keys, true, __ATOMIC_RELEASE);
  return define(world, name,
                &(struct recorded_definition){
                    .kind = DEFINED_FUNCTION, .key = key, .file = file, .line = line});
}

ascribe_point hosts_place(ascribe_point within, uint32_t kind, struct ascribe_range range) {
  bool is_kind = kind >= ASCRIBE_CALL && kind <= ASCRIBE_LOOP_TRIP;
  if (!hosts_take_point(within)) return 0;
  if (!is_kind || within % KEYS >= POINTS_MOST) {
    storage_count_drop(DROP_FUNCTIONS);
    return 0;
  }
  struct recorded_definition definition = definition_at(DEFINED_PLACE, range);
  definition.within = within % KEYS;
  definition.place = kind;
  return define((uint32_t)((within ^ IN_WORLD) >> WORLD_SHIFT), "", &definition);
}

void hosts_core(uint32_t number, const char *text) {
  struct world *world = world_of(number);
  struct recorded_definition *record =
      world ? definition_write(&world->definitions, &text, 1) : NULL;
  if (!record) {
    storage_count_drop(DROP_FUNCTIONS);
    return;
  }
  record->key = 1;
  __atomic_store_n(&record->kind, DEFINED_CORE, __ATOMIC_RELEASE);
}

/* Slots that lead to it are found no more. */
static void retire(uint64_t start, uint64_t end) {
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next)
    machine_retire(thread, start, end);
}

static bool forget(uint64_t point) {
  uint64_t key = point % KEYS;
  if (!was_defined(point) || key >= POINTS_MOST) {
    storage_count_drop(DROP_POINTS);
    return false;
  }
  __atomic_fetch_or(function_place(key), FORGOTTEN, __ATOMIC_RELEASE);
  return true;
}

void hosts_forget(const ascribe_point *points, uint32_t count) {
  uint64_t start = 0, end = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!forget(points[i])) continue;
    if (points[i] != end) {
      if (start) retire(start, end);
      start = points[i];
    }
    end = points[i] + 1;
  }
  if (start) retire(start, end);
}

/* ---- contexts ---- */

/* What the program has put there may be anything. */
uint32_t hosts_entered(void) {
  uint32_t context = ascribe_host_context.context;
  if (!context || storage_may_be_context(context)) return context;
  storage_count_drop(DROP_POINTS);
  return 0;
}

static void change_context(uint32_t context) {
  ascribe_host_context = (struct host_context){.context = context};
}

uint32_t hosts_enter(struct thread_state *thread, ascribe_point callee, ascribe_point site) {
  uint32_t from = hosts_entered();
  if (!hosts_take_point(callee)) return from;
  callee = function_of(callee);
  if (site && !hosts_take_point(site)) site = 0;
  uint32_t to = machine_known(thread, from, callee, site);
  change_context(to ? to : machine_enter(thread, from, callee, site));
  return from;
}

uint32_t hosts_go_on(struct thread_state *thread, ascribe_point callee) {
  uint32_t from = hosts_entered();
  if (hosts_take_point(callee)) change_context(machine_go_on(thread, from, function_of(callee)));
  return from;
}

/* ---- ticks ---- */

void hosts_own_code(const void *start, const void *end) {
  if (!start && !end) hosts.code_outside = true;
  if (start >= end) return;
  for (uint32_t i = 0; i < RANGES; i++) {
    uint64_t none = 0;
    if (!__atomic_compare_exchange_n(&hosts.code[i].end, &none, CODE_CLAIMED, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    hosts.code[i].start = (uint64_t)start;
    __atomic_store_n(&hosts.code[i].end, (uint64_t)end, __ATOMIC_RELEASE);
    return;
  }
  storage_count_drop(DROP_OBJECTS);
}

void hosts_own_word(const volatile uint64_t *word) {
  hosts.word = word;
  ascribe_host_word = word;
}

/* A point shifted left, as a tagged integer has it: no point has this bit. */
#define TAG_BITS 3
#define TAGGED_IN_WORLD (IN_WORLD << TAG_BITS)

/* A pair of contexts, which is tagged as well; no tagged point has this bit: from + 2 end +
 * 2^30 end, each below 2^28.  The first one is current (instrument/chez). */
#define PAIR (1ull << 63)

static uint32_t context_of_pair(uint64_t word) {
  uint64_t pair = word >> TAG_BITS, end = pair >> 30 & ((1u << 28) - 1);
  return (uint32_t)((pair & ((1u << 30) - 1)) - 2 * end);
}

/* By the kernel: a host's word may be gone. 0: there is none. */
static uint64_t running_word(void) {
  uint64_t value;
  const void *word = (const void *)ascribe_host_word;
  if (word && word == (const void *)hosts.word) return *hosts.word;
  return word && threads_copy(&value, word, sizeof value) == sizeof value ? value : 0;
}

static uint64_t running_point(uint64_t word) {
  if (word & PAIR) return 0;
  uint64_t point = word & TAGGED_IN_WORLD ? word >> TAG_BITS : word;
  return point && hosts_take_point(point) ? point : 0;
}

static uint32_t running_context(uint64_t word) {
  uint32_t context = context_of_pair(word);
  if (context && storage_may_be_context(context)) return context;
  if (context) storage_count_drop(DROP_POINTS);
  return 0;
}

uint32_t hosts_running(struct thread_state *thread) {
  uint64_t word = running_word();
  if (word & PAIR) return running_context(word);
  uint64_t point = running_point(word);
  return point ? machine_go_on(thread, 0, function_of(point)) : 0;
}

uint32_t hosts_context(struct thread_state *thread) {
  uint32_t context = ascribe_host_context.charged;
  if (!context || !storage_may_be_context(context)) context = hosts_entered();
  return context ? context : hosts_running(thread);
}

static bool is_named_code(uint64_t pc) {
  for (uint32_t i = 0; i < RANGES; i++)
    if (pc < __atomic_load_n(&hosts.code[i].end, __ATOMIC_ACQUIRE) && pc >= hosts.code[i].start)
      return true;
  return false;
}

bool hosts_is_own_code(uint64_t pc, uint32_t seen) {
  return (!seen && hosts.code_outside) || is_named_code(pc);
}

bool hosts_run(uint64_t *pc, uint32_t seen) {
  if (!hosts_is_own_code(*pc, seen)) return false;
  uint64_t point = running_point(running_word());
  *pc = point ? point : PC_RUNNING;
  return true;
}

void hosts_unload(uint64_t start, uint64_t end) {
  for (uint32_t i = 0; i < RANGES; i++)
    if (hosts.code[i].start >= start && hosts.code[i].start < end)
      __atomic_store_n(&hosts.code[i].end, 0, __ATOMIC_RELEASE);
}
