#include "exchange/export_data.h"

#include <stdlib.h>
#include <string.h>

#include "exchange/export_names.h"
#include "exchange/export_remarks.h"

/* The samples of a profile as they are made.  Each is the difference of two rounded sums, so that
 * no rounding adds up. */
struct sampling {
  struct export_data *data;
  size_t room;
};

static void add_sample(struct sampling *sampling, uint32_t context, const struct profile_tick *tick,
                       struct amount amount) {
  struct export_data *data = sampling->data;
  if (!amount.ticks && !amount.raw_ns) return;
  uint64_t before = data->ns;
  data->all = amount_sum(data->all, amount);
  data->ns = books_ns(&data->books, data->all);
  MEMORY_GROW(data->samples, data->sample_count, sampling->room);
  data->samples[data->sample_count++] =
      (struct export_sample){.context = context,
                             .line = tick ? tick->line : NOTHING,
                             .stack = tick ? tick->stack : NOTHING,
                             .amount = amount,
                             .ns = data->ns - before};
}

static struct amount smaller(struct amount a, struct amount b) {
  return (struct amount){a.ticks < b.ticks ? a.ticks : b.ticks,
                         a.raw_ns < b.raw_ns ? a.raw_ns : b.raw_ns};
}

/* A context's own figure is the truth; ticks without a line are in it too. */
static void sample_context(struct sampling *sampling, uint32_t context, const uint32_t *ticks,
                           size_t count) {
  const struct profile *profile = sampling->data->profile;
  struct amount rest = profile->contexts[context].self;
  for (size_t i = 0; i < count; i++) {
    const struct profile_tick *tick = &profile->ticks[ticks[i]];
    struct amount part = smaller(tick->amount, rest);
    rest.ticks -= part.ticks;
    rest.raw_ns -= part.raw_ns;
    add_sample(sampling, context, tick, part);
  }
  add_sample(sampling, context, NULL, rest);
}

/* Ids of ticks in the order of their contexts; those of context c begin at first[c]. */
static uint32_t *group_by_context(const struct profile *profile, size_t **first) {
  size_t *at = memory_zeroed(profile->context_count + 2, sizeof *at);
  uint32_t *order = memory_zeroed(profile->tick_count, sizeof *order);
  for (size_t i = 0; i < profile->tick_count; i++)
    at[profile->ticks[i].context + 2]++;
  for (size_t i = 2; i < profile->context_count + 2; i++)
    at[i] += at[i - 1];
  for (size_t i = 0; i < profile->tick_count; i++)
    order[at[profile->ticks[i].context + 1]++] = i;
  *first = at;
  return order;
}

static void make_samples(struct export_data *data) {
  const struct profile *profile = data->profile;
  struct sampling sampling = {.data = data};
  size_t *first;
  uint32_t *ticks = group_by_context(profile, &first);
  for (size_t i = 0; i < profile->context_count; i++)
    if (data->selected[i] && profile->contexts[i].length)
      sample_context(&sampling, i, ticks + first[i], first[i + 1] - first[i]);
  free(ticks);
  free(first);
}

static bool *find_programs(const struct profile *profile) {
  bool *is_program = memory_zeroed(profile->object_count, sizeof *is_program);
  for (size_t i = 0; i < profile->object_count; i++)
    for (size_t process = 0; process < profile->process_count && !is_program[i]; process++)
      is_program[i] = strcmp(profile->objects[i].path, profile->processes[process].executable) == 0;
  return is_program;
}

void export_data_open(struct export_data *data, const struct profile *profile,
                      const struct export_options *options) {
  *data = (struct export_data){.profile = profile, .options = options, .pool = pool_create()};
  books_make(profile, &data->books);
  run_make(profile, &data->run);
  data->names = export_names(profile, data->pool);
  data->selected = costs_select(profile, &options->selection);
  data->is_program = find_programs(profile);
  make_samples(data);
  data->title = export_clean(data->pool, data->run.command);
  export_remarks(data, data->remarks);
}

void export_data_close(struct export_data *data) {
  free(data->names);
  free(data->selected);
  free(data->is_program);
  free(data->samples);
  pool_free(data->pool);
}
