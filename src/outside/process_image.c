#include "outside/process_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/memory.h"
#include "outside/sample_slices.h"

enum { KEPT_APART = 256 }; /* threads whose figures stay their own; later ones share with others */

struct process_image *process_image_new(uint32_t pid, uint64_t now_ns) {
  struct process_image *image = memory_zeroed(1, sizeof *image);
  image->pid = pid;
  image->started_ns = now_ns;
  return image;
}

void process_image_free(struct process_image *image) {
  if (!image) return;
  address_space_close(&image->space);
  stack_machine_close(&image->machine);
  free(image->entries);
  free(image->threads);
  free(image->executable);
  free(image->command);
  free(image->directory);
  free(image->slices);
  free(image->told_objects);
  free(image);
}

/* ---- threads ---- */

static uint32_t free_place(const struct process_image *image) {
  for (size_t i = KEPT_APART; i < image->thread_count; i++)
    if (!image->threads[i].live) return (uint32_t)i;
  return NOTHING;
}

static uint32_t add_place(struct process_image *image) {
  size_t count = image->thread_count;
  struct image_thread thread = {
      .root = stack_machine_start(&image->machine, (uint32_t)count, CONTEXT_ROOT),
      .overflow = stack_machine_start(&image->machine, (uint32_t)count, CONTEXT_OVERFLOW)};
  if (thread.root == NOTHING || thread.overflow == NOTHING) return NOTHING;
  ARRAY_GROW(image->entries, count);
  ARRAY_GROW(image->threads, count);
  image->entries[count] = (struct thread_entry){
      .index = (uint32_t)count, .start_function = NOTHING, .spawned_in = NOTHING};
  image->threads[count] = thread;
  image->thread_count++;
  return (uint32_t)count;
}

uint32_t process_image_start_thread(struct process_image *image, uint32_t tid, const char *name) {
  uint32_t place = image->thread_count < KEPT_APART ? NOTHING : free_place(image);
  if (place == NOTHING) place = add_place(image);
  if (place == NOTHING) {
    image->drops[DROP_THREADS]++;
    return NOTHING;
  }
  struct thread_entry *entry = &image->entries[place];
  entry->tid = tid;
  entry->owners++;
  snprintf(entry->name, sizeof entry->name, "%s", name);
  struct image_thread *thread = &image->threads[place];
  thread->live = true;
  thread->counted = false;
  thread->start_unknown = tid != image->pid && entry->start_function == NOTHING;
  thread->ticks = thread->opened_ns = thread->began_ns = 0;
  thread->in_doubt = false;
  image->live_threads++;
  image->threads_started++;
  return place;
}

void process_image_end_thread(struct process_image *image, uint32_t thread, uint64_t now_ns) {
  struct image_thread *ended = &image->threads[thread];
  if (!ended->live) return;
  if (ended->began_ns && now_ns > ended->began_ns)
    image->entries[thread].lived_ns += now_ns - ended->began_ns;
  ended->live = false;
  image->live_threads--;
}

/* ---- ticks ---- */

/* A frame that was interrupted runs on at the address itself, which may be the first byte of a line
 * or a function: one more makes it what is returned to after it. */
static uint64_t return_address(uint64_t told) {
  return told & UNWIND_EXACT ? (told & ~UNWIND_EXACT) + 1 : told;
}

/* A function or call, with the object that holds `place`. */
static uint32_t function_at(struct process_image *image, enum entry_kind kind, uint64_t address,
                            uint64_t place) {
  uint32_t at = address_space_find(&image->space, place);
  struct function_entry entry = {.address = address,
                                 .epoch = image->space.epoch,
                                 .kind = kind,
                                 .object =
                                     at == NOTHING ? NOTHING : image->space.mapped[at].object};
  return stack_machine_function(&image->machine, &entry);
}

static uint32_t cut_function(struct process_image *image) {
  return stack_machine_function(&image->machine,
                                &(struct function_entry){.kind = ENTRY_CUT, .object = NOTHING});
}

static bool step(struct process_image *image, uint32_t *context, uint32_t function) {
  uint32_t next = stack_machine_step(&image->machine, *context, function);
  if (next == NOTHING) return false;
  *context = next;
  return true;
}

/* The context of the calls of a stack, from its outermost frame in to frame `innermost`. */
static uint32_t context_of(struct process_image *image, uint32_t thread,
                           const struct sampled_stack *stack, uint32_t innermost) {
  uint32_t context = image->threads[thread].root;
  bool room = stack->complete || step(image, &context, cut_function(image));
  for (uint32_t i = stack->depth; room && i-- > innermost;) {
    uint64_t address = return_address(stack->addresses[i]);
    room = step(image, &context, function_at(image, ENTRY_CALL, address, address - 1));
  }
  if (room) return context;
  image->drops[DROP_CONTEXTS]++;
  return image->threads[thread].overflow;
}

static void note_start(struct process_image *image, uint32_t thread,
                       const struct sampled_stack *stack) {
  uint64_t address = sampled_stack_start(stack, &image->space);
  if (!address) return;
  image->entries[thread].start_function = function_at(image, ENTRY_FUNCTION, address, address);
  image->threads[thread].start_unknown = false;
}

/* Nothing is known of a thread that has left its program for good, or of a 32-bit one. */
static void forget_stack(struct sampled_stack *stack, uint64_t kernel_pc) {
  stack->depth = 0;
  stack->complete = false;
  stack->kernel_pc = kernel_pc;
}

/* In execve the registers are still those of the program before, which is gone. */
static bool is_in_exec(const struct process_image *image, const struct kernel_sample *sample) {
  return sample->in_kernel && sample->has_frame &&
         address_space_find(&image->space, sample->frame.registers[UNWIND_RIP]) == NOTHING;
}

static uint64_t loaded(const struct process_image *image, uint64_t address) {
  uint32_t at = address_space_find(&image->space, address);
  if (at == NOTHING || image->space.mapped[at].object == NOTHING) return UINT64_MAX;
  return image->space.objects[image->space.mapped[at].object].loaded;
}

/* In the kernel, the frame that led there has not returned either. */
struct tick_entry process_image_place(struct process_image *image, uint32_t thread,
                                      const struct sampled_stack *stack, uint64_t pc,
                                      bool in_kernel) {
  if (image->threads[thread].start_unknown) note_start(image, thread, stack);
  return (struct tick_entry){.context = image->threads[thread].root,
                             .centre = NOTHING,
                             .stack = context_of(image, thread, stack, in_kernel ? 0 : 1),
                             .pc = in_kernel ? stack->kernel_pc : pc,
                             .epoch = in_kernel ? UINT64_MAX : loaded(image, pc),
                             .slice = NOTHING};
}

uint32_t process_image_slice(struct process_image *image, uint64_t time_ns) {
  bool later = time_ns > image->started_ns;
  uint32_t slice = sample_slice_at(later ? time_ns - image->started_ns : 0);
  if (slice >= image->slice_count) image->slice_count = slice + 1;
  return slice;
}

void process_image_tick(struct process_image *image, uint32_t thread,
                        const struct kernel_sample *sample, struct sampled_stack *stack) {
  bool in_exec = is_in_exec(image, sample);
  if (sample->has_frame && !in_exec)
    sampled_stack_find(stack, &image->space, sample);
  else
    forget_stack(stack, in_exec ? PC_NUMBERED_CALL + SYS_execve : PC_INTERRUPT);
  struct tick_entry tick = process_image_place(image, thread, stack, sample->ip, sample->in_kernel);
  tick.ticks = tick.weight = 1;
  tick.slice = process_image_slice(image, sample->time_ns);
  image->entries[thread].ticks++;
  image->threads[thread].ticks++;
  if (sample->in_kernel)
    image->kernel_ticks++;
  else
    image->user_ticks++;
  stack_machine_charge(&image->machine, &tick);
}
