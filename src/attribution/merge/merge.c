#include "attribution/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/counts/inlined_only.h"
#include "attribution/counts/line_counts.h"
#include "attribution/merge/merge_parts.h"
#include "attribution/messages/message_delays.h"
#include "attribution/run.h"
#include "base/base_name.h"
#include "profile/context_order.h"

/* 132 MB of them. */
enum { MOST_RUN_COSTS = 4 << 20 };

struct merge *merge_begin(void) {
  struct merge *merge = memory_zeroed(1, sizeof *merge);
  merge->profile = profile_create();
  merge->most_run_costs = MOST_RUN_COSTS;
  builder_open(&merge->builder, merge->profile);
  builder_open(&merge->centres, merge->profile->centres);
  return merge;
}

static struct profile *release(struct merge *merge) {
  struct profile *profile = merge->profile;
  struct map *const maps[] = {&merge->build_ids, &merge->paths,      &merge->functions,
                              &merge->threads,   &merge->given_arcs, &merge->possible_calls,
                              &merge->spreads};
  builder_close(&merge->builder);
  builder_close(&merge->centres);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    map_free(maps[i]);
  free(merge->several_builds);
  free(merge);
  return profile;
}

void merge_discard(struct merge *merge) {
  profile_free(release(merge));
}

/* ---- what can be added ---- */

/* How a profile was made: figures of different hooks do not add up. */
struct mode {
  const char *unit, *format;
  bool given, hooked, stacks, ticks, cycles;
  bool in_kernel, user_only; /* where processes were sampled */
  bool without_hooks;        /* some process: whether its stacks were sampled is chance */
  uint32_t hooks;            /* enum hooks bits */
  enum evidence evidence;
};

static void add_process(struct mode *mode, const struct profile_process *process) {
  mode->cycles |= process->tick_source == TICK_TSC;
  mode->hooks |= process->hooks;
  mode->without_hooks |= process->hooks == 0;
  if (process->tick_source == TICK_NONE || process->tick_source == TICK_TSC) return;
  if (process->tick_flags & TICK_USER_ONLY)
    mode->user_only = true;
  else
    mode->in_kernel = true;
}

static struct mode mode_of(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  struct mode mode = {.unit = metric->unit ? metric->unit : "ns",
                      .format = profile->origin.format ? profile->origin.format : "",
                      .given = profile->given != NULL,
                      .hooked = profile->transition_count > 0 || profile->count_count > 0,
                      .ticks = metric->tick_count > 0,
                      .evidence = metric->evidence};
  for (size_t i = 0; i < metric->tick_count && !mode.stacks; i++)
    mode.stacks = metric->ticks[i].stack != NOTHING;
  for (size_t i = 0; i < profile->process_count; i++)
    add_process(&mode, &profile->processes[i]);
  return mode;
}

static bool same_metrics(const struct profile *a, const struct profile *b) {
  if (a->metric_count != b->metric_count) return false;
  for (size_t i = 0; i < a->metric_count; i++)
    if (strcmp(a->metrics[i].name, b->metrics[i].name) != 0) return false;
  return true;
}

static const char *kind_of(const struct mode *mode) {
  if (mode->given) return "figures without contexts";
  if (mode->cycles) return "measured times of contexts";
  if (mode->hooked) return mode->stacks ? "counted calls and sampled stacks" : "counted calls";
  return "sampled stacks";
}

static int check_mode(const struct merge *merge, const struct profile *profile, const char *name,
                      struct error *error) {
  struct mode known = mode_of(merge->profile), mode = mode_of(profile);
  if (strcmp(known.unit, mode.unit) != 0)
    return error_set(error, "%s counts %s, but %s %s: they cannot be summed", name, mode.unit,
                     merge->first_name, known.unit);
  if (strcmp(known.format, mode.format) != 0)
    return error_set(error, "%s is %s%s, but %s %s%s: they cannot be summed", name,
                     *mode.format ? "from " : "a recording of Ascribe", mode.format,
                     merge->first_name, *known.format ? "is from " : "is a recording of Ascribe",
                     known.format);
  if (!same_metrics(merge->profile, profile))
    return error_set(error, "%s measures %s, but %s %s: they cannot be summed", name,
                     metrics_text(profile, merge->profile->pool), merge->first_name,
                     metrics_text(merge->profile, merge->profile->pool));
  bool only_known = known.in_kernel && mode.user_only, only_new = known.user_only && mode.in_kernel;
  if (known.ticks && mode.ticks && (only_known || only_new) && known.in_kernel != mode.in_kernel)
    return error_set(
        error, "%s was sampled in the kernel too, %s in user code only: they cannot be summed",
        only_known ? merge->first_name : name, only_known ? name : merge->first_name);
  bool stacks = known.stacks == mode.stacks || !known.ticks || !mode.ticks ||
                (known.without_hooks && mode.without_hooks);
  bool same = known.given == mode.given && known.hooked == mode.hooked && stacks &&
              known.cycles == mode.cycles && known.evidence == mode.evidence;
  if (same && known.hooks == mode.hooks) return 0;
  if (same) {
    char hooks[HOOKS_TEXT_BYTES], known_hooks[HOOKS_TEXT_BYTES];
    hooks_text(mode.hooks, hooks);
    hooks_text(known.hooks, known_hooks);
    return error_set(error, "%s counts calls by %s, but %s by %s: they cannot be summed", name,
                     hooks, merge->first_name, known_hooks);
  }
  return error_set(error, "%s has %s, but %s %s: they cannot be summed", name, kind_of(&mode),
                   merge->first_name, kind_of(&known));
}

static const char *program_name(const struct profile *profile) {
  if (!profile->process_count) return "";
  const struct profile_process *process = &profile->processes[0];
  return base_name(process->executable[0] ? process->executable : process->command);
}

/* Length of the name in "name arguments...": commands are texts. */
static size_t name_length(const struct profile *profile, const char *name) {
  return profile->processes[0].executable[0] ? strlen(name) : strcspn(name, " ");
}

static const char *main_build(const struct profile *profile) {
  for (size_t i = 0; i < profile->object_count; i++)
    if (profile->process_count && process_runs(&profile->processes[0], &profile->objects[i]))
      return profile->objects[i].build_id;
  return "";
}

/* The same build, or the same name, as far as the files tell. */
static int check_program(const struct merge *merge, const struct profile *profile, const char *name,
                         struct error *error) {
  const char *known = program_name(merge->profile), *program = program_name(profile);
  const char *build = main_build(profile);
  if (!*known || !*program) return 0;
  if (*build && strcmp(build, main_build(merge->profile)) == 0) return 0;
  size_t length = name_length(profile, program), other = name_length(merge->profile, known);
  if (length == other && strncmp(known, program, length) == 0) return 0;
  return error_set(error, "%s is a profile of %.*s, but %s of %.*s; --force merges them", name,
                   (int)length, program, merge->first_name, (int)other, known);
}

/* ---- adding ---- */

static void copy_origin(struct merge *merge, const struct profile_origin *from) {
  struct profile_origin *origin = &merge->profile->origin;
  if (merge->first_name) {
    if (!origin->note) origin->note = merge_text(merge, from->note);
    return;
  }
  origin->format = merge_text(merge, from->format);
  origin->note = merge_text(merge, from->note);
}

/* Those of the first profile; all have the same. */
static void copy_metrics(struct merge *merge, const struct profile *from) {
  if (merge->first_name) return;
  metrics_free(merge->profile);
  for (size_t i = 0; i < from->metric_count; i++) {
    const struct profile_metric *metric = &from->metrics[i];
    metrics_add(merge->profile, metric->kind, merge_text(merge, metric->name),
                merge_text(merge, metric->unit));
    merge->profile->metrics[i].evidence = metric->evidence;
  }
}

int merge_add(struct merge *merge, const struct profile *profile, const char *name, bool force,
              struct error *error) {
  if (merge->first_name) {
    if (check_mode(merge, profile, name, error) != 0) return -1;
    if (!force && check_program(merge, profile, name, error) != 0) return -1;
  }
  struct merge_ids ids = {.from = profile};
  copy_origin(merge, &profile->origin);
  copy_metrics(merge, profile);
  merge_objects(merge, &ids);
  merge_functions(merge, &ids);
  merge_processes(merge, &ids);
  merge_threads(merge, &ids);
  merge_slices(merge, &ids);
  merge_contexts(merge, &ids);
  merge_centres(merge, &ids);
  merge_expansions(merge, &ids);
  merge_calls(merge, &ids);
  merge_ticks(merge, &ids);
  merge_expressions(merge, &ids);
  merge_given(merge, &ids);
  merge_possible(merge, &ids);
  merge_messages(merge, &ids);
  merge_runs(merge, &ids);
  merge_lengthen_slices(merge);
  if (!merge->first_name) merge->first_name = merge_text(merge, name);
  uint32_t *const lists[] = {ids.objects,         ids.functions, ids.threads, ids.contexts,
                             ids.sites,           ids.lines,     ids.stacks,  ids.expansions,
                             ids.centre_contexts, ids.kinds};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    free(lists[i]);
  free(ids.other_build);
  return 0;
}

/* ---- the result ---- */

/* Addresses mean nothing where builds differ. */
static void forget_instructions(const struct merge *merge, struct profile_metric *metric) {
  struct profile_instruction *instructions = metric->instructions;
  uint32_t *ids = memory_zeroed(metric->instruction_count, sizeof *ids), kept = 0;
  for (size_t i = 0; i < metric->instruction_count; i++) {
    uint32_t object = instructions[i].object;
    bool known = object == NOTHING || !merge->several_builds[object];
    ids[i] = known ? kept : NOTHING;
    if (known) instructions[kept++] = instructions[i];
  }
  metric->instruction_count = kept;
  for (size_t i = 0; i < metric->series_count; i++)
    metric->series[i].instruction = merged_id(ids, metric->series[i].instruction);
  free(ids);
}

static void forget_places(struct merge *merge) {
  struct profile *profile = merge->profile;
  for (size_t i = 0; i < profile->metric_count; i++)
    forget_instructions(merge, &profile->metrics[i]);
  for (size_t i = 0; i < profile->site_count; i++) {
    struct profile_site *site = &profile->sites[i];
    if (site->object != NOTHING && merge->several_builds[site->object]) site->offset = 0;
  }
  for (size_t i = 0; i < profile->object_count; i++) {
    if (!merge->several_builds[i] || profile->objects[i].kind == OBJECT_WORLD) continue;
    profile->objects[i].build_id = "";
    profile->objects[i].message = "several builds of it were merged: it has no addresses";
  }
}

struct profile *merge_finish(struct merge *merge) {
  merge_series_finish(merge);
  forget_places(merge);
  if (merge->spreads_unknown) profile_forget_spreads(merge->profile);
  struct profile *profile = release(merge);
  contexts_order(profile);
  merge_runs_finish(profile);
  message_delays_find(profile);
  metrics_charge(profile);
  merge_possible_finish(profile);
  inlined_only_find(profile);
  line_counts_make(profile);
  return profile;
}
