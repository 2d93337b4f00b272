#include "outside/waiting_thread.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/living_thread.h"
#include "base/memory.h"
#include "outside/blocked_stack.h"

enum {
  ATTEMPTS = 3,
  FIRST_LOOK = 10000000,      /* ns that it stands for */
  KERNEL_TICK_MOST = 20000000 /* ns: run times are as old as that */
};

static bool read_statistics(int file, struct schedule *schedule) {
  char text[96];
  ssize_t length = pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return false;
  text[length] = '\0';
  return sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &schedule->ran, &schedule->ready,
                &schedule->turns) == 3;
}

static bool read_schedule(const struct waiting_thread *waiting, struct schedule *schedule) {
  return read_statistics(waiting->statistics, schedule);
}

/* Kernels that do not count say zeros, or nothing. */
int waiting_thread_countable(struct error *error) {
  struct schedule own = {0};
  int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  bool counted = file >= 0 && read_statistics(file, &own) && own.turns;
  if (file >= 0) close(file);
  if (counted) return 0;
  return error_set(error, "--clock wall: /proc/self/schedstat lacks run times; the kernel was "
                          "built without CONFIG_SCHEDSTATS");
}

struct waiting_thread *waiting_threads_at(struct waiting_threads *threads,
                                          struct process_image *image, size_t number) {
  while (threads->count <= number) {
    uint32_t place = process_image_start_thread(image, 0, "");
    if (place == NOTHING) return NULL;
    ARRAY_GROW(threads->list, threads->count);
    threads->list[threads->count++] = (struct waiting_thread){.statistics = -1, .thread = place};
  }
  return &threads->list[number];
}

/* It has not run in between: where it waited it has waited all the while. */
static bool is_same_turn(const struct schedule *a, const struct schedule *b) {
  return a->turns == b->turns && a->ran == b->ran;
}

bool waiting_thread_open(struct waiting_thread *waiting, struct process_image *image,
                         uint32_t tid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", image->pid, tid);
  *waiting = (struct waiting_thread){.tid = tid, .statistics = open(path, O_RDONLY | O_CLOEXEC)};
  return waiting->statistics >= 0;
}

void waiting_thread_close(struct waiting_thread *waiting) {
  if (waiting->statistics >= 0) close(waiting->statistics);
  waiting->statistics = -1;
}

/* Where it waits goes to waiting->tick. 1; 0: it does not wait; negative errno: we may not see. */
static int find_wait(struct waiting_thread *waiting, struct process_image *image,
                     struct sampled_stack *stack) {
  for (int i = 0; i < ATTEMPTS; i++) {
    struct blocked blocked;
    struct schedule after;
    int found = blocked_find((pid_t)image->pid, (pid_t)waiting->tid, &blocked);
    if (found <= 0) return found;
    waiting->code = image->space.generation;
    blocked_stack_find(stack, &image->space, (pid_t)waiting->tid, &blocked);
    if (!read_schedule(waiting, &after)) return 0;
    bool stayed = is_same_turn(&waiting->schedule, &after);
    waiting->schedule = after;
    if (!stayed) continue; /* what was read may be of several moments */
    waiting->tick = process_image_place(image, waiting->thread, stack, blocked.pc, blocked.in_call);
    return 1;
  }
  return 0;
}

/* A thread that becomes another program gets its process's number, and what was opened under that
 * number tells of it then: it has run less than the other, or more than time has passed. */
static bool is_same_thread(const struct schedule *before, const struct schedule *now,
                           uint64_t passed_ns) {
  return now->ran >= before->ran && now->ready >= before->ready &&
         now->ran - before->ran <= passed_ns + KERNEL_TICK_MOST;
}

static void charge(struct waiting_thread *waiting, struct process_image *image, uint64_t ns) {
  waiting->tick.ticks = 1;
  waiting->tick.weight = ns;
  waiting->tick.slice = process_image_slice(image, waiting->looked_ns);
  image->entries[waiting->thread].ticks++;
  stack_machine_charge(&image->machine, &waiting->tick);
}

/* Of what it waited in that time, what no look stands for: as much as of all that passed. */
static uint64_t unseen_ns(uint64_t passed_ns, uint64_t stands_ns, uint64_t ran_or_ready_ns) {
  if (passed_ns <= ran_or_ready_ns) return 0;
  double part = (double)(passed_ns - stands_ns) / (double)passed_ns;
  return (uint64_t)(part * (double)(passed_ns - ran_or_ready_ns));
}

/* One that ends before it is looked at again would else be in no tick. Looks weigh alike there:
 * what it waited in all is shared out over all of them (attribution/recorded_waits.c). */
static void look_first(struct waiting_thread *waiting, struct process_image *image,
                       struct sampled_stack *stack, struct look_rate *rate) {
  struct thread_entry *entry = &image->entries[waiting->thread];
  const struct schedule *schedule = &waiting->schedule;
  if (!waiting->began_ns || waiting->looked_ns <= waiting->began_ns) return;
  uint64_t passed_ns = waiting->looked_ns - waiting->began_ns;
  uint64_t stands_ns = look_rate_stands_for(&rate->usual_first_ns, passed_ns);
  entry->lived_ns += passed_ns;
  entry->unseen_ns += unseen_ns(passed_ns, stands_ns, schedule->ran + schedule->ready);
  waiting->waits = find_wait(waiting, image, stack) > 0;
  if (waiting->waits) charge(waiting, image, FIRST_LOOK);
}

void waiting_thread_look(struct waiting_thread *waiting, struct process_image *image,
                         struct sampled_stack *stack, struct look_rate *rate, bool counts,
                         struct wait_sums *sums) {
  struct schedule before = waiting->schedule;
  uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), since_ns = waiting->looked_ns;
  waiting->due_ns = look_rate_due(rate, now_ns);
  if (!read_schedule(waiting, &waiting->schedule)) {
    waiting_thread_close(waiting);
    return;
  }
  waiting->looked_ns = now_ns;
  bool stays = waiting->waits && is_same_turn(&before, &waiting->schedule) &&
               waiting->code == image->space.generation;
  if (!counts || !since_ns) {
    waiting->waits = false;
    if (counts) look_first(waiting, image, stack, rate);
    return;
  }
  uint64_t passed_ns = now_ns - since_ns, stands_ns = passed_ns;
  if (!stays) {
    stands_ns = look_rate_stands_for(&rate->usual_ns, passed_ns);
    int found = find_wait(waiting, image, stack);
    /* A thread that ends or becomes another program is refused for a moment. */
    if (found < 0 && waiting->was_refused) sums->refused = -found;
    waiting->was_refused = found < 0;
    waiting->waits = found > 0;
    bool rests = !found && is_same_turn(&before, &waiting->schedule);
    if (rests && thread_has_ended(image->pid, waiting->tid)) { /* before the others */
      waiting_thread_close(waiting);
      return;
    }
  }
  if (!is_same_thread(&before, &waiting->schedule, clock_ns(CLOCK_MONOTONIC) - since_ns)) {
    waiting_thread_close(waiting);
    return;
  }
  if (waiting->waits) charge(waiting, image, stands_ns);
  uint64_t ran_ns = waiting->schedule.ran - before.ran;
  uint64_t ready_ns = waiting->schedule.ready - before.ready;
  struct thread_entry *entry = &image->entries[waiting->thread];
  entry->lived_ns += passed_ns;
  entry->cpu_ns += ran_ns;
  entry->ready_ns += ready_ns;
  entry->unseen_ns += unseen_ns(passed_ns, stands_ns, ran_ns + ready_ns);
  sums->looked_ns += passed_ns;
  sums->ran_ns += ran_ns;
  sums->ready_ns += ready_ns;
}
