/* What is known of one program that a process has run: its code, its threads, their ticks. */
#ifndef ASCRIBE_OUTSIDE_PROCESS_IMAGE_H
#define ASCRIBE_OUTSIDE_PROCESS_IMAGE_H

#include "outside/address_space.h"
#include "outside/sampled_stack.h"
#include "outside/stack_machine.h"

struct image_thread {
  uint32_t root, overflow; /* contexts */
  bool live;
  bool counted;       /* the kernel has told what it took, or will tell so of another entry */
  bool start_unknown; /* of what its stacks may still tell */
  uint64_t ticks;     /* of the thread that has the entry now */
  uint64_t opened_ns; /* events were opened for it then (CLOCK_MONOTONIC); 0: inherited */
  uint32_t events;    /* the first of those, in the target */
  uint64_t began_ns;  /* CLOCK_MONOTONIC; 0: not known */
  bool in_doubt;      /* events were opened for its parent just when it began */
};

struct process_image {
  uint32_t pid, parent_pid;
  uint32_t owner;                 /* user id + 1; 0: not known */
  uint32_t sequence;              /* how many the process ran before */
  struct process_image *previous; /* the last one of them, or null */
  bool replaced;                  /* the process runs another one by now */
  int signal;                     /* has ended it; 0: none is known */
  bool waited;                    /* looks have found it waiting */
  struct address_space space;
  struct stack_machine machine;
  struct thread_entry *entries;
  struct image_thread *threads; /* of each of them */
  size_t thread_count, live_threads;
  char *executable, *command, *directory; /* null: not known (yet) */
  char name[17];                          /* that the kernel told; "": none */
  uint64_t started_ns, ended_ns;          /* CLOCK_MONOTONIC; ended: 0 while it runs */
  size_t slice_count;                     /* as far as ticks have come */
  uint64_t user_ticks, kernel_ticks;
  uint64_t drops[DROP_KINDS];
  uint64_t threads_started;
  uint64_t counted_ns;               /* of threads that have ended, as the kernel told */
  uint64_t user_ns, system_ns;       /* CPU time; set at the end (cpu_times.h) */
  struct recorded_slice *slices;     /* of the last result (sample_slices.h) */
  struct object_entry *told_objects; /* likewise */
};

/* A program that process `pid` runs from now on. */
struct process_image *process_image_new(uint32_t pid, uint64_t now_ns);
void process_image_free(struct process_image *image);

/* A thread begins. Its number, or NOTHING: there are too many contexts (which is counted). */
uint32_t process_image_start_thread(struct process_image *image, uint32_t tid, const char *name);
/* `now_ns`: CLOCK_MONOTONIC, or 0: it is not known since when. */
void process_image_end_thread(struct process_image *image, uint32_t thread, uint64_t now_ns);

/* A tick of a thread at `pc` or, if it is in the kernel, at what the stack says of that, with no
 * weight yet: with its context, and that of the stack, which has been found. */
struct tick_entry process_image_place(struct process_image *image, uint32_t thread,
                                      const struct sampled_stack *stack, uint64_t pc,
                                      bool in_kernel);

/* The slice of a moment of CLOCK_MONOTONIC (sample_slices.h). */
uint32_t process_image_slice(struct process_image *image, uint64_t time_ns);

/* Charge a sample to a thread; `stack` is for the work. */
void process_image_tick(struct process_image *image, uint32_t thread,
                        const struct kernel_sample *sample, struct sampled_stack *stack);

#endif
