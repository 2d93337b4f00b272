/* Waiting, a metric beside CPU time: figures of it, its books, and the file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribution/books.h"
#include "attribution/costs.h"
#include "check.h"
#include "profile/context_order.h"
#include "profile_fixture.h"
#include "store/store.h"

static struct program program;

static void add_wait(struct profile *profile, uint32_t context, uint64_t looks, uint64_t ns) {
  struct profile_metric *waits = &profile->metrics[1];
  ARRAY_GROW(waits->ticks, waits->tick_count);
  waits->ticks[waits->tick_count++] = (struct profile_tick){.context = context,
                                                            .line = 0,
                                                            .stack = NOTHING,
                                                            .centre = NOTHING,
                                                            .kind = NOTHING,
                                                            .amount = {looks, ns}};
}

/* The context in which the function of that name runs. */
static uint32_t context_in(const struct profile *profile, const char *name) {
  for (size_t i = 0; i < profile->context_count; i++) {
    uint32_t running = context_running(&profile->contexts[i]);
    if (running != NOTHING && strcmp(profile->functions[running].name, name) == 0) return i;
  }
  return NOTHING;
}

/* main spins for 20 ms and calls reads, which waits: 300 ms looked at 30 times, of 330 ms. */
static struct profile *make_profile(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 20);
  program_calls(&program, "reads");
  struct profile *profile = program_end(&program);
  struct profile_process *process = &profile->processes[0];
  metrics_add(profile, METRIC_WAITING, "waiting", NULL);
  add_wait(profile, context_in(profile, "reads"), 20, 200000000);
  add_wait(profile, context_in(profile, "main"), 10, 100000000);
  metrics_charge(profile);
  process->looked_ns = 350000000;
  process->lived_ns = 360000000;
  process->ready_ns = 10000000;
  process->waited_ns = 330000000;
  return profile;
}

static uint64_t total_ns(const struct profile *profile, const char *name) {
  struct costs *costs = costs_compute(profile, NULL);
  struct books books;
  books_make(profile, &books);
  uint32_t function = context_running(&profile->contexts[context_in(profile, name)]);
  uint64_t ns = books_ns(&books, costs->functions[function].total);
  costs_free(costs);
  return ns;
}

static void check_profile(const struct profile *profile) {
  struct profile view = metric_view(profile, metrics_find(profile, "waiting"));
  struct books books;
  CHECK_EQUAL(total_ns(profile, "main"), 20000000);
  CHECK_EQUAL(total_ns(&view, "main"), 300000000);
  CHECK_EQUAL(total_ns(&view, "reads"), 200000000);
  books_make(&view, &books);
  CHECK_EQUAL(books.sampled_ns, 300000000);
  CHECK_EQUAL(books.unsampled_ns, 30000000); /* not looked at: nobody's */
  CHECK_EQUAL(books_whole_ns(&books), books.waited_ns);
  CHECK_EQUAL(books.all.ticks, 30);
  CHECK_EQUAL(books.lived_ns, books.user_ns + books.system_ns + books.ready_ns + books.waited_ns);
  CHECK_EQUAL(total_ns(profile, "main"), 20000000);
}

static void view_and_books(void) {
  struct profile *profile = make_profile();
  check_profile(profile);
  profile_free(profile);
}

static void new_ids(void) {
  struct profile *profile = make_profile();
  uint32_t *swapped = memory_zeroed(profile->context_count, sizeof *swapped);
  for (size_t i = 0; i < profile->context_count; i++)
    swapped[i] = profile->context_count - 1 - i;
  contexts_move_ticks(profile, swapped);
  CHECK_EQUAL(profile->metrics[1].ticks[0].context, swapped[context_in(profile, "reads")]);
  contexts_move_ticks(profile, swapped);
  contexts_order(profile);
  metrics_charge(profile);
  check_profile(profile);
  free(swapped);
  profile_free(profile);
}

static void file(void) {
  char path[] = "/tmp/ascribe-waits-XXXXXX";
  struct profile *profile = make_profile(), *loaded = NULL;
  struct error error;
  close(mkstemp(path));
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  CHECK_EQUAL(store_load(path, &loaded, &error), 0);
  unlink(path);
  check_profile(loaded);
  profile_free(profile);
  profile_free(loaded);
}

int main(void) {
  view_and_books();
  new_ids();
  file();
  return check_result();
}
