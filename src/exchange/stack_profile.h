/* A profile made of sampled stacks, as other tools write them.
 *
 * Each stack is stepped through the rules of histories from its outermost frame in, so recursion
 * folds and every figure is at most the whole; the same steps are taken once (rule B1). */
#ifndef ASCRIBE_EXCHANGE_STACK_PROFILE_H
#define ASCRIBE_EXCHANGE_STACK_PROFILE_H

#include "profile/builder.h"

/* What was so before a frame of the stack at hand was added. */
struct stack_before {
  uint32_t context, caller, stack, line;
  size_t caller_depth, depth;
  uint32_t stamped; /* the line that the frame put into the stack first, or NOTHING */
};

struct stack_profile {
  struct profile *profile;
  struct profile_builder builder;
  struct map processes, threads, steps;
  struct amount all[METRICS_MOST]; /* of all stacks, by metric */
  uint64_t entries;                /* of the histories of contexts that stacks passed through */
  uint64_t calls;                  /* of all functions */
  /* the stack at hand */
  uint32_t thread;
  uint32_t context; /* NOTHING: too many contexts: the history is made at the end */
  uint32_t caller;  /* the context that called the last frame, likewise */
  size_t caller_depth;
  uint32_t stack, line;
  uint32_t *functions; /* of the stack, outermost first */
  size_t depth;
  struct stack_before *before; /* by frame */
  size_t frame_count;
  uint32_t stamp;
  uint32_t *line_stamps; /* the last stack that each stood in */
  uint32_t history_stamp;
  uint32_t *function_stamps; /* the last history that was made at once and has it */
  size_t stamped_lines, stamped_functions;
};

/* With one metric, of this name. Both texts are copied. */
void stack_profile_open(struct stack_profile *stacks, const char *format, const char *event);

/* Free everything but the profile, which is handed on. */
struct profile *stack_profile_finish(struct stack_profile *stacks);

/* Free everything. */
void stack_profile_discard(struct stack_profile *stacks);

/* The pool's copy of a text. */
const char *stack_profile_text(struct stack_profile *stacks, const char *text);

/* Strings given to what follows are copied; equal things give equal ids. */
uint32_t stack_profile_object(struct stack_profile *stacks, const char *path, const char *build_id);
uint32_t stack_profile_process(struct stack_profile *stacks, uint32_t pid, const char *command);
/* When it was recorded: nanoseconds since 1970, 0 if nobody knows. */
void stack_profile_date(struct stack_profile *stacks, uint32_t process, uint64_t date_ns);
uint32_t stack_profile_thread(struct stack_profile *stacks, uint32_t process, uint32_t tid,
                              const char *name);

/* A function is what has this name, linkage name, file, line and object. `kind` and `bodies` are
 * set: it is sampled; `body` (enum body) is how it was seen this time. */
uint32_t stack_profile_function(struct stack_profile *stacks,
                                const struct profile_function *function, enum body body);

/* A line of a function; file null and line 0: not known. */
uint32_t stack_profile_line(struct stack_profile *stacks, uint32_t function, const char *file,
                            uint32_t line);

/* One stack: begin, its frames from the outermost in, what it cost in each metric.  The line of a
 * frame is where it called the next, or what ran.  A stack without frames is charged to a function
 * that stands for that. stack_profile_charge returns -1 if the sums would overflow. */
void stack_profile_begin(struct stack_profile *stacks, uint32_t thread);
void stack_profile_frame(struct stack_profile *stacks, uint32_t function, uint32_t line);
int stack_profile_charge(struct stack_profile *stacks, uint32_t metric, struct amount amount);

/* Goes back to the outer `frames` frames, at most as many as there are, of the stack at hand: what
 * follows is another stack that begins with them. */
void stack_profile_return(struct stack_profile *stacks, size_t frames);

/* The tick of the stack at hand, without an amount if it is new. */
uint32_t stack_profile_tick(struct stack_profile *stacks, uint32_t metric);

/* The same as stack_profile_charge of the stack whose tick this is. */
int stack_profile_charge_tick(struct stack_profile *stacks, uint32_t metric, uint32_t tick,
                              struct amount amount);

/* The frames before the last one called it `count` times. From now on the calls of its function
 * are counted: call this for each of its stacks. Returns -1 as stack_profile_charge does. */
int stack_profile_calls(struct stack_profile *stacks, uint64_t count);

#endif
