#include "outside/cpu_times.h"

static uint64_t part(uint64_t whole, uint64_t of, uint64_t all) {
  return all ? (uint64_t)((unsigned __int128)whole * of / all) : 0;
}

static uint64_t less(uint64_t a, uint64_t b) {
  return a > b ? a - b : 0;
}

/* Where the lost ones fell is not known; most are the program's own. */
static uint64_t user_ticks_of(const struct process_image *image) {
  return image->user_ticks + image->drops[DROP_TICKS];
}

static uint64_t ticks_of(const struct process_image *image) {
  return user_ticks_of(image) + image->kernel_ticks;
}

/* The ticks of threads whose count the kernel has not reported. */
static uint64_t open_ticks(const struct process_image *image) {
  uint64_t ticks = 0;
  for (size_t i = 0; i < image->thread_count; i++)
    if (!image->threads[i].counted) ticks += image->threads[i].ticks;
  return ticks;
}

/* To the threads without a count. */
static void share_in_process(struct process_image *image, uint64_t rest) {
  uint64_t all = open_ticks(image);
  for (size_t i = 0; i < image->thread_count; i++)
    if (!image->threads[i].counted)
      image->entries[i].cpu_ns += part(rest, image->threads[i].ticks, all);
}

/* user_ns is the sum, for now. */
static void share_rest(struct process_tree *tree, uint64_t rest) {
  uint64_t all = 0;
  for (size_t i = 0; i < tree->count; i++)
    all += open_ticks(tree->images[i]);
  for (size_t i = 0; i < tree->count; i++) {
    struct process_image *image = tree->images[i];
    uint64_t share = part(rest, open_ticks(image), all);
    share_in_process(image, share);
    image->user_ns = image->counted_ns + share;
  }
  if (all || !tree->count) return;
  struct process_image *last = tree->images[0];
  for (size_t i = 0; i < tree->count; i++)
    if (tree->images[i]->previous == last) last = tree->images[i];
  last->user_ns += rest;
}

/* What a process took was counted for the last program it ran. */
static void share_with_previous(struct process_image *last) {
  uint64_t whole = last->user_ns, ticks = 0;
  for (struct process_image *image = last; image; image = image->previous)
    ticks += ticks_of(image);
  if (!ticks) return;
  for (struct process_image *image = last->previous; image; image = image->previous) {
    image->user_ns = part(whole, ticks_of(image), ticks);
    last->user_ns -= image->user_ns;
  }
}

/* Ticks of short processes are few and come in whole periods: what would be more than all of a
 * process's time is that of others. */
static void tell_system_apart(struct process_tree *tree, uint64_t user_ns, uint64_t user_ticks) {
  uint64_t given = 0, room = 0;
  for (size_t i = 0; i < tree->count; i++) {
    struct process_image *image = tree->images[i];
    uint64_t whole = image->user_ns, user = part(user_ns, user_ticks_of(image), user_ticks);
    image->user_ns = user < whole ? user : whole;
    image->system_ns = whole - image->user_ns;
    given += image->user_ns;
    room += image->system_ns;
  }
  uint64_t left = less(user_ns, given);
  if (left > room) left = room;
  for (size_t i = 0; i < tree->count; i++) {
    struct process_image *image = tree->images[i];
    uint64_t more = part(left, image->system_ns, room);
    image->user_ns += more;
    image->system_ns = less(image->system_ns, more);
  }
}

void cpu_times_share(struct process_tree *tree, uint64_t total_ns, uint64_t period_ns,
                     bool user_only) {
  uint64_t counted = 0, all = 0, user_ticks = 0, kernel_ticks = 0;
  for (size_t i = 0; i < tree->count; i++) {
    counted += tree->images[i]->counted_ns;
    user_ticks += user_ticks_of(tree->images[i]);
    kernel_ticks += tree->images[i]->kernel_ticks;
  }
  share_rest(tree, less(total_ns, counted));
  for (size_t i = 0; i < tree->count; i++)
    if (!tree->images[i]->replaced) share_with_previous(tree->images[i]);
  for (size_t i = 0; i < tree->count; i++)
    all += tree->images[i]->user_ns;
  uint64_t user_ns = part(all, user_ticks, user_ticks + kernel_ticks);
  if (user_only) user_ns = user_ticks * period_ns < all ? user_ticks * period_ns : all;
  tell_system_apart(tree, user_ns, user_ticks);
}
