/* Source: P. Bex, "Statistical profiling with CHICKEN's trace buffer". */
#include "runtime/guise/chicken_points.h"

#include "runtime/contexts/hosts.h"
#include "runtime/contexts/machine.h"
#include "runtime/life/thread_life.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define FILE_BYTES 256

enum collection { MINOR, MAJOR, RESIZING, COLLECTIONS }; /* CHICKEN's numbers */

typedef void begin_collection(int mode);
typedef void end_collection(int mode, long milliseconds);
extern begin_collection *C_pre_gc_hook __attribute__((weak, visibility("default")));
extern end_collection *C_post_gc_hook __attribute__((weak, visibility("default")));
extern char C_restart[] __attribute__((weak, visibility("default"))); /* a jmp_buf */

struct chicken_running chicken_running;

static struct {
  uint32_t world;
  uint32_t file; /* of the last trace point, and its name */
  char file_name[FILE_BYTES];
  ascribe_point collections[COLLECTIONS];
  struct host_context before; /* outside of collections, which may be nested */
  bool collects, counts_procedures;
  volatile ascribe_point running; /* where it does */
  begin_collection *begin;        /* what the program has put there */
  end_collection *end;
} chicken;

bool chicken_is_here(void) {
  return &C_pre_gc_hook;
}

bool chicken_restarts(const void *buffer) {
  return buffer == C_restart;
}

/* ---- collections ---- */

static void begin(int mode) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  int kind = mode >= 0 && mode < COLLECTIONS ? mode : RESIZING;
  if (thread) {
    if (!chicken.collects) chicken.before = ascribe_host_context;
    chicken.collects = true;
    if (ascribe_host_context.charged) ascribe_host_context.context = ascribe_host_context.charged;
    hosts_enter(thread, chicken.collections[kind], 0);
  }
  if (chicken.begin) chicken.begin(mode);
}

static void end(int mode, long milliseconds) {
  if (chicken.collects) ascribe_host_context = chicken.before;
  chicken.collects = false;
  if (chicken.end) chicken.end(mode, milliseconds);
}

/* CHICKEN clears them when it begins. */
static void take_hooks(void) {
  if (!&C_pre_gc_hook || !&C_post_gc_hook || C_pre_gc_hook == begin) return;
  chicken.begin = C_pre_gc_hook;
  chicken.end = C_post_gc_hook == end ? NULL : C_post_gc_hook;
  C_pre_gc_hook = begin;
  C_post_gc_hook = end;
}

/* ---- trace points ---- */

static void start(void) {
  static const char *const names[] = {"(minor collection)", "(major collection)",
                                      "(collection that resizes the heap)"};
  chicken.world = hosts_world("CHICKEN");
  for (int i = 0; i < COLLECTIONS; i++)
    chicken.collections[i] = hosts_function(chicken.world, names[i], 0, (struct ascribe_range){0});
  __atomic_fetch_or(&storage_header()->hooks, HOOKS_HOST, __ATOMIC_RELAXED);
}

/* "file.scm:12: callee": how long the file's name is, and the line; 0: it says neither. */
static uint32_t parse_place(const char *text, uint32_t *line) {
  for (uint32_t i = 0; text[i] && i < FILE_BYTES - 1; i++) {
    uint32_t at = i + 1;
    *line = 0;
    if (text[i] != ':') continue;
    for (; text[at] >= '0' && text[at] <= '9'; at++)
      *line = *line * 10 + (uint32_t)(text[at] - '0');
    if (at > i + 1 && text[at] == ':') return i;
  }
  return 0;
}

static uint32_t file_named(const char *name, uint32_t length) {
  bool same = chicken.file && !chicken.file_name[length];
  for (uint32_t i = 0; i < length; i++) {
    same = same && chicken.file_name[i] == name[i];
    chicken.file_name[i] = name[i];
  }
  chicken.file_name[length] = 0;
  if (!same) chicken.file = hosts_file(chicken.world, chicken.file_name);
  return chicken.file;
}

static void define(uint64_t key, const char *name) {
  uint32_t line, length = parse_place(name, &line);
  uint32_t file = length ? file_named(name, length) : 0;
  hosts_function_at(chicken.world, key, name, file, file ? line : 0);
}

/* The code that runs the program: of the object that calls us.  Where CHICKEN's own code is in that
 * object, too, the program's is linked before the runtime's, and CHICKEN's behind it. */
static void note_code(uint64_t caller, uint64_t end) {
  uint64_t signals;
  system_block_signals(&signals);
  objects_see(caller);
  const struct recorded_object *object = objects_at(caller);
  if (object && !hosts_is_own_code(caller, 1))
    hosts_own_code((const void *)object->start,
                   (const void *)(caller < end && end < object->end ? end : object->end));
  system_unblock_signals(&signals);
}

volatile ascribe_point *chicken_begin(const void *caller, const void *code_end) {
  if (!thread_life_of(&ascribe_cell)) return NULL;
  if (!chicken.world) start();
  take_hooks();
  note_code((uint64_t)caller, (uint64_t)code_end);
  chicken.counts_procedures = true;
  chicken_running.world = 0;
  hosts_own_word(&chicken.running);
  return &chicken.running;
}

void chicken_meet(char *name, trace_function *next, const void *code_end) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (chicken.counts_procedures) return next(name);
  if (thread && (uint64_t)name >= POINTS_MOST && !chicken.world) start();
  if (!thread || !chicken.world || (uint64_t)name < POINTS_MOST) return next(name);
  take_hooks();
  uint64_t point = WORLD_ADDRESS(chicken.world, (uint64_t)name);
  uint32_t context = machine_known(thread, 0, point, 0);
  if (!context) {
    define((uint64_t)name, name);
    note_code((uint64_t)__builtin_return_address(0), (uint64_t)code_end);
    context = machine_enter(thread, 0, point, 0);
  }
  chicken_running.world = WORLD_ADDRESS(chicken.world, 0);
  chicken_running.point = point;
  ascribe_host_context = (struct host_context){.context = context};
  hosts_own_word(&chicken_running.point);
  next(name);
}
