#include "attribution/unattributed.h"

/* Events are counted in full, and a run without ticks has no times at all. */
static bool has_unseen_time(const struct books *books) {
  return !books->events && books->all.raw_ns;
}

static struct unattributed of_ticks(const struct books *books, struct amount amount) {
  struct unattributed part = {.ticks = amount.ticks};
  if (amount.ticks) part.time = books_estimate(books, amount);
  return part;
}

static struct unattributed find(const struct books *books, enum unattributed_kind kind) {
  if (kind == UNATTRIBUTED_PROFILER) return of_ticks(books, books->profiler);
  if (kind == UNATTRIBUTED_DROPPED) return of_ticks(books, books->dropped);
  if (!has_unseen_time(books)) return (struct unattributed){0};
  if (kind == UNATTRIBUTED_KERNEL)
    return (struct unattributed){.time = books_kernel_estimate(books)};
  return (struct unattributed){
      .time = {.ns = books->unsampled_ns, .uncertainty_ns = UNCERTAINTY_UNKNOWN}};
}

struct unattributed unattributed_of(const struct books *books, enum unattributed_kind kind) {
  static const char *const names[] = {[UNATTRIBUTED_KERNEL] = "(in the kernel, not sampled)",
                                      [UNATTRIBUTED_UNSAMPLED] = "(not sampled)",
                                      [UNATTRIBUTED_PROFILER] = "(profiler)",
                                      [UNATTRIBUTED_DROPPED] = "(ticks that had no room)"};
  struct unattributed part = find(books, kind);
  part.name = names[kind];
  return part;
}
