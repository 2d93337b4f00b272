/* Makes profiles for tests, the way a program makes them: by calls, returns and ticks. */
#ifndef ASCRIBE_TESTS_PROFILE_FIXTURE_H
#define ASCRIBE_TESTS_PROFILE_FIXTURE_H

#include "base/map.h"
#include "profile/context_table.h"

struct program {
  struct profile *profile;
  struct context_table contexts;
  struct map transitions, sites, ticks;
  size_t function_room, site_room, transition_room, line_room, tick_room;
  uint32_t thread;
  uint64_t place;       /* of the calls from now on; 0: each (caller, callee) has its own */
  uint32_t stack[4096]; /* contexts; the running one is last */
  size_t depth;
};

/* One process, one thread, ticks of 1 ms; user time is the ticks', system time 0. */
void program_start(struct program *program);

/* The profile, with what contexts have cost so far. */
struct profile *program_so_far(struct program *program);

/* The same; nothing more comes, and the profile is the caller's. */
struct profile *program_end(struct program *program);

/* The function of that name, made at its first mention; line 10 * id in "fixture.c". */
uint32_t program_function(struct program *program, const char *name);
/* The same, for code without hooks. */
uint32_t program_library(struct program *program, const char *name);

void program_call(struct program *program, uint32_t function);
void program_return(struct program *program);
/* The running function puts its caller's context back and jumps: as if its caller called there. */
void program_jump(struct program *program, uint32_t function);
void program_tick(struct program *program, uint64_t ticks);

/* Calls in the order of the names ("Main P Q"), one below the other. */
void program_calls(struct program *program, const char *names);

/* Go on in a new thread, at its root. */
void program_thread(struct program *program, const char *name);

#endif
