/* The recording's layout, in memory and in the file: they are the same bytes.
 *
 * A recording is a directory; each process image that recorded has one file in it, named
 * PID.N.recording.  The file is the shared mapping in which the runtime keeps its tables, so it
 * is complete at every moment, however the process ends.  docs/FORMATS.md describes it for
 * readers; this header is its source.  Little-endian, fixed width, naturally aligned.
 */
#ifndef ASCRIBE_RECORDING_LAYOUT_H
#define ASCRIBE_RECORDING_LAYOUT_H

#include <assert.h>
#include <stdint.h>

#include "ascribe/hook.h"

#define RECORDING_MAGIC 0x0165626972637361ull /* "ascribe\1" */
#define RECORDING_VERSION 17u
#define RECORDING_UNIT 4096u              /* blocks start at multiples of this, header first */
#define RECORDING_BLOCK_MAGIC 0x4b4c4241u /* "ABLK" */
#define CONTEXT_UNIT 16u                  /* bytes per step of a context id */
#define RECORDING_SUFFIX ".recording"

/* Where the ticks come from (header.tick_source). */
enum tick_source {
  TICK_NONE = 0,
  TICK_PERF = 1,
  TICK_TIMER = 2,
  TICK_TSC = 3,
  TICK_EVENT = 5,       /* a perf event that is not time: `weight` of ticks is in events */
  TICK_HOST = 6,        /* a counter of the language host's: `weight` is in its units */
  TICK_PERF_OUTSIDE = 4 /* read by another process: nothing of ours is in this one */
};

#define EVENTS_MOST 4 /* that ticks may come from at once (TICK_EVENT) */

/* header.tick_flags */
enum tick_flag {
  TICK_USER_ONLY = 1, /* time in the kernel is not sampled */
  TICK_STACKS = 2     /* each tick sampled the stack */
};

/* What kept the runtime from recording all there was (header.hindrances, bits; atomic). */
enum hindrance {
  /* The program has forbidden itself system calls (seccomp) that the runtime would make: threads,
   * processes and libraries that came later may be missing. */
  HINDRANCE_CONFINED = 1,
  HINDRANCE_STOPPED = 2, /* and there were no ticks from then on */
  /* The program has set a handler for the signal of the ticks by a system call of its own. */
  HINDRANCE_TAKEN = 4,
  /* Parts of the recording are missing, and so are the ticks and counts that belong there: */
  HINDRANCE_DISK_FULL = 8, /* the file system had no room for more of it */
  HINDRANCE_LIMITED = 16,  /* limits of the process allowed no more of it */
  /* The program makes its threads by a pthread_create of its own: some were not seen to begin. */
  HINDRANCE_THREADS = 32,
  HINDRANCE_NO_MAPS = 64, /* /proc/self/maps cannot be read: whose code it is stays unknown */
  /* Handlers ran on an alternate stack of the program's, where no tick comes: */
  HINDRANCE_HELD = 128, /* it is known in which functions they were due, but not who called these */
  HINDRANCE_UNTICKED = 256, /* it is not known (CPU timers) */
  /* A thread entered cost centres from more places than it can look at in each slice. */
  HINDRANCE_ENTRIES = 512,
  /* The heap was to be recorded, but calls of malloc do not come to the runtime. */
  HINDRANCE_ALLOCATOR = 1024,
  /* A language host has another version of ascribe/host.h: its program was not recorded. */
  HINDRANCE_HOST_OLDER = 2048,
  HINDRANCE_HOST_NEWER = 4096,
  HINDRANCE_CLOCK = 8192, /* a language host's clock went back */
  /* RLIMIT_AS leaves the process less than SPACE_LEAST_MIB: nothing of it was recorded. */
  HINDRANCE_NARROW = 16384,
  /* Never in a recording: callers could not be found, the program has too many possible calls. */
  HINDRANCE_FLOW = 32768
};
#define SPACE_LEAST_MIB 64

/* The kinds of hooks in the process (header.hooks, bits). */
enum hooks {
  HOOKS_CONTEXTS_PLUGIN = 1,
  HOOKS_CONTEXTS_HEADER = 2,
  HOOKS_CONTEXTS_CALLED = 4,
  HOOKS_CLOCK = 8,   /* the code reads the cycle counter at every change of context */
  HOOKS_COUNTS = 16, /* the code counts, by entries and call sites, and knows no contexts */
  HOOKS_PG = 32, /* the code calls mcount or __fentry__ (-pg): calls are counted without contexts */
  HOOKS_SOURCE = 64, /* in profiles only: counters as HOOKS_COUNTS, put in before optimization */
  HOOKS_HOST = 128,  /* a language host enters the functions of its worlds */
  /* Where a lazy host charges functions (ascribe/host.h): */
  HOOKS_BY_CALLER = 256, /* to the centre of their caller */
  HOOKS_LEXICAL = 512    /* to the one that they were built in */
};

#define HOOKS_WITH_CONTEXTS (HOOKS_CONTEXTS_PLUGIN | HOOKS_CONTEXTS_HEADER | HOOKS_CONTEXTS_CALLED)

/* What was given up, counted (header.drops[]). */
enum drop {
  DROP_CONTEXTS,    /* contexts that did not fit: their calls went to the overflow context */
  DROP_TRANSITIONS, /* calls whose transition did not fit */
  DROP_TICKS,       /* ticks that did not fit */
  DROP_FUNCTIONS,
  DROP_OBJECTS,
  DROP_THREADS,
  DROP_PROCESSES, /* forked children that could not start a recording of their own */
  DROP_COUNTERS,  /* threads or objects with counters that have no area of their own */
  DROP_STACKS,   /* ticks whose host told its stack neither then nor later: they are charged all the
                  * same, to where they were */
  DROP_POINTS,   /* uses of points and contexts that no host was given, or that it had forgotten */
  DROP_CENSUSES, /* of a host's heap, that had no end; and ends of none. Readers count them, too */
  DROP_KINDS = 11
};

/* When the processes of a recording take ticks and count calls: CONTROL_NAME in its directory,
 * which all of them have mapped, and which `ascribe start` and `ascribe stop` write to. */
#define CONTROL_NAME "ascribe.control"
#define CONTROL_MAGIC 0x016c74632d637361ull /* "asc-ctl\1" */
#define CONTROL_NEVER UINT64_MAX
struct recording_control {
  uint64_t magic;
  uint64_t begin_ns; /* CLOCK_MONOTONIC; before it there is a pause; CONTROL_NEVER: until a start */
  uint64_t end_ns;   /* and after it; CONTROL_NEVER: there is none. Both are atomic */
  uint64_t reserved[5];
};
static_assert(sizeof(struct recording_control) == 64, "layout of the control file");

/* Offset 0 of the file; RECORDING_UNIT bytes are reserved for it. */
struct recording_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes; /* sizeof(struct recording_header) of the writer */
  uint64_t capacity;     /* bytes of the mapping; the file may be sparse */
  uint64_t next;         /* bytes claimed so far; atomic */
  uint64_t started_ns;   /* CLOCK_REALTIME */
  uint64_t updated_ns;   /* CLOCK_REALTIME of the last refresh of what follows */
  uint64_t cpu_user_ns;  /* of the process since `started_ns`, at `updated_ns` */
  uint64_t cpu_system_ns;
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t context_base;    /* ids below belong to the process this one was forked from */
  uint32_t function_base;   /* the same for functions */
  uint32_t parent_sequence; /* file PID.N of that process: its N; its PID is parent_pid */
  uint32_t is_fork;         /* 1: forked from a recording process and shares its older ids */
  uint32_t finished;        /* 1: it ended by exit, _exit or a return from main; else 0 */
  uint32_t hooks;           /* enum hooks bits */
  uint32_t tick_source;     /* enum tick_source */
  uint32_t tick_errno;      /* why perf was refused, or 0 */
  uint32_t rate_hz;         /* asked */
  uint32_t tick_flags;      /* enum tick_flag bits */
  uint64_t period_ns;       /* mean time between ticks as armed */
  uint64_t epoch;           /* loads and unloads of objects so far: orders functions, objects */
  uint64_t profiler_ticks;  /* ticks inside the runtime */
  /* What one inline hook, entry and exit, or counter takes: between these, in thousandths of a
   * cycle of the time-stamp counter. */
  uint32_t hook_low, hook_high;
  uint64_t rebuilds;
  uint64_t overflow_calls; /* calls that were counted but have no context */
  uint64_t drops[DROP_KINDS];
  uint64_t threads_started;
  uint64_t tsc_hz;         /* TICK_TSC: cycles a second */
  uint64_t handler_cycles; /* time-stamp counter: inside the handlers of ticks, all threads */
  uint64_t tsc_started;    /* the counter at `started_ns` */
  uint64_t tsc_updated;    /* and at `updated_ns` */
  uint64_t paused_user_ns; /* the part of `cpu_user_ns` in pauses: no ticks, no counts */
  uint64_t paused_system_ns;
  uint64_t recorder_ns;    /* CPU time of another process that recorded this one and its children */
  uint64_t events_counted; /* TICK_EVENT: of the first, by the kernel, without those in pauses */
  uint64_t cpu_before_ns;  /* CPU time that the process had used at `started_ns` */
  uint32_t hindrances;     /* enum hindrance bits */
  uint32_t owner;          /* user id + 1 of a process recorded from outside; 0: not known */
  uint64_t profiler_weight; /* what `profiler_ticks` stand for, as recorded_tick.weight */
  /* Rows have a part of the file of their own, behind `capacity`, with blocks of their own: */
  uint64_t rows_offset;   /* where it begins */
  uint64_t rows_capacity; /* bytes of it that are mapped */
  uint64_t rows_next;     /* bytes claimed so far; atomic */
  uint64_t rows_address;  /* where the process has it: what `next` of slots begins with */
};
static_assert(sizeof(struct recording_header) == 376, "layout of the header");

enum block_kind {
  BLOCK_TEXT = 1,         /* zero-separated "key=value" strings: exe, cwd, host, command... */
  BLOCK_OBJECTS = 2,      /* struct recorded_object, variable length */
  BLOCK_FUNCTIONS = 3,    /* struct recorded_function[] */
  BLOCK_THREADS = 4,      /* struct recorded_thread[] */
  BLOCK_CONTEXTS = 5,     /* struct recorded_context, variable length */
  BLOCK_TABLE = 6,        /* struct ascribe_slot[]; slots with one key in several tables add up */
  BLOCK_TICKS = 7,        /* struct recorded_tick[], of one event; the same holds */
  BLOCK_SCRATCH = 8,      /* indexes of the runtime; readers skip it */
  BLOCK_PAUSED = 9,       /* a table like BLOCK_TABLE, of calls in a pause: readers skip it */
  BLOCK_COUNTERS = 10,    /* struct recorded_counters[]: which counters lie where in each area */
  BLOCK_COUNTS = 11,      /* an area: uint64_t[], mostly a hole; areas add up */
  BLOCK_WORLD = 12,       /* struct recorded_definition, variable length, all of one world */
  BLOCK_ROWS = 13,        /* rows (ascribe/hook.h), variable length, from
                             ASCRIBE_ROW_FIRST on; rows of one function and context
                             add up */
  BLOCK_SITES = 14,       /* struct recorded_sites, variable length */
  BLOCK_HEAP = 15,        /* struct recorded_heap: one, where allocations are recorded */
  BLOCK_HEAP_FRAMES = 16, /* struct recorded_heap_frame[], of one epoch (`first`) */
  BLOCK_HEAP_CELLS = 17,  /* struct recorded_heap_cell[]; cells of one stack add up */
  BLOCK_SLICES = 18,      /* struct recorded_slice[], from that of number `first` on */
  BLOCK_HEAP_PAST = 19,   /* struct recorded_heap_past[], of the thread's own cells */
  BLOCK_HEAP_NAMES = 20,  /* struct recorded_heap_name[] */
  BLOCK_ENTRIES = 21,     /* struct recorded_entries[] */
  BLOCK_MAPPINGS = 22,    /* struct recorded_mapping[], of the thread's own calls */
  BLOCK_POINTS = 23,      /* struct recorded_points, variable length, from ASCRIBE_ROW_FIRST on;
                             among the blocks of rows. Counts of one point add up */
  BLOCK_CENSUSES = 24,    /* struct recorded_census[], of the thread's own censuses */
  BLOCK_MESSAGES = 25,    /* struct recorded_message[], in hash order; rows of one key add up */
  BLOCK_MESSAGE_ENDS = 26 /* struct recorded_message_end[], of the thread's own calls, in order */
};

/* At the start of every block. A claimed block whose header was not yet written has zeros here:
 * readers go on at the next multiple of RECORDING_UNIT. */
struct block_header {
  uint32_t magic;
  uint32_t kind;       /* enum block_kind; readers skip kinds they do not know */
  uint64_t bytes;      /* whole block, this header included; multiple of RECORDING_UNIT */
  uint64_t used;       /* bytes in use, this header included, for kinds that grow; atomic */
  uint32_t thread;     /* index of the thread it belongs to, where it does */
  uint32_t first;      /* BLOCK_FUNCTIONS: id of the first entry; BLOCK_TICKS: the event, from 0 on;
                          BLOCK_WORLD: the world's number */
  uint64_t counted;    /* BLOCK_TICKS of events after the first: by the kernel, without pauses */
  uint64_t squares[2]; /* BLOCK_TICKS: sum of the squares of its ticks' weights; low, high half */
  uint64_t
      pauses; /* BLOCK_ROWS, BLOCK_POINTS: where the block is that tells of its pauses; 0: none */
};
static_assert(sizeof(struct block_header) == 64, "layout of blocks");

/* A mapped piece of an object file. Address a lies in it if start <= a < end; its place in the
 * file is a - start + offset. */
struct recorded_object {
  uint32_t bytes;          /* this record with its path, multiple of 8; 0 ends the list */
  uint32_t build_id_bytes; /* 0: none known */
  uint64_t start, end, offset;
  uint64_t loaded;   /* header.epoch when it was seen first */
  uint64_t unloaded; /* header.epoch when it went; 0: never */
  uint8_t build_id[24];
  char path[]; /* zero-terminated; "[vdso]" and the like as the kernel names them */
};
static_assert(sizeof(struct recorded_object) == 72, "layout of objects");

/* A world is what a language host (an interpreter, a runtime of compiled Scheme) runs: a script, a
 * heap of closures.  Where an address stands, of a function, a call site or a tick, this bit says
 * that it is none: it is a key in a world.  What keys mean the world's definitions say.  Keys are
 * the host's: numbers from 1 on, or addresses of its own. */
#define IN_WORLD (1ull << 59)
#define WORLD_SHIFT 48 /* the world's number is above, the key below */
#define WORLDS_MOST 2048u
#define WORLD_ADDRESS(world, key) (IN_WORLD | (uint64_t)(world) << WORLD_SHIFT | (uint64_t)(key))

/* The byte of the calling instruction that is before a return address.  In a world a call site is
 * the place itself. */
#define CALLING_BYTE(address) ((uint64_t)(address) - !((address)&IN_WORLD))

enum definition_kind {
  DEFINED_WORLD = 1,    /* text: the world's name, as a user knows it */
  DEFINED_FILE = 2,     /* key: a number that other definitions name; text: its path */
  DEFINED_FUNCTION = 3, /* text: its name; "" if it has none */
  DEFINED_PLACE = 4,    /* in the function or the larger place `within`: where that calls, or what
                         * runs in it */
  DEFINED_CENTRE = 5,   /* of CENTRE_WORLD. text: its label; behind it its module and its file, each
                         * zero-terminated. Kind 0: not written yet, or given up */
  DEFINED_CLOSURE = 6,  /* of CENTRE_WORLD, key: CLOSURE_KEY. text: its description; place: enum
                         * ascribe_closure_kind (ascribe/host.h); within: its bytes */
  DEFINED_CORE = 7      /* text: core forms of the program (flow/core_forms.h), which go on in the
                         * next one; the key is any */
};

/* Cost centres (ascribe/ascribe.h) are the functions of this world: a stack of them is a context
 * like any other, in whose slots entries are counted. */
#define CENTRE_WORLD (WORLDS_MOST - 1)
#define CENTRE_ADDRESS(key) WORLD_ADDRESS(CENTRE_WORLD, key)
#define IS_CENTRE(address)                                                                         \
  ((address)&IN_WORLD && (address) >> WORLD_SHIFT == (CENTRE_ADDRESS(0) >> WORLD_SHIFT))

/* What a lazy host allocates: closures of one kind, description and size, by numbers from 1 on.
 * Where ascribe_slot.callee is the address of one, `count` closures were allocated in the centre
 * `from` (0: in none), and `to` is CLOSURE_ID; with CLOSURE_CENSUS in the key they were counted in
 * censuses, which struct recorded_census tells of. */
#define CLOSURES_MOST (1u << 20)
#define CLOSURE_KEY(number) (CLOSURES_MOST + (uint64_t)(number))
#define CLOSURE_CENSUS (1ull << 40)
#define CLOSURE_ID(number) (0x80000000u + (number)) /* never a context's: behind ROW_IDS_END */
static inline int is_closure_id(uint32_t id) {
  return id > CLOSURE_ID(0) && id < CLOSURE_ID(CLOSURES_MOST);
}

/* A host appends them while the program runs, before it uses the key.  A world may have several
 * blocks, of several threads too.  Of two definitions of one key the first in the file counts; a
 * forked child's own come before its parent's. */
struct recorded_definition {
  uint32_t bytes; /* this record with its text, multiple of 8; written last; 0 ends the list */
  uint32_t kind;  /* enum definition_kind; readers skip kinds they do not know */
  uint64_t key;
  uint64_t within;       /* DEFINED_PLACE: key of what it is in */
  uint32_t file;         /* key of a DEFINED_FILE of the world; 0: not known, or that of `within` */
  uint32_t line, column; /* from 1; 0: not known */
  uint32_t end_line, end_column; /* behind its last character; 0: not known */
  uint32_t place;                /* DEFINED_PLACE: enum ascribe_place_kind (ascribe/host.h) */
  char text[];                   /* zero-terminated */
};
static_assert(sizeof(struct recorded_definition) == 48, "layout of definitions");

/* Counters of a host's points: `count` counts, then the address of the point that each counts; 0
 * where there is no point.  A forked child has all of its parents' in its own file, at the same
 * places, with counts of its own.  As with rows, a block that has seen a pause has another, where
 * the sum over its pauses stands at the place of each count, and ROW_PAUSED in `in_pause` while one
 * lasts. */
struct recorded_points {
  uint32_t bytes;    /* of this record, multiple of CONTEXT_UNIT; 0 ends the block */
  uint32_t count;    /* written last */
  uint32_t in_pause; /* 1: made in a pause that has not ended; its counts do not count */
  uint32_t reserved;
  uint64_t counts[];
};
static_assert(sizeof(struct recorded_points) == 16, "layout of counters of points");

/* Histories of sampled stacks are made of calls that have not returned: in place of a function's
 * address stands the return address with this bit.  Without an address it stands for frames that
 * could not be found: further out, or those of a signal handler. */
#define RETURN_ADDRESS (1ull << 62)
#define STACK_CUT RETURN_ADDRESS

/* What histories are made of, functions or return addresses: id = block.first + index. The
 * function with address 0 in slot 0 is the root. */
struct recorded_function {
  uint64_t address; /* 0: not written yet; may have RETURN_ADDRESS set */
  uint64_t epoch;   /* header.epoch when it was called first: tells which object it is in */
};

struct recorded_thread {
  uint32_t index;          /* 0: the main thread */
  uint32_t tid;            /* of the last owner */
  uint32_t owners;         /* threads that used these tables one after the other */
  uint32_t root;           /* context id of its root */
  uint32_t overflow;       /* context id of its overflow context */
  uint32_t spawned_in;     /* context id in which it was created, 0: not known */
  uint32_t start_function; /* function id first entered, plus 1; 0: none yet */
  uint32_t live;
  uint64_t ticks; /* delivered */
  uint64_t lost;  /* ticks that were due but merged with another (overruns) */
  /* CPU time of all owners since they were met, as of the last look: each sixteenth of a second,
   * and their end.  Below: the part in the kernel (0 where only the sum was known), and
   * `ticked_ns` at that moment. */
  uint64_t cpu_ns;
  char name[16];
  uint64_t slow_steps; /* transitions taken out of line (home slot missed) */
  uint64_t started_ns; /* CLOCK_REALTIME: the last owner */
  uint64_t lived_ns;   /* owners that have ended, all together */
  uint64_t cpu_system_ns;
  uint64_t cpu_ticked_ns;
  uint64_t ticked_ns; /* CPU time that its ticks stand for */
  uint64_t reserved[2];
};
static_assert(sizeof(struct recorded_thread) == 136, "layout of threads");

/* A context: its history (Spivey, "Data structures for fast profiling"), outermost first.
 * CONTEXT_STACK: a sampled stack. Its history consists of return addresses, whole as far as there
 * was room (recording/history.h). To get a history of functions, replace each return address by the
 * functions that contain it, inlined ones included, and apply the rules.
 * Its id is header.context_base + (offset of this record in the file) / CONTEXT_UNIT.
 * An entry is (function id << 1) | mark. The root has no entries. */
struct recorded_context {
  uint32_t bytes;  /* of this record, multiple of CONTEXT_UNIT; 0 ends the block */
  uint32_t hash;   /* of the history */
  uint32_t length; /* entries; written last (0 until then, and in a root) */
  uint32_t flags;  /* CONTEXT_* */
  uint32_t row;    /* for the runtime: a row of it; 0: none */
  uint32_t history[];
};
enum context_flag {
  CONTEXT_READY = 1,
  CONTEXT_ROOT = 2,
  CONTEXT_OVERFLOW = 4,
  CONTEXT_STACK = 8,
  CONTEXT_RECURS = 16 /* a stack that has an entry more than once, or has lost some */
};
static_assert(sizeof(struct recorded_context) == 20, "layout of contexts");

/* Wherever the id of a context stands (ticks, slots, threads), it may be the id of a row of that
 * context: ROW_IDS + (offset of the row's header from header.rows_offset) / CONTEXT_UNIT.  A forked
 * child has the rows of the thread that forked in its own file, at the same places, with counts of
 * its own; what they say of contexts and sites is of its parents' files. */
#define ROW_IDS 0x40000000u
#define ROW_IDS_END 0x80000000u
static inline int is_row_id(uint32_t id) {
  return id >= ROW_IDS && id < ROW_IDS_END;
}

/* What is counted in pauses does not count. A block of rows that has seen one has another, of its
 * size (BLOCK_SCRATCH), which holds the sum over its pauses at the place of each count. In a pause
 * ROW_PAUSED stands at the place of the row's `function`, and the sum lacks what the count was when
 * the pause began: the count that counts is then the sum, negated. */
#define ROW_PAUSED 1u

/* The call sites of a function with rows: leaves first.  Site of a row: the leaf counts lie below
 * its header, the slots above, at `place`.
 * Its id is header.context_base + (offset of this record in the file) / CONTEXT_UNIT. */
struct recorded_site {
  uint64_t address; /* behind the first byte of an instruction that counts there; 0: not known */
  uint32_t callee;  /* ASCRIBE_SITE_LEAF: id of the function, plus 1 */
  int16_t place;    /* of its slot, in 8 bytes from the row's header; 0: calls are in the table */
  uint8_t kind;     /* enum ascribe_site_kind */
  uint8_t reserved;
};
static_assert(sizeof(struct recorded_site) == 16, "layout of sites");
struct recorded_sites {
  uint32_t bytes;    /* of this record, multiple of CONTEXT_UNIT; 0 ends the block */
  uint32_t function; /* id */
  uint32_t count;
  uint32_t ready; /* 1: all of it is written */
  struct recorded_site sites[];
};
static_assert(sizeof(struct recorded_sites) == 16, "layout of lists of sites");

/* Set in ascribe_slot.callee where code with counters calls through a pointer. The slot counts the
 * calls of the callee at `site`. That is the calling function's address plus the number of the call
 * in it or, in executables and for functions of an unloaded object, the address of the call's cell
 * among the counters (ascribe/hook.h). `from` is 0, `to` the context of the callee alone. */
#define CALL_INDIRECT ASCRIBE_CALL_INDIRECT

/* Set in ascribe_slot.callee when the callee's or the caller's object was unloaded. The count
 * stays, but hooks no longer find the slot. The callee is the running function of `to`. */
#define SLOT_RETIRED (1ull << 63)
/* In ascribe_slot.callee: the slot is claimed and not filled yet. Readers skip it, as they skip an
 * empty one (0).
 *
 * Other values of a slot: `from` == 0 is the root of the block's thread. `from` with
 * ASCRIBE_TAGGED: code without hooks called from there. A callee with
 * RETURN_ADDRESS is a step to the context of a sampled stack, and its count means nothing. */
#define SLOT_CLAIMED 1ull
#define SLOT_TO_UNHOOKED 1u /* in `to`: the callee has no hooks, and the call is not counted */

/* Set in ascribe_slot.callee by code compiled with -pg, whose calls are counted without a context.
 * The callee is the function that contains the address (without this bit), called from `site`.
 * `from` is 0, and `to` is the function's id plus 1. */
#define CALL_COUNTED (1ull << 60)

/* In recorded_tick.pc: the context's running function ran, and it is not known where in it. From
 * TICK_TSC and TICK_HOST it is what the function took; `ticks` then counts the reads of the clock
 * and `weight` is in its units. */
#define PC_RUNNING 2ull

/* In recorded_tick.pc: the kernel was at work.  The function on top of the stack had asked it for
 * something, or for nothing (a page fault, an interrupt), or for the system call of this number.
 * No program has code at such addresses. */
#define PC_SYSTEM_CALL 3ull
#define PC_INTERRUPT 4ull
#define PC_NUMBERED_CALL 4096ull /* plus the number */
enum { SYSTEM_CALLS_MOST = 4096 };

/* The counters of an object: those of its section `ascribe_counts`, in this order, `offset` bytes
 * after the start of each area's block (its header included). */
struct recorded_counters {
  uint64_t start; /* address of the section in the process */
  uint64_t bytes;
  uint64_t offset;
  uint64_t code;  /* an address in the object's text */
  uint64_t epoch; /* header.epoch when they were taken over: tells which object that is */
};
static_assert(sizeof(struct recorded_counters) == 40, "layout of counters");

struct recorded_tick {
  uint32_t context; /* id, as the hooks have it; 0: the root of the block's thread */
  uint32_t centre;  /* id of the context of cost centres; 0: in none */
  /* Id of the context of the stack below the running function; 0: not sampled. Where the process
   * samples no stacks, any other value says that functions below `context` are not known. A context
   * with functions of a world counts, not the stack of the host below them. */
  uint32_t stack;
  uint32_t
      epoch;   /* header.epoch when it was met first: tells which object `pc` is in; 0: unknown */
  uint64_t pc; /* 0: the entry is empty; 1: being written */
  uint32_t ticks;  /* delivered */
  uint32_t slice;  /* of the run's time in which they were: its number, from 0 on */
  uint64_t weight; /* what they stand for: nanoseconds of CPU time, events or cycles */
};
static_assert(sizeof(struct recorded_tick) == 40, "layout of ticks");

/* How long slices are at first, and how many are as long before they take twice as long. */
#define SLICE_NS 10000000u
#define SLICES_OF_A_LENGTH 512u

/* A slice of a process's time.  It ends where the next one begins; where nothing ran for longer
 * than slices take, none begins.  Slices become longer as the run does (runtime/ticks/slices.h). */
struct recorded_slice {
  uint64_t tsc;    /* the time-stamp counter when it began; 0: it has not */
  uint64_t cpu_ns; /* of the process since header.started_ns, without pauses; 0: not known */
  uint64_t resident_bytes; /* the most of its memory until then; 0: not known */
};
static_assert(sizeof(struct recorded_slice) == 24, "layout of slices");

/* How often a thread entered a cost centre in a slice.  What its table of transitions counts beyond
 * these rows came with its last ticks or after them. */
struct recorded_entries {
  uint32_t from, to; /* as in struct ascribe_slot; also of closures, which were allocated */
  uint32_t slice;    /* its number */
  uint32_t entries;  /* 0: not written */
};
static_assert(sizeof(struct recorded_entries) == 16, "layout of entries");

/* What was live at a moment, as a host's collector told: the closures of one description that
 * belong to a centre.  Rows of one of both add up.  A census begins with a row of CENSUS_BEGINS and
 * is whole if a row of CENSUS_ENDS follows, of the same thread. */
#define CENSUS_BEGINS 1u
#define CENSUS_ENDS 2u
struct recorded_census {
  uint32_t number;  /* of the census, from 1 on; 0: not written */
  uint32_t slice;   /* its number */
  uint32_t from;    /* id of the context of cost centres; 0: in none */
  uint32_t closure; /* CLOSURE_ID; or CENSUS_BEGINS, CENSUS_ENDS */
  uint64_t count;
};
static_assert(sizeof(struct recorded_census) == 24, "layout of censuses");

/* Calls of MPI by a thread, from one call site in one context, and what it sent to a rank there and
 * received from it. */
struct recorded_message {
  uint64_t
      site; /* return address of the call; 0: not known, what had no room for a row of its own */
  uint32_t call;    /* enum mpi_call (recording/mpi_calls.h); 0: the row is empty */
  uint32_t peer;    /* rank in MPI_COMM_WORLD, plus 1; 0: none, or not known */
  uint32_t context; /* id of the context of the stack, the caller included; 0: not known */
  uint32_t centre;  /* id of the context of cost centres; 0: in none */
  uint64_t calls;
  uint64_t sent, sent_bytes, received, received_bytes; /* messages; collective calls: bytes only */
  uint64_t cycles;       /* of the time-stamp counter: in these calls */
  uint64_t least_cycles; /* in the fastest of them; 0: there is none */
};
static_assert(sizeof(struct recorded_message) == 80, "layout of messages");

/* recorded_message_end.flags */
enum message_end_flag {
  END_SENDS = 1,     /* else it receives */
  END_CANCELLED = 2, /* there was no message */
  END_PAUSED = 4,    /* posted in a pause: it only counts in the order of messages */
  /* Not a message. END_AMBIGUOUS: the number in `communicator` may stand for several communicators,
   * so their ends do not count. END_OF_ENDS: ends posted later do not count: some may be missing.
   */
  END_AMBIGUOUS = 8,
  END_OF_ENDS = 16,
  /* Not a message but the process's part in a blocking collective call; `bytes`: the number of
   * processes of the communicator. */
  END_COLLECTIVE = 32,
  END_ROOT = 64,            /* the process is its root */
  END_LENGTH_UNKNOWN = 128, /* of a receive: `bytes` is not written */
  END_WITH_BYTES = 256,     /* of a part in a collective call: the process gives some */
  /* MPI_Sendrecv, which sends one message and receives another: the record is the end of the
   * message that it sends, and once the call has returned also the end of the other one. */
  END_EXCHANGE = 512
};
#define END_KEPT /* in profiles, too */                                                            \
  (END_SENDS | END_PAUSED | END_COLLECTIVE | END_ROOT | END_LENGTH_UNKNOWN | END_WITH_BYTES)
#define MESSAGE_ENDS_MOST (1u << 18) /* about: of a process */

/* One end of a message: the call that posted the send or the receive and, once completed, the call
 * that completed it, which may be the same. Times are of the time-stamp counter, when the calls
 * began and the second one returned. Completion writes the waiting call, and for a receive `bytes`,
 * and `peer` and `tag` if it took any. Of an END_EXCHANGE both calls are one, and what it received
 * is in `wait_begin`, the tag in the upper half above the peer, and in `wait_site`, the bytes. */
struct recorded_message_end {
  uint64_t posted;               /* written last of what is known then; 0: not written */
  uint64_t wait_begin, wait_end; /* `wait_end` is written last; 0: not completed */
  uint64_t site, wait_site;      /* return addresses of the calls */
  uint32_t communicator; /* the same in all of its processes, by its ranks and how often they made
                          * one (runtime/guise/mpi_communicators.c) */
  uint32_t peer;         /* rank in MPI_COMM_WORLD, plus 1; 0: any, or not known */
  int32_t tag;           /* below 0: any */
  uint32_t bytes;        /* the low 32 bits */
  uint16_t call, wait_call; /* enum mpi_call; 0: none */
  uint32_t flags;           /* enum message_end_flag */
};
static_assert(sizeof(struct recorded_message_end) == 64, "layout of the ends of messages");

/* Whose memory: the heap's; a pool's, which gives out memory that is another's; what the program
 * asked the kernel for; or a language host's, in memory of either. */
enum heap_area {
  HEAP_OF_MALLOC,
  HEAP_OF_POOLS,
  HEAP_BOOKS, /* areas up to here have struct recorded_heap_area */
  HEAP_OF_MAPPINGS = HEAP_BOOKS,
  HEAP_OF_CLOSURES, /* a language host's heap, as the host tells */
  HEAP_AREAS
};

/* What all blocks of an area together are. Counters here are atomic. */
struct recorded_heap_area {
  uint64_t live;          /* bytes; of several threads, without what these have not told yet */
  uint64_t peak;          /* the most that it was */
  uint64_t bound;         /* several threads together never had more live; 0: there were none */
  uint64_t peak_epoch;    /* grows with each new peak */
  uint64_t peak_tsc;      /* the time-stamp counter when it was reached first */
  uint64_t unknown_frees; /* of blocks that were never seen */
  uint64_t early_frees;   /* of blocks from before a fork, or from a pause */
  uint64_t early_bytes;
  uint64_t dropped;   /* allocations that are in no cell */
  uint64_t stackless; /* allocations that are in a cell without a stack, for lack of room */
};

/* What a process has on its heap.  Sums are in its cells; this is what belongs to no stack. */
struct recorded_heap {
  struct recorded_heap_area areas[HEAP_BOOKS];
  uint64_t unnamed; /* names that had no room: ascribe_kind, ascribe_pool_allocated; atomic */
  uint64_t mean; /* bytes from one sample to the next on average; 0: all allocations are recorded */
  uint64_t mappings; /* rows of struct recorded_mapping, and changes that had no room; atomic */
  uint64_t mappings_dropped;
};
static_assert(sizeof(struct recorded_heap) == 192, "layout of the heap's books");

/* Of samples all sums, here and in cells, are of what they stand for.  Each cell is followed by
 * one of variances, for the same frame: of `allocations`, `frees` and `temporary` in units of
 * (mean / 16)^2 / 2^HEAP_VARIANCE_OF_BLOCKS, of `allocated`, `freed` and `at_peak` in units of
 * mean^2 / 2^HEAP_VARIANCE_OF_BYTES. */
#define HEAP_MEAN_LEAST 1024u
#define HEAP_MEAN_MOST (1u << 24)
#define HEAP_VARIANCE_OF_BLOCKS 36
#define HEAP_VARIANCE_OF_BYTES 20

/* A frame of a stack that allocated, below another.  Its id is its offset in the file divided by
 * HEAP_FRAME_UNIT; 0 is no frame. */
#define HEAP_FRAME_UNIT 16u
struct recorded_heap_frame {
  uint64_t address; /* return address; STACK_CUT: further out nothing could be found */
  uint32_t parent;  /* id of the caller's frame, which stands before this one; 0: outermost */
  uint32_t cell;    /* for the runtime */
};
static_assert(sizeof(struct recorded_heap_frame) == HEAP_FRAME_UNIT, "layout of frames");

/* What a block is: its size class, and the number of what the program calls it (struct
 * recorded_heap_name; 0: nothing).  Numbers from HEAP_POOL_FIRST on are those of pools: a cell of
 * such a kind is of blocks that the pool gave out. */
#define HEAP_KIND(size_class, name) ((uint16_t)((size_class) | (name) << HEAP_CLASS_BITS))
#define HEAP_KIND_CLASS(kind) ((kind) & ((1u << HEAP_CLASS_BITS) - 1))
#define HEAP_KIND_NAME(kind) ((kind) >> HEAP_CLASS_BITS)
#define HEAP_CLASS_BITS 5
#define HEAP_CLASS_UNKNOWN 31u /* of any size */
#define HEAP_NAMES_MOST (1u << (16 - HEAP_CLASS_BITS))
#define HEAP_POOL_FIRST (HEAP_NAMES_MOST / 2)
#define HEAP_KIND_AREA(kind) ((enum heap_area)((kind) >> 15 & 1))

/* Blocks of up to 16 bytes are of class 0, of up to 64 of class 1, and so on. */
static inline uint32_t heap_class_of(uint64_t bytes) {
  return bytes <= 16 ? 0 : (61u - (uint32_t)__builtin_clzll(bytes - 1)) / 2;
}
#define HEAP_CLASS_LARGEST 29u /* the last one whose most is a number of 64 bits */
#define HEAP_CLASS_BYTES(size_class) (16ull << 2 * (size_class))

/* What a thread allocated with a stack in a cost centre, and what it freed of that: its own blocks
 * and others'.  Of one stack, centre and kind the sums over all threads count.  live = allocated -
 * freed.  Where the program named a block after it was allocated, it is no more in the cell where
 * it was counted first, so that one thread's `allocations` and `allocated` may go below 0. */
#define HEAP_CELL_UNIT 64u
struct recorded_heap_cell {
  uint32_t frame; /* id of the innermost; 0: none */
  uint16_t slice; /* in which it was touched last */
  uint16_t kind;
  uint64_t allocations, allocated, frees, freed; /* blocks and bytes */
  uint64_t temporary; /* allocations that were freed before the thread's next */
  uint64_t at_peak; /* bytes live at the peak, if peak_epoch is the heap's; if not, the cell has not
                       changed since the peak */
  uint32_t peak_epoch; /* its lower half */
  uint32_t centre;     /* id of the context of cost centres; 0: in none */
};
static_assert(sizeof(struct recorded_heap_cell) == HEAP_CELL_UNIT, "layout of cells");

/* What the program calls blocks of its own (ascribe_kind), and its pools. */
#define HEAP_NAME_BYTES 56u
struct recorded_heap_name {
  uint32_t bytes;             /* of this record, once it is claimed */
  uint32_t number;            /* from 1; 0: not written */
  char text[HEAP_NAME_BYTES]; /* ends with a 0; longer names are cut off */
};
static_assert(sizeof(struct recorded_heap_name) == 64, "layout of names");

/* What the sums of a cell were at the end of a slice in which it was touched, written before it was
 * touched in a later one.  Rows of a cell follow each other. */
struct recorded_heap_past {
  uint32_t cell;  /* its offset in the file, divided by HEAP_CELL_UNIT; 0: not written */
  uint32_t slice; /* its number */
  uint64_t allocations, allocated, frees, freed, temporary;
};
static_assert(sizeof(struct recorded_heap_past) == 48, "layout of a cell's past");

/* The program asked the kernel for memory, or gave some back.  In the order of `tsc`, over all
 * threads, rows tell what was mapped when: it is read before memory is given back, and after some
 * has come. */
enum mapping_change {
  MAPPING_GONE = 1,
  MAPPING_ANONYMOUS,
  MAPPING_FILE,
  MAPPING_SHARED,
  MAPPING_BREAK
};
#define MAPPINGS_MOST (1u << 20)
struct recorded_mapping {
  uint64_t tsc; /* 0: not written */
  uint64_t address, bytes;
  uint32_t frame; /* id of the innermost; 0: none */
  uint32_t centre;
  uint32_t change; /* enum mapping_change */
  uint32_t reserved;
};
static_assert(sizeof(struct recorded_mapping) == 40, "layout of mappings");

#endif
